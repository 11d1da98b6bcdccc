"""Read the content of a response: the facts, links and media of its page."""

from collections.abc import Callable

from msgspec import structs

from wavecrawl.application.unchanged_pages import UnchangedPages
from wavecrawl.domain.crawl.job import JobItem
from wavecrawl.domain.crawl.record import Link, MediaReference, PageRecord, Reason, ResourceReference
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.unchanged import body_hash, link_hash
from wavecrawl.domain.fetching.exchange import Cut, Exchange
from wavecrawl.domain.fetching.headers import declared_links, refresh_url, robots_directives
from wavecrawl.domain.fetching.outcome import HTML_TYPES, may_be_html
from wavecrawl.domain.fetching.policies import header_policies
from wavecrawl.domain.media import references
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.pages.charset import decode_html
from wavecrawl.domain.pages.extraction.plain import PLAIN_TYPES
from wavecrawl.domain.pages.extraction.reading import Reading, extractor_of
from wavecrawl.domain.pages.extraction.resources import RESOURCE_RULES
from wavecrawl.domain.pages.json_shape import is_json, json_shape
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.domain.rendering.trouble import OVER_BUDGET
from wavecrawl.domain.urls import link_filter
from wavecrawl.domain.urls.documents import is_document_response
from wavecrawl.domain.urls.link_filter import LinkFilter, is_asset
from wavecrawl.domain.urls.url import host_of
from wavecrawl.errors import TooExpensiveError
from wavecrawl.ports.page_parser import PageParser

FAILING = "not rendered, as the rendering of pages like it failed several times in a row"
"""The problem of a shell that no browser loaded."""

_HTML_STARTS = (b"<!doctype html", b"<html", b"<head", b"<body")  # of HTML without a Content-Type


class PageReader:
    """Makes the records of pages from their responses. Safe to share between threads."""

    def __init__(
        self,
        *,
        links: LinkFilter,
        media: MediaRules,
        known: UnchangedPages,
        settings: CrawlSettings,
        root: str,
        parser: PageParser,
    ) -> None:
        """`root`: url key of the root, of which a screenshot may be made."""
        self._links = links
        self._media = media
        self._known = known
        self._settings = settings
        self._root = root
        self._parser = parser
        self._rules_hash = rules_hash(settings)

    def read(
        self,
        item: JobItem,
        record: PageRecord,
        exchange: Exchange,
        known: str,
        is_stopped: Callable[[], bool],
    ) -> PageRecord:
        """Return the record with the content of a 2xx response, unless its hash is `known`.

        Raise ReadingStoppedError if `is_stopped` before that.
        """
        declared = declared_links(exchange, longest=self._settings.max_url_length)
        record = structs.replace(
            record,
            body_hash="" if exchange.is_partial else body_hash(exchange.body, exchange.header("Content-Type") or ""),
            header_canonical=declared.canonical,
            header_alternates=declared.alternates,
            header_refresh=refresh_url(exchange, longest=self._settings.max_url_length),
            header_robots=robots_directives(exchange, self._settings.robots_product),
            header_policies=header_policies(exchange),
        )
        if known and known == record.body_hash:
            return structs.replace(record, state=UrlState.UNCHANGED)
        other = self._other_than_html(record, exchange)
        if other is not None:
            is_text = other.reason is Reason.NOT_HTML and other.content_type in PLAIN_TYPES and not exchange.is_stream
            return self._with_text(other, exchange, is_stopped) if is_text else other
        decoded = decode_html(exchange.body, exchange.header("Content-Type") or "", host=host_of(exchange.url))
        how = reading_of(self._settings, self._media, record, url=exchange.url, encoding=decoded.encoding)
        try:
            found = self._parser.read(decoded.html, how, is_stopped=is_stopped)
        except TooExpensiveError as error:
            return structs.replace(record, state=UrlState.FAILED, reason=Reason.TOO_EXPENSIVE, detail=str(error))
        links = self._links.links(found.links, base=found.base_url, page_key=record.key)
        media, resources = self._media.references(found), self._media.resources(found)
        is_cut = is_content_cut(links, media, resources, most=self._settings.max_links)
        shell = "" if item.barren else found.shell
        record = structs.replace(
            record,
            is_html=True,
            charset=decoded.encoding,
            facts=found.facts,
            rules_hash=self._rules_hash,
            links=links,
            fragments=self._links.fragments(found.fragment_links, links, base=found.base_url, page_key=record.key),
            truncated=record.truncated or is_cut,
            truncated_reason=record.truncated_reason or (Cut.LENGTH if is_cut else Cut.NONE),
            link_hash=link_hash(links, key=record.key, url=record.url),
            shell=shell,
            render_problem=why_unrendered(item, is_shell=bool(shell), is_certain=self.is_certain(item)),
            scripted=found.scripted,
            scripts_not_run=found.scripted and not item.has_browser,
            needed_action=found.needed_action,
            media=media,
            resources=resources,
            resource_rules=RESOURCE_RULES,
        )
        if item.render and (shell or self.is_certain(item)):
            return rendered_next(record)
        return rendered_next(record, Reason.RENDER_SAMPLE) if item.sample and found.scripted and not shell else record

    def _with_text(self, record: PageRecord, exchange: Exchange, is_stopped: Callable[[], bool]) -> PageRecord:
        """Return the record of a plain text or Markdown with its text. Its links are not read."""
        decoded = decode_html(exchange.body, exchange.header("Content-Type") or "", host=host_of(exchange.url))
        how = structs.replace(
            reading_of(self._settings, self._media, record, url=exchange.url, encoding=decoded.encoding),
            plain_type=record.content_type,
        )
        try:
            facts = self._parser.read(decoded.html, how, is_stopped=is_stopped).facts
        except TooExpensiveError as error:
            return structs.replace(record, detail=str(error))
        return structs.replace(record, charset=decoded.encoding, facts=facts, rules_hash=self._rules_hash)

    def _other_than_html(self, record: PageRecord, exchange: Exchange) -> PageRecord | None:
        """Return the record of a response without HTML; None if it has some."""
        if _is_file(record, exchange.body):
            detail = f"its response is {record.content_type or 'no HTML'}"
            return structs.replace(record, state=UrlState.SKIPPED, reason=Reason.ASSET, detail=detail)
        if exchange.is_stream and is_document_response(record.content_type, b""):
            return self._known.document(structs.replace(record, detail=""))
        if not exchange.body.strip() and not (exchange.is_partial and may_be_html(exchange)):
            return structs.replace(record, reason=Reason.NOT_HTML if exchange.is_stream else Reason.EMPTY)
        if is_document_response(record.content_type, exchange.body):
            return self._known.document(record)
        if exchange.body and not _is_html(record.content_type, exchange.body):
            shape = json_shape(exchange.body) if is_json(record.content_type) else 0
            return structs.replace(record, reason=Reason.NOT_HTML, json_shape=shape)
        return None

    def has_values(self, before: PageRecord) -> bool:
        """Return whether a record has the values and the text that this crawl reads."""
        is_text = before.content_type in PLAIN_TYPES and before.reason is Reason.NOT_HTML and before.decoded_bytes > 0
        if is_text and before.facts is None and not before.detail:
            return False  # an earlier version stored it
        return before.facts is None or before.rules_hash == self._rules_hash

    def is_certain(self, item: JobItem) -> bool:
        """Return whether a page is rendered whatever its HTML is like."""
        return self._settings.render.is_certain(is_root=item.key == self._root)


