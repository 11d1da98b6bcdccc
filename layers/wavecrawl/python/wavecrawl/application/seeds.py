"""Seeds: URLs that join the frontier without a link, from the root, a list or the sitemaps."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from msgspec import structs

from wavecrawl.application.root_failure import FROM_THE_ROOT
from wavecrawl.application.site_rules import SiteRules
from wavecrawl.application.sitemap_listing import ListedUrl
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.urls.cut_urls import is_cut


def seeds_for(
    phase: Phase,
    wave: int,
    rules: SiteRules,
    *,
    urls: Callable[[], Iterable[str]],
    listed: Callable[[], tuple[Iterable[ListedUrl], Iterable[ListedUrl]]],
    known: Callable[[], Iterable[FoundUrl]],
    deepest: int,
) -> Iterator[FoundUrl]:
    """Yield the seeds that join the frontier before `wave` is planned, in crawl order.

    `urls` loads the URLs of discovery `list`, `listed` those of the sitemaps and those of feeds, and `known` those of
    earlier crawls (`application.known_pages`), if they are needed. `deepest` is the
    depth of the deepest URL tried in the bfs phase: URLs that only sitemaps list are one level below.
    """
    seed = partial(FoundUrl, parent=NO_PARENT, phase=phase, wave=wave)
    discovery = rules.settings.discovery
    if wave == 1:
        if discovery in FROM_THE_ROOT:
            yield seed(url=rules.root.url, key=rules.root.key, depth=0, found_by=FoundBy.ROOT)
        if discovery is Discovery.LIST:
            for target in map(rules.links.target, urls()):
                if target is not None:  # listed URLs are crawled even if they are out of scope
                    skip = Reason.TOO_LONG if is_cut(target.page.url) else Reason.NONE
                    yield seed(url=target.page.url, key=target.page.key, depth=0, found_by=FoundBy.LIST, skip=skip)
        if discovery is not Discovery.LIST or rules.settings.mode is not Mode.FULL:
            yield from known()  # of mode `full`: the pages in quarantine, but not if a list names what to request
    depth = 0 if discovery is Discovery.SITEMAP_ONLY else deepest + 1
    if phase is Phase.SITEMAP or (wave == 1 and discovery in (Discovery.SITEMAP_FIRST, Discovery.SITEMAP_ONLY)):
        for found_by, entries in zip((FoundBy.SITEMAP, FoundBy.FEED), listed(), strict=True):
            for entry in entries:
                found = seed(url=entry.url, key=entry.key, depth=depth, found_by=found_by, skip=entry.skip)
                yield structs.replace(found, lastmod=entry.lastmod)
