"""What an ended crawl shows of pages that it did not find."""

from collections.abc import Iterator, Sequence

from wavecrawl.application.crawl_state import StateSummary
from wavecrawl.application.results_inputs import blockers_of_sitemaps, root_key
from wavecrawl.application.sitemap_files import decode_file, name_of_file
from wavecrawl.application.sitemap_listing import SitemapListing, load_files
from wavecrawl.domain.crawl.site_changes import requests_since
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.graph.completeness import SiteBlocker, unread_sitemap
from wavecrawl.domain.recrawl.reach import Reach
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import CrawlFacts
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import CrawlEnd

_LOOKED_AT = 3  # earlier crawls whose sitemaps are looked for


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
    dropped = _dropped_sitemaps(crawl, listing or SitemapListing(), earlier, objects)
    return CrawlEnd(
        facts=facts,
        blockers=(*blockers_of_sitemaps(facts, listing), *dropped),
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
    identity = Identity.of(crawl.settings)
    found = ((row, load_files(objects, row.id)) for row in earlier[:_LOOKED_AT])
    before, files = next(((row, files) for row, files in found if files), (crawl, ()))
    read = {*listing.files}
    missing = [url for url in files if url not in read and objects.get(crawl.id, name_of_file(url, identity)) is None]
    if not missing:
        return
    names = [name_of_file(url, identity) for url in files if url in read]
    stored = (decode_file(data, url=before.root_url, crawl=before.id) for data in objects.get_many(before.id, names))
    in_index = {child.loc for file in stored if file.content is not None for child in file.content.children}
    for url in missing:
        if url not in in_index:
            yield SiteBlocker(subject=url, blocker=unread_sitemap("no longer named"))
