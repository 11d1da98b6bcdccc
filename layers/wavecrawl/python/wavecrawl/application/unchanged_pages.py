"""The records of pages without new content: those that have not changed since an earlier crawl, and documents."""

from contextlib import suppress

from msgspec import structs

from wavecrawl.domain.crawl.record import SKIPPED_KINDS, Link, MediaReference, PageRecord, Reason, ResourceReference
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import NOT_MODIFIED, link_hash, reference_to, with_content
from wavecrawl.domain.fetching.exchange import first_header
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.extraction.resources import RESOURCE_RULES
from wavecrawl.domain.urls.cut_urls import is_cut
from wavecrawl.domain.urls.documents import is_document_response
from wavecrawl.domain.urls.link_filter import LinkFilter, key_of_declared
from wavecrawl.domain.urls.spellings import ends_in_slash
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import CorruptDataError, TooExpensiveError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.page_parser import PageParser

_Used = tuple[tuple[MediaReference, ...] | None, tuple[ResourceReference, ...] | None]


class UnchangedPages:
    """Makes these records for one crawl, from the records of earlier crawls."""

    def __init__(
        self, *, links: LinkFilter, media: MediaRules, archive: Archive, settings: CrawlSettings, parser: PageParser
    ) -> None:
        self._parser = parser
        self._links = links
        self._media = media
        self._archive = archive
        self._settings = settings

    def content_at(self, place: str) -> tuple[PageRecord | None, str]:
        """Return the record with the content of the record at a place, and its place."""
        record = self._archive.record_at(place)
        if record is not None and record.body_at:
            place = record.body_at
            record = self._archive.record_at(place)
        return record, place

    def record(self, record: PageRecord, before: PageRecord, place: str) -> PageRecord:
        """Return the record of an unchanged page, which refers to the record of its last full response at `place`.

        If the settings of this crawl change its links, the record has the content of the earlier one instead.
        """
        if is_document_response(before.content_type, b""):  # an earlier version took it for a page
            return self.document(record)
        media, resources = self._used_by(before, place)
        rules = 0 if resources is None else RESOURCE_RULES
        record = structs.replace(
            record, reason=Reason.NONE, detail="", media=media, resources=resources, resource_rules=rules
        )
        links = tuple(self._recheck(link, record.key) for link in before.links)
        if links == before.links:
            return reference_to(before, place, record)
        hash_ = link_hash(links, key=record.key, url=record.url)
        return structs.replace(with_content(record, before), links=links, link_hash=hash_, body_at=place)

    def document(self, record: PageRecord) -> PageRecord:
        """Return the record of a page request whose response is a document: it is no page, but may be an asset."""
        target = self._links.target(record.url) if self._settings.media.include else None
        media = None if target is None else (self._media.document(target.page),)
        return structs.replace(record, state=UrlState.SKIPPED, reason=Reason.DOCUMENT, media=media)

    def _used_by(self, before: PageRecord, place: str) -> _Used:
        """Return the media and resources of an unchanged page: from its record `before` at `place`, or its response."""
        search = self._media.search
        wanted = search.media or search.archived
        if not before.is_html or not (wanted or search.resources):
            return None, None
        is_covered = not wanted or self._media.covers(before.media)
        if search.resources:
            is_covered = is_covered and before.resources is not None and before.resource_rules == RESOURCE_RULES
        if not is_covered:
            return self._read_again(before, place)
        media = self._media.known_media(before.media) if wanted and before.media is not None else None
        known = before.resources if search.resources else None
        return media, None if known is None else self._media.known_resources(known)

    def _read_again(self, before: PageRecord, place: str) -> _Used:
        """Return what the stored response of a page uses; nothing if it is lost or too expensive."""
        with suppress(CorruptDataError, TooExpensiveError):
            limit = self._settings.limits.max_decoded_bytes
            response = self._archive.response_at(before.exchange_at or place, limit=limit)
            if response is not None:
                content_type = first_header(response.headers, "Content-Type") or ""
                decoded = decode_html(response.body, content_type, host=host_of(response.url))
                how = Reading(
                    url=response.url,
                    encoding=decoded.encoding,
                    max_links=self._settings.max_links,
                    search=self._media.search,
                    only_media=True,
                    cpu_seconds=self._settings.max_page_cpu,
                )
                found = self._parser.read(decoded.html, how)
                return self._media.references(found), self._media.resources(found)
        return None, None

    def _recheck(self, link: Link, page_key: str) -> Link:
        """Apply this crawl's settings to a link of a page that an earlier crawl recorded."""
        target = None if is_cut(link.url) else self._links.target(link.url)
        if target is None:
            return link
        key = key_of_declared(link.kind, target.page.key, page_key)
        skip = target.skip or SKIPPED_KINDS.get(link.kind, Reason.NONE)
        return structs.replace(link, url=target.page.url, key=key, skip=skip)


def is_same(record: PageRecord, before: PageRecord) -> bool:
    """Return whether an unchanged page still has the content of an earlier record, as far as its headers decide it."""
    now, then = record.final_url or record.url, before.final_url or before.url
    if ends_in_slash(now) != ends_in_slash(then):  # the validators are those of the other spelling
        return False
    if record.status == NOT_MODIFIED:
        return True
    return (
        now == then  # relative links depend on it
        and record.header_canonical == before.header_canonical
        and record.header_alternates == before.header_alternates
        and record.header_refresh == before.header_refresh
        and record.header_robots == before.header_robots
    )
