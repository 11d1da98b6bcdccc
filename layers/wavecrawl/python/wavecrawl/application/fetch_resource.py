"""Fetch one resource of a full archive: request its URL, note what it loads itself, make its record."""

from collections.abc import Callable
from typing import Final

from msgspec import structs

from wavecrawl.application.body_room import PageShare
from wavecrawl.application.fetched_page import FetchedPage, NextStart
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.unchanged_pages import is_same
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import JobItem, Validators
from wavecrawl.domain.crawl.record import MediaReference, PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import NOT_MODIFIED, body_hash, payload_of, reference_to
from wavecrawl.domain.fetching.cookies import Cookies, cookie_headers
from wavecrawl.domain.fetching.exchange import Cut, Exchange, FetchRequest, digest_of
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.ports.page_client import PageClient

_STYLESHEET: Final = "text/css"


class ResourceFetcher:
    """Fetches the resources of one crawl's archive. Safe to share between threads."""

    def __init__(
        self,
        *,
        client: PageClient,
        requests: OutsideRequests,
        media: MediaRules,
        record_at: Callable[[str], PageRecord | None],
        settings: CrawlSettings,
    ) -> None:
        """`record_at` returns the record at a place of the archive."""
        self._client = client
        self._requests = requests
        self._media = media
        self._record_at = record_at
        self._settings = settings
        most = settings.archive.most_resource_bytes
        self._limits = FetchLimits(timeout=settings.limits.timeout, max_bytes=most, max_decoded_bytes=most)

    def fetch(self, item: JobItem, next_start: NextStart, share: PageShare | None = None) -> FetchedPage:
        """Return the record of a resource, and its exchanges if it is archived.

        If an earlier crawl has stored the resource, the request is conditional. If it has not changed, the record
        refers to the earlier one, and its body is not stored again. `next_start` is called before every request but the
        first.
        """
        before, place = self._before(item.validators)
        conditions = _conditions(item.validators) if item.validators and before else ()
        stored_from = (before.final_url or before.url) if before else ""
        exchanges: list[Exchange] = []

        def request(url: str, cookies: Cookies) -> Exchange:
            # A redirect may lead elsewhere since then: another URL's 304 would say nothing about the stored response.
            sent = conditions if url == stored_from else ()
            exchange = self._client.fetch(
                FetchRequest(
                    url=url,
                    headers=(*sent, *cookie_headers(cookies, url)),
                    limits=self._limits,
                    reserve=share.reserve if share is not None else None,
                )
            )
            if share is not None:
                share.settle(len(exchange.raw_body) + len(exchange.body))
            sizes = {"received_bytes": len(exchange.raw_body), "file_bytes": len(exchange.body)}
            exchanges.append(structs.replace(exchange, **sizes))
            return exchanges[-1]

        record, outcome = self._requests.ended(item, self._requests.follow(item.url, request, next_start))
        if outcome is None:
            return FetchedPage(record=record)
        is_conditional = bool(exchanges) and exchanges[-1].url == stored_from
        if outcome.state is UrlState.UNCHANGED and not is_conditional:  # the response to a request without conditions
            return FetchedPage(record=structs.replace(record, state=UrlState.HTTP_ERROR))
        if outcome.state in (UrlState.FETCHED, UrlState.UNCHANGED):
            return self._stored(record, exchanges, before, place)
        return FetchedPage(record=record, exchanges=tuple(exchanges))

    def _before(self, validators: Validators | None) -> tuple[PageRecord | None, str]:
        """Return the record of the response that an earlier crawl stored for the URL, if it still exists."""
        if validators is None:
            return None, ""
        record, place = self._record_at(validators.record), validators.record
        if record is not None and record.body_at:
            place = record.body_at
            record = self._record_at(place)
        return (record, place) if record is not None and record.warc_length else (None, "")

    def _stored(
        self, record: PageRecord, exchanges: list[Exchange], before: PageRecord | None, place: str
    ) -> FetchedPage:
        """Return the record of a resource that arrived, with its exchanges unless its end is missing."""
        if record.truncated_reason is Cut.LENGTH:
            most = counted(self._limits.max_bytes, "byte")
            detail = f"it has more than {most} (archive.max_resource_mb)"
            return FetchedPage(
                record=structs.replace(record, state=UrlState.SKIPPED, reason=Reason.TOO_LARGE, detail=detail)
            )
        if record.truncated:
            again = record.tries == 1 and record.truncated_reason is Cut.DISCONNECT
            state = UrlState.DEFERRED if again else UrlState.SKIPPED
            return FetchedPage(record=structs.replace(record, state=state, reason=Reason.INCOMPLETE))
        last = exchanges[-1]
        if record.status != NOT_MODIFIED:
            hash_ = body_hash(last.body, last.header("Content-Type") or "")
            record = structs.replace(record, body_hash=hash_)
        if before is not None and _is_unchanged(record, last, before):
            known = structs.replace(last, known=payload_of(before))
            used = None if before.media is None else self._media.known_media(before.media)
            return FetchedPage(
                record=reference_to(before, place, structs.replace(record, state=UrlState.UNCHANGED, media=used)),
                exchanges=(*exchanges[:-1], known),
            )
        return FetchedPage(record=structs.replace(record, media=self._used_by(last)), exchanges=tuple(exchanges))

    def _used_by(self, exchange: Exchange) -> tuple[MediaReference, ...] | None:
        """Return what a stylesheet loads; None of other resources."""
        content_type = (exchange.header("Content-Type") or "").lower()
        if not content_type.startswith(_STYLESHEET):
            return None
        css = exchange.body.decode("utf-8", "replace")  # URLs are ASCII in nearly all stylesheets
        return self._media.loaded_by(css, exchange.url, most=self._settings.max_links)


def _conditions(validators: Validators) -> tuple[tuple[str, str], ...]:
    fields = (("If-None-Match", validators.etag), ("If-Modified-Since", validators.last_modified))
    return tuple((name, value) for name, value in fields if value)


def _is_unchanged(record: PageRecord, last: Exchange, before: PageRecord) -> bool:
    """Return whether the stored response has the content. A record may only refer to an identical payload."""
    if not is_same(record, before):
        return False
    if record.status == NOT_MODIFIED:
        return True
    digest = payload_of(before).digest
    return record.body_hash == before.body_hash and digest in ("", digest_of(last.raw_body))