def rules_hash(settings: CrawlSettings) -> str:
    """Return what identifies how a crawl reads values and text. A page that was read in another way is read again."""
    rules = extractor_of(settings.extract).hash
    return rules if settings.text is TextChoice.MAIN else f"{rules}/{settings.text}"


def reading_of(settings: CrawlSettings, media: MediaRules, record: PageRecord, *, url: str, encoding: str) -> Reading:
    """Return how a crawl reads the page at `url`, whose headers are those of `record`."""
    return Reading(
        url=url,
        encoding=encoding,
        max_links=settings.max_links,
        max_url_length=settings.max_url_length,
        detect=settings.render.detect,
        trackers=settings.render.block.hosts,
        search=media.search,
        rules=settings.extract,
        text=settings.text,
        alternates=record.header_alternates,
        refresh=record.header_refresh,
        product=settings.robots_product,
        cpu_seconds=settings.max_page_cpu,
    )


def is_content_cut(
    links: tuple[Link, ...],
    media: tuple[MediaReference, ...] | None,
    resources: tuple[ResourceReference, ...] | None,
    *,
    most: int,
) -> bool:
    """Return whether references of a page may have been left out. `most`: assets, and resources, of one page."""
    return (
        link_filter.are_cut(links) or references.are_cut(media, most=most) or references.are_cut(resources, most=most)
    )


def why_unrendered(item: JobItem, *, is_shell: bool, is_certain: bool) -> str:
    """Return why a page is not rendered that is a shell, or that is rendered for certain; "" if it need not be."""
    if item.failing:
        return FAILING if is_shell else ""
    return OVER_BUDGET if item.over_budget and (is_shell or is_certain) else ""


def rendered_next(record: PageRecord, reason: Reason = Reason.RENDER) -> PageRecord:
    """Return the record of a fetched page that a browser renders next, or `RENDER_SAMPLE` may."""
    return structs.replace(record, state=UrlState.DEFERRED, reason=reason)


def _is_file(record: PageRecord, body: bytes) -> bool:
    """Return whether a response is that of a file, as the name says. Documents are known by their content."""
    is_named_so = is_asset(record.url.partition("?")[0])
    return (
        is_named_so and not is_document_response(record.content_type, body) and not _is_html(record.content_type, body)
    )


def _is_html(content_type: str, body: bytes) -> bool:
    if content_type:
        return content_type in HTML_TYPES
    return body[:512].lstrip(b"\xef\xbb\xbf \t\r\n\f").lower().startswith(_HTML_STARTS)
