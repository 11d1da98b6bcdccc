"""The page client of a process."""

from wavecrawl import __version__
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.crawl.settings import CrawlSettings

MOST_THREADS = 64  # connections a page client keeps to one host


def user_agent(settings: CrawlSettings) -> str:
    """Return the User-Agent: product, version, and whom to ask (design 8)."""
    product = f"wavecrawl/{__version__}"
    return f"{product} (+{settings.contact})" if settings.contact else product


def page_client(settings: CrawlSettings) -> RequestsPageClient:
    """Build the page client of one process."""
    return RequestsPageClient(
        user_agent=user_agent(settings), allowed=settings.allowed_addresses, pool_size=MOST_THREADS
    )
