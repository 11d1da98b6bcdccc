"""What the requests of a crawl carry, if its site has credentials."""

from wavecrawl.domain.sites.authentication import Authentication, OwnHosts
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.credentials import Credentials


def authentication_of(crawl: CrawlRow, credentials: Credentials) -> Authentication | None:
    """Return what requests of a crawl carry; None if its site had no credentials when it started, or has none now."""
    if not crawl.authenticated:
        return None
    found = credentials.read(crawl.id.tenant, crawl.id.site)
    if found is None:
        return None
    return Authentication(credentials=found, hosts=OwnHosts(crawl.start_url, crawl.settings.scope.mode))
