"""The brand of a saved site."""

from wavecrawl.domain.brand.brand import Brand
from wavecrawl.domain.brand.merging import with_set_values
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.sites import SiteRow

LATEST = 5
"""The latest crawls of a site whose results are searched for a brand."""


def site_brand(site: SiteRow, ports: Ports) -> tuple[Brand, str | None]:
    """Return the brand of a site, and the id of the latest crawl that found one, None if none of them did.

    What a person set comes first. Crawls never change it: it is stored with the site, and theirs with their results.
    """
    for crawl in ports.crawls.of_site(site.tenant, site.site, limit=LATEST):
        found = _found_by(crawl, ports)
        if found is not None:
            return with_set_values(found, site.brand), crawl.id.crawl
    return with_set_values(None, site.brand), None


def _found_by(crawl: CrawlRow, ports: Ports) -> Brand | None:
    if not crawl.has_results:
        return None
    try:
        return ports.results.statistics(crawl.id).brand
    except NotFoundError:  # no results were made, or they are deleted
        return None
