"""States of crawls and of URLs."""

from enum import StrEnum


class CrawlStatus(StrEnum):
    """Status of a crawl.

    - `queued`: waits, because the limit of running crawls is reached
    - `running`: started
    - `completed`: has ended as planned
    - `cancelled`: was cancelled. The results so far are available
    - `failed`: has ended because of an error
    - `budget_exhausted`: stopped because of the setting `budget_usd`. The results so far are available
    """

    QUEUED = "queued"
    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"

    @property
    def has_ended(self) -> bool:
        """Whether the crawl has ended."""
        return self not in (CrawlStatus.QUEUED, CrawlStatus.RUNNING)


class UrlState(StrEnum):
    """State of a URL in one crawl. States can change until the crawl ends.

    - `pending`: not fetched yet
    - `deferred`: to be retried
    - `fetched`: fetched
    - `unchanged`: not modified since an earlier crawl
    - `redirected`: redirects to another page
    - `forbidden`, `not_found`, `http_error`: the status code of the response is an error
    - `failed`: no complete response
    - `robots_denied`: disallowed by robots.txt
    - `skipped`: not requested, because of the settings or a limit
    - `blocked`: a bot protection responded with its challenge instead of the page
    """

    PENDING = "pending"
    DEFERRED = "deferred"
    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    HTTP_ERROR = "http_error"
    FAILED = "failed"
    ROBOTS_DENIED = "robots_denied"
    SKIPPED = "skipped"
    BLOCKED = "blocked"  # new members go to the end, as stored codes are positions

    @property
    def has_content(self) -> bool:
        """Whether the URL could be read: it was fetched, or its content is that of an earlier crawl."""
        return self in (UrlState.FETCHED, UrlState.UNCHANGED)

    @property
    def is_error(self) -> bool:
        """Whether the URL could not be read: its response is an error or a challenge, or there was no complete one."""
        return self in _ERRORS

    @property
    def terminal(self) -> bool:
        """Whether the state is final in this crawl."""
        return self not in (UrlState.PENDING, UrlState.DEFERRED)


_ERRORS = (UrlState.FORBIDDEN, UrlState.BLOCKED, UrlState.NOT_FOUND, UrlState.HTTP_ERROR, UrlState.FAILED)
