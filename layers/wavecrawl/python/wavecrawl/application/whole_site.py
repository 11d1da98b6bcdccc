"""Whether a crawl has seen the whole site, so that pages it did not find no longer exist."""

from wavecrawl.application.crawl_state import CrawlStates, StateSummary
from wavecrawl.application.sitemap_listing import SitemapListing, load_listing
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects


def is_whole_site(crawl: CrawlRow, objects: Objects) -> bool:
    """Return whether an ended crawl requested all pages of its site."""
    listing = load_listing(objects, crawl.id) or SitemapListing()
    return is_whole(crawl.settings, crawl.status, CrawlStates(objects).summary(crawl.id), listing)


def is_whole(settings: CrawlSettings, status: str, ending: StateSummary, listing: SitemapListing) -> bool:
    """Return whether a crawl requested all pages of its site.

    No setting, limit or cancellation ended it earlier, and all of the site's sitemaps were read.
    """
    follows_all = settings.mode is Mode.FULL and settings.discovery in (Discovery.LINKS_FIRST, Discovery.SITEMAP_FIRST)
    return status == CrawlStatus.COMPLETED and not ending.stopped and follows_all and not listing.unread("")
