"""The pages that a site knows from earlier crawls, as seeds of a crawl that requests some of them."""

from collections.abc import Iterator, Mapping
from sys import intern

from msgspec.structs import replace

from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.recrawl.history import ChangeRates, PageHistory, is_outage, skip_of
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings
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

    Mode `full` requests all pages but those in quarantine, so only these are yielded. For the other modes, the memory
    is read twice: for the change rates, then for the pages. Pages that are out of scope now, or whose url key has
    changed with the settings, are left out.
    """
    settings = rules.settings
    recrawl = _recrawl_settings(crawl, settings.recrawl, memories)
    rates = ChangeRates(settings=recrawl)
    if settings.mode is Mode.FULL:
        pages = memories.histories(crawl, failures=recrawl.quarantine_after) if recrawl.quarantine_after else iter(())
    else:
        rates.add(memories.histories(crawl))
        pages = memories.histories(crawl)
    lastmods = _trusted_dates(crawl, rules, memories, listing)
    for page in pages:
        if page.deleted_at:
            continue
        target = rules.links.target(page.url)
        is_out = target is not None and target.skip not in (Reason.NONE, Reason.ASSET)  # the page was read
        if target is None or is_out or target.page.key != page.key or page.depth > settings.max_depth:
            continue
        skip = skip_of(page, rates, settings.mode, now=now, lastmods=lastmods)
        if settings.mode is Mode.FULL and not skip.reason:
            continue
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


def _recrawl_settings(crawl: CrawlId, settings: RecrawlSettings, memories: PageMemories) -> RecrawlSettings:
    """Return the settings for known pages: without quarantine if the whole site failed, not single pages."""
    if not settings.quarantine_after:
        return settings
    failing = sum(map(_exists, memories.histories(crawl, failures=settings.quarantine_after)))
    if failing and is_outage(failing, pages=sum(map(_exists, memories.histories(crawl)))):
        return replace(settings, quarantine_after=0)
    return settings


def _exists(page: PageHistory) -> bool:
    return not page.deleted_at


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
