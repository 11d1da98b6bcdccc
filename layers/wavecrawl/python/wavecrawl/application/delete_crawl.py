"""Delete a crawl with everything stored of it."""

from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError
from wavecrawl.ports.crawls import CrawlRow, Crawls
from wavecrawl.ports.erasure import Erasure


def delete_crawl(crawl: CrawlRow, *, crawls: Crawls, erasure: Erasure) -> None:
    """Delete a crawl. Its row goes last: whoever dies on the way leaves a crawl that can be deleted again.

    Raise ConflictError where the crawl is running.
    """
    if crawl.status is CrawlStatus.RUNNING:
        raise ConflictError(f"crawl {crawl.id.crawl} is running; cancel it, and delete it when it has ended")
    erasure.erase(crawl.id)
    crawls.delete(crawl.id)
