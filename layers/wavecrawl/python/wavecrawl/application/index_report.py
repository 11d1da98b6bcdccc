"""What the knowledge index of a site is made of, and whether a run is due, goes on or has failed."""

import msgspec

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.knowledge import CrawlTexts, IndexRun, IndexState, KnowledgePorts

_LOOKED_AT = 100  # newest crawls of a site


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a site's index."""

    status: IndexStatus
    can_search: bool  # whether there are texts to search in, if only of an earlier crawl
    crawl: str = ""  # the crawl whose texts were indexed last; "" = none, or unknown
    next: CrawlRow | None = None  # the crawl whose texts are missing
    pages: int = 0  # pages of `next` that were compared or indexed
    message: str = ""  # for people


def wanted_crawl(site: SiteId, crawls: Crawls) -> CrawlRow | None:
    """Return the newest crawl of a site whose texts are to be indexed: it has results, and its settings say so."""
    rows = crawls.of_site(site.tenant, site.site, limit=_LOOKED_AT)
    return next((row for row in rows if row.has_results and has_texts_to_index(row.settings)), None)


def has_texts_to_index(settings: CrawlSettings) -> bool:
    """Return whether the settings of a crawl say that its texts are indexed. The index keeps those of earlier ones."""
    return settings.knowledge.enabled and settings.text is not TextChoice.NONE


def texts_of(crawl: CrawlRow) -> CrawlTexts:
    """Return what identifies the texts of a crawl."""
    return CrawlTexts(crawl=crawl.id.crawl, resumes=crawl.resumes)


def index_report(site: SiteId, crawls: Crawls, ports: KnowledgePorts) -> IndexReport:
    """Return the state of a site's index."""
    state, wanted = ports.passages.state(site), wanted_crawl(site, crawls)
    can_search = state is not None and (state.is_whole or _has_part(state.run, site, ports))
    crawl = state.made_of.crawl if state is not None and state.made_of is not None else ""
    if wanted is None or _has(state, wanted):
        status = IndexStatus.CURRENT if can_search else IndexStatus.OFF
        message = (
            "" if can_search else f"site {site.site} has no knowledge index: no crawl with results has turned it on"
        )
        return IndexReport(status=status, can_search=can_search, crawl=crawl, message=message)
    run = state.run if state is not None and state.run is not None and state.run.texts == texts_of(wanted) else None
    if run is None and ports.missing:
        message = f"site {site.site} has no knowledge index: {ports.missing}, then run `wavecrawl index`"
        return IndexReport(status=IndexStatus.OFF, can_search=can_search, crawl=crawl, next=wanted, message=message)
    status, message = _progress(run, wanted)
    pages = run.pages if run else 0
    return IndexReport(status=status, can_search=can_search, crawl=crawl, next=wanted, pages=pages, message=message)


def _has(state: IndexState | None, wanted: CrawlRow) -> bool:
    """Return whether an index has the texts of a crawl, or of a newer one."""
    return state is not None and state.made_of is not None and state.made_of >= texts_of(wanted)


def _has_part(run: IndexRun | None, site: SiteId, ports: KnowledgePorts) -> bool:
    """Return whether a first run has failed after it had indexed pages."""
    return run is not None and bool(run.problem) and bool(ports.passages.hashes(site))


def _progress(run: IndexRun | None, wanted: CrawlRow) -> tuple[IndexStatus, str]:
    """Return the status and the message for a crawl whose texts are missing."""
    if run is None:
        return IndexStatus.WAITING, f"the search index of crawl {wanted.id.crawl} is not built yet"
    if run.problem:
        return IndexStatus.FAILED, f"the search index of crawl {wanted.id.crawl} is not built: {run.problem}"
    built = f"{run.pages:,} pages done"
    return IndexStatus.BUILDING, f"the search index of crawl {wanted.id.crawl} is being built, {built}"
