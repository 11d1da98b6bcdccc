"""How `wavecrawl serve` indexes sites in the background."""

import logging

from wavecrawl.adapters.embedded.index_jobs import IndexJobs
from wavecrawl.application.index_report import index_report, texts_of, wanted_crawl
from wavecrawl.application.index_site import note_problem
from wavecrawl.bootstrap.index_process import command
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.index_status import IndexStatus
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import WavecrawlError

logger = logging.getLogger(__name__)


def index_jobs(store: LocalStore) -> IndexJobs:
    """Return what runs the processes that index."""

    def give_up(site: SiteId, problem: str) -> None:
        row = wanted_crawl(site, store.crawls)
        if row is not None:
            note_problem(site, texts_of(row), problem, store.knowledge)

    return IndexJobs(
        command=lambda site: command(store.root, site, memory_mb=store.settings.index_mb),
        give_up=give_up,
        most=store.settings.most_indexings,
    )


def request_if_due(crawl: CrawlId, store: LocalStore) -> None:
    """Request that a crawl that has ended is indexed, if its texts are missing in the index."""
    site = SiteId(tenant=crawl.tenant, site=crawl.site)
    try:
        report = index_report(site, store.crawls, store.knowledge)
    except WavecrawlError:
        logger.exception("cannot determine whether site %s is to be indexed", site.site)
        return
    if report.status in (IndexStatus.WAITING, IndexStatus.BUILDING):
        store.index_requests.renew(site)
