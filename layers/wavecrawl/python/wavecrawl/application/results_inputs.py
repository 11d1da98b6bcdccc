"""The inputs of a crawl's results, of all its parts or of those so far."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wavecrawl.application.sitemap_listing import SitemapListing
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.site_changes import SiteChanges
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.graph.completeness import SiteBlocker, unread_sitemaps
from wavecrawl.domain.urls.url import Identity
from wavecrawl.ports.analytics import AnalyticsInputs, CrawlFacts, EarlierCrawl, Kept, SitemapEntryLine, SitemapLine
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.parts import Table
from wavecrawl.version import __version__


def facts_of(
    crawl: CrawlRow, *, status: CrawlStatus, stopped: str, finished_at: float, usage: Usage | None = None
) -> CrawlFacts:
    """Return the facts of a crawl. `finished_at`: Unix seconds; of a running crawl, now."""
    # as JSON has them, so that they equal those of stored summaries: `to_builtins` keeps tuples
    settings: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(crawl.settings))
    del settings["urls"]  # stored elsewhere (`application.url_list`); the ledger names them
    return CrawlFacts(
        crawl=crawl.id.crawl,
        site=crawl.id.site,
        root_url=crawl.root_url or crawl.start_url,
        root_key=root_key(crawl),
        status=status.value,
        stopped=stopped,
        started_at=crawl.started_at,
        finished_at=finished_at,
        settings=settings,
        version=__version__,
        follow_nofollow=crawl.settings.follow_nofollow,
        authenticated=crawl.authenticated,
        usage=usage or Usage(),
    )


def inputs_of(
    facts: CrawlFacts,
    listing: SitemapListing | None,
    *,
    parts: Mapping[Table, Sequence[Path]],
    folder: Path,
    entries: Iterable[SitemapEntryLine] = (),
    changes: SiteChanges | None = None,
    earlier: EarlierCrawl | None = None,
    listed: Kept | None = None,
    screenshot: Callable[[str], bytes | None] = lambda _: None,
) -> AnalyticsInputs:
    """Return the inputs of results from these parts, to be written into `folder`.

    `listing`: None if the crawl has not looked for sitemaps. `entries`: those of all sitemap files.
    `changes`: since the site's last crawl; None if there is nothing to compare with. `earlier`: that crawl.
    `listed`: where the lists of these changes are kept.
    `screenshot`: returns the screenshot with a name.
    """
    found = listing or SitemapListing()
    return AnalyticsInputs(
        parts=parts,
        sitemap=(SitemapLine(key=e.key, url=e.url, lastmod=e.lastmod, sitemap=e.sitemap) for e in found.entries),
        entries=entries,
        notices=found.notices,
        sitemaps=len(found.files),
        blockers=blockers_of_sitemaps(facts, listing),
        crawl=facts,
        changes=changes,
        earlier=earlier,
        listed=listed or Kept(),
        folder=folder,
        screenshot=screenshot,
    )


def blockers_of_sitemaps(facts: CrawlFacts, listing: SitemapListing | None) -> tuple[SiteBlocker, ...]:
    """Return what a crawl has not read of the sitemaps of its site."""
    if listing is not None:
        return listing.unread(facts.root_url)
    discovery = Discovery(str(facts.settings["discovery"]))
    blocker = unread_sitemaps(discovery, stopped=Reason(facts.stopped))
    return (SiteBlocker(subject=facts.root_url, blocker=blocker),)


def root_key(crawl: CrawlRow) -> str:
    """Return the url key of the crawl's root."""
    identity = Identity.of(crawl.settings)
    return identity.page_url(crawl.root_url or crawl.start_url).key
