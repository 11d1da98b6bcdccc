"""What an ended crawl shows of pages that it did not find."""

from collections.abc import Iterator, Sequence

from wavecrawl.application.crawl_state import StateSummary
from wavecrawl.application.results_inputs import blockers_of_sitemaps, root_key
from wavecrawl.application.sitemap_files import decode_file, name_of_file
from wavecrawl.application.sitemap_listing import SitemapListing, load_files
from wavecrawl.domain.crawl.site_changes import requests_since
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.graph.completeness import SiteBlocker, emptied_sitemap, unread_sitemap
from wavecrawl.domain.recrawl.reach import Reach
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapKind
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import CrawlFacts
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import CrawlEnd

_LOOKED_AT = 3  # earlier crawls whose sitemaps are looked for
_NOTHING = SitemapContent(kind=SitemapKind.UNKNOWN)


def crawl_end(
    crawl: CrawlRow,
    facts: CrawlFacts,
    ending: StateSummary,
    listing: SitemapListing | None,
    *,
    earlier: Sequence[CrawlRow],
    objects: Objects,
) -> CrawlEnd:
    """Return the end of a crawl. `listing`: None if it has not looked for sitemaps. `earlier`: the newest first."""
    reach = reach_of(crawl)
    before = earlier[0] if earlier else None
    found = listing or SitemapListing()
    dropped = _dropped_sitemaps(crawl, found, earlier, objects)
    emptied = _emptied_sitemaps(crawl, found, earlier, objects)
    return CrawlEnd(
        facts=facts,
        blockers=(*blockers_of_sitemaps(facts, listing), *dropped, *emptied),
        since=since(crawl, before),
        reach=reach,
        sees_all=facts.status == CrawlStatus.COMPLETED and not ending.stopped and reach.is_whole,
        earlier_reach="" if before is None else str(reach_of(before)),
        earlier_since=0.0 if before is None else requests_since(before.started_at, 0.0),
    )


def reach_of(crawl: CrawlRow, *, media: bool = False) -> Reach:
    """Return what a crawl can find: pages, or media."""
    return Reach.of(crawl.settings, root_key=root_key(crawl), authenticated=crawl.authenticated, media=media)


def since(crawl: CrawlRow, before: CrawlRow | None) -> float:
    """Return the Unix seconds from which on requests may belong to a crawl. `before`: the site's crawl before it."""
    return requests_since(crawl.started_at, 0.0 if before is None else before.finished_at)


def _dropped_sitemaps(
    crawl: CrawlRow, listing: SitemapListing, earlier: Sequence[CrawlRow], objects: Objects
) -> Iterator[SiteBlocker]:
    """Yield the sitemaps that an earlier crawl read, and that neither robots.txt nor an index names any more.

    They may still exist: a robots.txt that is an error page names none. A file that was requested in vain, or that was
    left out of an index which was read, is not one of them.
    """
    before, files = _earlier_files(earlier, objects)
    read, identity = {*listing.files}, Identity.of(crawl.settings)
    missing = [url for url in files if url not in read and objects.get(crawl.id, name_of_file(url, identity)) is None]
    if not missing:
        return
    named = [url for url in files if url in read]
    in_index = {child.loc for content in _contents(before, named, identity, objects) for child in content.children}
    for url in missing:
        if url not in in_index:
            yield SiteBlocker(subject=url, blocker=unread_sitemap("no longer named"))


def _emptied_sitemaps(
    crawl: CrawlRow, listing: SitemapListing, earlier: Sequence[CrawlRow], objects: Objects
) -> Iterator[SiteBlocker]:
    """Yield the sitemaps that name nothing, and named several URLs when an earlier crawl read them last.

    A program that makes sitemaps may fail in this way. If the next crawl reads the same, they are taken as they are.
    """
    before, files = _earlier_files(earlier, objects)
    read, identity = {*listing.files}, Identity.of(crawl.settings)
    with_entries = {entry.sitemap for entry in listing.entries}
    some = [url for url in files if url in read and url not in with_entries]
    now = zip(some, _contents(crawl, some, identity, objects), strict=True)
    empty = [url for url, content in now if not (content.entries or content.children)]
    for url, content in zip(empty, _contents(before, empty, identity, objects), strict=True):
        if len(content.entries) + len(content.children) > 1:
            yield SiteBlocker(subject=url, blocker=emptied_sitemap())


def _earlier_files(earlier: Sequence[CrawlRow], objects: Objects) -> tuple[CrawlRow | None, tuple[str, ...]]:
    """Return the last of a few earlier crawls that has read sitemaps, and the URLs of these."""
    found = ((row, load_files(objects, row.id)) for row in earlier[:_LOOKED_AT])
    return next(((row, files) for row, files in found if files), (None, ()))


def _contents(
    crawl: CrawlRow | None, urls: Sequence[str], identity: Identity, objects: Objects
) -> Iterator[SitemapContent]:
    """Yield the contents of sitemaps that a crawl has read."""
    if crawl is None:
        return
    names = [name_of_file(url, identity) for url in urls]
    for url, data in zip(urls, objects.get_many(crawl.id, names), strict=True):
        yield decode_file(data, url=url, crawl=crawl.id).content or _NOTHING
