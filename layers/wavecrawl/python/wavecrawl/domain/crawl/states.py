"""States of crawls and of URLs."""

from enum import StrEnum


class CrawlStatus(StrEnum):
    """Status of a crawl."""

    RUNNING = "running"
    COMPLETED = "completed"
    CANCELLED = "cancelled"
    FAILED = "failed"
    BUDGET_EXHAUSTED = "budget_exhausted"  # stopped by `budget_usd`, with the results so far


class UrlState(StrEnum):
    """State of a URL in one crawl. All but `pending` and `deferred` are final."""

    PENDING = "pending"
    DEFERRED = "deferred"  # will be retried
    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    FORBIDDEN = "forbidden"
    NOT_FOUND = "not_found"
    HTTP_ERROR = "http_error"
    FAILED = "failed"
    ROBOTS_DENIED = "robots_denied"
    SKIPPED = "skipped"

    @property
    def terminal(self) -> bool:
        """Whether the state is final in this crawl."""
        return self not in (UrlState.PENDING, UrlState.DEFERRED)
