"""The pages that a site knows from earlier crawls, as seeds of a crawl that requests some of them."""

from collections.abc import Iterator, Mapping
from sys import intern

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.recrawl.history import ChangeRates, skip_of
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.ports.page_memories import PageMemories


def known_pages(
    crawl: CrawlId,
    rules: SiteRules,
    memories: PageMemories,
    *,
    listing: SitemapListing | None,
    wave: int,
    now: float,
) -> Iterator[FoundUrl]:
    """Yield the site's known pages, by depth; those that are not due as of `now` with a reason to skip them.

    The memory is read twice: for the change rates, then for the pages. Pages that are out of scope now, or whose url
    key has changed with the settings, are left out.
    """
    settings = rules.settings
    rates = ChangeRates(settings=settings.recrawl)
    rates.add(memories.histories(crawl))
    lastmods = _trusted_dates(crawl, rules, memories, listing)
    for page in memories.histories(crawl):
        if page.deleted_at:
            continue
        target = rules.links.target(page.url)
        if target is None or target.skip or target.page.key != page.key or page.depth > settings.max_depth:
            continue
        skip = skip_of(page, rates, settings.mode, now=now, lastmods=lastmods)
        yield FoundUrl(
            url=page.url,
            key=page.key,
            depth=page.depth,
            parent=NO_PARENT,
            found_by=FoundBy.MEMORY,
            phase=Phase.BFS,
            wave=wave,
            skip=skip.reason,
            detail=intern(skip.detail),  # one of a few days
        )


def _trusted_dates(
    crawl: CrawlId, rules: SiteRules, memories: PageMemories, listing: SitemapListing | None
) -> Mapping[str, str]:
    """Return the dates of sitemaps and feeds by url key; none if the crawl does not use them or they were wrong."""
    settings = rules.settings
    if settings.mode is not Mode.CHANGED_ONLY or listing is None:
        return {}
    if memories.lastmod_trust(crawl).share < settings.recrawl.min_lastmod_trust:
        return {}
    return {entry.key: entry.lastmod for entry in listing.entries if entry.lastmod}
