"""The rules of a crawl for planner and workers: scope, URL identity, robots.txt."""

from msgspec import Struct

from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.politeness.sender import Sender
from wavecrawl.domain.sites.authentication import OwnHosts
from wavecrawl.domain.urls.link_filter import LinkFilter
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity, PageUrl
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_client import PageClient
from wavecrawl.ports.robots_cache import RobotsCache


class SiteRules(Struct, frozen=True, kw_only=True):
    """The root, the scope, the identity of URLs and the robots.txt of a site."""

    root: PageUrl
    identity: Identity
    settings: CrawlSettings
    links: LinkFilter
    media: MediaRules
    robots: RobotsGate
    sender: Sender


def site_rules(crawl: CrawlRow, *, client: PageClient | None, cache: RobotsCache, clock: Clock) -> SiteRules:
    """Return the rules of a crawl. Until its root URL is known, its start URL counts as the root.

    Without a client, only cached robots.txt files are used.
    """
    settings = crawl.settings
    identity = Identity.of(settings)
    root = identity.page_url(crawl.root_url or crawl.start_url)
    scope = Scope(root, settings.scope)
    return SiteRules(
        root=root,
        identity=identity,
        settings=settings,
        links=LinkFilter(scope, identity, max_length=settings.max_url_length),
        media=MediaRules(
            scope,
            identity,
            settings.media,
            max_length=settings.max_url_length,
            resources=settings.checks.resources,
            archive=settings.archive,
        ),
        robots=RobotsGate(client=client, cache=cache, clock=clock, settings=settings),
        sender=sender_of(crawl),
    )


def sender_of(crawl: CrawlRow) -> Sender:
    """Return as whom hosts see the requests of a crawl."""
    settings = crawl.settings
    return Sender(
        tenant=crawl.id.tenant,
        site=crawl.id.site,
        suffix=settings.user_agent_suffix,
        own_hosts=OwnHosts(crawl.start_url, settings.scope.mode) if crawl.authenticated else None,
    )
