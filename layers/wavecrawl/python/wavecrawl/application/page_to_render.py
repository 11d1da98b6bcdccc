"""A fetched page that may be rendered: its record, and what becomes of it without a rendered page."""

import msgspec
from msgspec import structs

from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import of_stored_response, reference_to
from wavecrawl.ports.archive import Archive


class PageToRender(msgspec.Struct, frozen=True, kw_only=True):
    """A fetched page: its record, and the record with its content, which an unchanged page has in an earlier crawl."""

    record: PageRecord
    content: PageRecord
    exchange_at: str  # place of the record with the exchange

    @property
    def is_unchanged(self) -> bool:
        """Whether the response is that of an earlier crawl."""
        return bool(self.record.body_at)

    def as_fetched(self, item: JobItem, *, problem: str = "", failed: bool = False) -> PageRecord:
        """Return the terminal record with the content of the response, or of an unchanged page its reference.

        `problem` is why it was not rendered; `failed`, whether a browser loaded it in vain.
        """
        record = structs.replace(
            self.record,
            reason=Reason.NONE,
            retry_after=0.0,
            render_problem=problem,
            render_failed=failed,
            render_bytes=0,  # those of an earlier try are counted
            scripts_not_run=self.content.scripted and not (item.has_browser or self.content.rendered),
        )
        if self.is_unchanged:
            record = structs.replace(record, state=UrlState.UNCHANGED)
            return record if record.facts is not None else reference_to(self.content, record.body_at, record)
        return structs.replace(
            record,
            state=UrlState.FETCHED,
            depth=item.depth,
            shell="" if item.barren else record.shell,
            exchange_at=self.exchange_at,
        )

    def with_content(self) -> PageRecord:
        """Return the record of the page as it was requested, with the fields of the content."""
        record, content = self.record, self.content
        if record is content:
            return record
        return structs.replace(
            record,
            content_type=content.content_type,
            charset=content.charset,
            is_html=True,
            header_canonical=content.header_canonical,
            header_alternates=content.header_alternates,
            header_refresh=content.header_refresh,
            header_robots=content.header_robots,
            header_policies=content.header_policies,
            truncated=content.truncated,
            truncated_reason=content.truncated_reason,
            etag=record.etag or content.etag,
            last_modified=record.last_modified or content.last_modified,
            body_hash=content.body_hash,
            payload=content.payload,
            shell=content.shell,
            scripted=content.scripted,
            **of_stored_response(record, content),
        )


def page_to_render(item: JobItem, archive: Archive) -> PageToRender | None:
    """Return the fetched page, None if its record is lost."""
    record = archive.record_at(item.document)
    if record is None:
        return None
    if not record.body_at:
        return PageToRender(record=record, content=record, exchange_at=item.document)
    earlier = archive.record_at(record.body_at)
    content = record if record.facts is not None else earlier
    if content is None:
        return None
    place = earlier.exchange_at if earlier is not None else ""
    return PageToRender(record=record, content=content, exchange_at=place or record.body_at)
