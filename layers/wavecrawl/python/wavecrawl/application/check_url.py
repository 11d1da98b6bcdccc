"""Check one URL that is not crawled as a page: find out whether it can be fetched, and what a stylesheet loads."""

from typing import Final

from msgspec import structs

from wavecrawl.application.fetched_page import NextStart
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason, ResourceReference
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import media_type
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.extraction.resources import resources_of_css
from wavecrawl.ports.page_client import PageClient

_BODY: Final = 1_024  # bytes of the body of a GET response that are read; the rest is not
_SAME_FOR_GET: Final = (
    TransportFault.DNS,
    TransportFault.BLOCKED_ADDRESS,
    TransportFault.CONNECT,
    TransportFault.TLS,
    TransportFault.URL,
    TransportFault.DENIED_HOST,
)
_ALLOW: Final = "The operator of the crawler can add the address to allowed_addresses (--allow-address ADDRESS)"
_STYLESHEET: Final = 1_000_000  # bytes of a stylesheet that are read
_MOST_REDIRECTS: Final = 20  # as browsers follow (Fetch Standard, HTTP-redirect fetch)
_TOO_MANY_REQUESTS: Final = 429
_LEAST_ERROR: Final = 400


class UrlChecker:
    """Checks URLs of one crawl. Safe to share between threads."""

    def __init__(
        self,
        *,
        client: PageClient,
        requests: OutsideRequests,
        settings: CrawlSettings,
        media: MediaRules | None = None,
    ) -> None:
        """`media`: None = what stylesheets load is not read."""
        self._media = media
        self._client = client
        self._requests = requests
        self._settings = settings
        timeout = settings.checks.timeout
        self._limits = FetchLimits(timeout=timeout, max_bytes=_BODY, max_decoded_bytes=_BODY)
        self._css_limits = FetchLimits(timeout=timeout, max_bytes=_STYLESHEET, max_decoded_bytes=_STYLESHEET)

    def check(self, item: JobItem, next_start: NextStart) -> PageRecord:
        """Return the record of a URL. `next_start` is called before every request but the first."""
        reads_css = item.reads_css and self._media is not None

        def request(url: str, cookies: Cookies) -> Exchange | None:
            if reads_css:
                return self._exchange(url, "GET", cookies, self._css_limits)
            head = self._exchange(url, "HEAD", cookies)
            if not _needs_get(head):
                return head
            return self._exchange(url, "GET", cookies) if next_start() else None

        chain = self._requests.follow(item.url, request, next_start, max_redirects=_MOST_REDIRECTS)
        record, _ = self._requests.ended(item, chain)
        if reads_css and chain.exchange is not None and record.state is UrlState.FETCHED:
            return structs.replace(record, resources=self._loaded_by(chain.exchange))
        if record.reason is Reason.ROBOTS_UNREACHABLE:
            record = self._without_robots(record)
        if record.reason is Reason.BLOCKED_ADDRESS:
            detail = f"not requested, as {record.detail}. {_ALLOW}"
            return structs.replace(record, state=UrlState.SKIPPED, detail=detail, retry_after=0.0)
        if record.reason is Reason.DENIED_HOST:
            return structs.replace(record, state=UrlState.SKIPPED, retry_after=0.0)
        if record.state is UrlState.UNCHANGED:  # the response to a request without conditions
            return structs.replace(record, state=UrlState.HTTP_ERROR)
        return record

    def _loaded_by(self, exchange: Exchange) -> tuple[ResourceReference, ...] | None:
        """Return what a stylesheet loads; None of a response of another type, which browsers do not use."""
        if self._media is None or media_type(exchange.header("Content-Type") or "") != "text/css":
            return None
        css = exchange.body.decode("utf-8", "replace")  # URLs are ASCII in nearly all stylesheets
        found = resources_of_css(css, most=self._settings.max_links)
        return self._media.resources_at(found, exchange.url)

    def _exchange(self, url: str, method: str, cookies: Cookies, limits: FetchLimits | None = None) -> Exchange:
        """Return the result of a request. If there is a status, problems of the body do not matter."""
        exchange = self._client.fetch(
            FetchRequest(url=url, method=method, headers=cookie_headers(cookies, url), limits=limits or self._limits)
        )
        if exchange.status is None:
            return exchange
        size = len(exchange.raw_body)
        return structs.replace(
            exchange, fault=None, fault_detail="", truncated=False, is_stream=False, received_bytes=size
        )

    def _without_robots(self, record: PageRecord) -> PageRecord:
        """Return the record of a URL whose host has a robots.txt that cannot be fetched.

        A host that does not respond fails the check, as it would not respond to other requests either: `RobotsGate` has
        tried it several times. An error status says nothing about the URL, which may not be requested.
        """
        url = record.final_url or record.url
        trouble = self._requests.robots.trouble(url)
        if trouble is None or trouble.fault is None:
            return record
        return structs.replace(record, state=UrlState.FAILED, reason=Reason(trouble.fault), retry_after=0.0)


def _needs_get(head: Exchange) -> bool:
    """Return whether the response to HEAD does not decide: some servers refuse HEAD, or answer it in another way."""
    if head.status is None:
        return head.fault not in _SAME_FOR_GET
    return head.status >= _LEAST_ERROR and head.status != _TOO_MANY_REQUESTS
