"""The end of a crawl: results are built in a temporary folder and uploaded to S3."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from tempfile import TemporaryDirectory

from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.analytics.database import one_instance
from wavecrawl.adapters.analytics.part_writer import DuckDbPartWriter
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.aws.scratch import SCRATCH
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.application import finish_crawl as use_case
from wavecrawl.application.finish_crawl import Building
from wavecrawl.application.fold_wave import fold_ports
from wavecrawl.application.index_report import has_texts_to_index
from wavecrawl.application.make_files import make_files
from wavecrawl.application.wacz_package import PACKAGE, Packing
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_ending, charged_on_error
from wavecrawl.cloud.metrics import measure_crawl
from wavecrawl.cloud.root_failed import fail_for_its_root
from wavecrawl.cloud.step_input import OpenTask
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import CorruptDataError, RootFailedError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.telemetry import logger


def finish_task(cloud: Cloud, task: OpenTask) -> dict[str, object]:
    """Finish a crawl, unless it was resumed since the execution started; return its status and its number of pages."""
    crawl = cloud.crawl(task.crawl)
    if not crawl.status.has_ended and (task.files or task.run != crawl.resumes):
        logger.info("results not made: the crawl was resumed")
        return {"status": crawl.status.value, "pages": 0}
    if task.files:
        return _make_files(cloud, crawl, task.files)
    try:
        with charged_on_error(cloud, task.crawl):
            summary = finish_crawl(cloud, crawl)
    except RootFailedError as error:
        fail_for_its_root(cloud, crawl.id, str(error))
        return {"status": CrawlStatus.FAILED.value, "pages": 0}
    measure_crawl(summary)
    for notice in summary.notices:
        if notice.subject == PACKAGE:
            logger.warning("a result is missing", result=PACKAGE, reason=notice.message)
    if cloud.settings.indexes and has_texts_to_index(crawl.settings):
        cloud.indexing.index(crawl.id)
    logger.info("crawl finished", status=summary.status, pages=summary.pages, urls=summary.urls)
    return {"status": summary.status, "pages": summary.pages}


def finish_crawl(cloud: Cloud, crawl: CrawlRow) -> CrawlSummary:
    """Build and publish a crawl's results, mark it finished, charge it for that; return the summary of the results."""
    charge_ending(cloud.meter)
    with _building(cloud, crawl) as building:
        summary = use_case.finish_crawl(crawl, cloud, building)
    if crawl.status.has_ended:
        cloud.meter.take()  # a repeat is not charged, and must not be charged to the next crawl
    cloud.launcher.launch(crawl.id)
    if summary is None:
        raise CorruptDataError(f"crawl {crawl.id} has no summary")
    return summary


def _make_files(cloud: Cloud, crawl: CrawlRow, files: Sequence[ResultFile]) -> dict[str, object]:
    """Make and publish result files of an ended crawl, without a charge; return as `finish_task`."""
    try:
        with _building(cloud, crawl) as building:
            for notice in make_files(crawl, cloud, building, files):
                logger.warning("a result is missing", result=notice.subject, reason=notice.message)
    finally:
        cloud.meter.take()  # it must not be charged to the next crawl
    logger.info("result files made", files=sorted(files))
    return {"status": crawl.status.value, "pages": 0}


@contextmanager
def _building(cloud: Cloud, crawl: CrawlRow) -> Iterator[Building]:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=SCRATCH) as name, one_instance(SCRATCH / name / "spill"):
        scratch = SCRATCH / name
        archive = S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=scratch)
        parts = S3Parts(cloud.bucket, cloud.catalog, scratch=scratch)

        def existing() -> frozenset[str]:
            return frozenset(one.name for one in cloud.exports.of(crawl.id))

        yield Building(
            analytics=DuckDbAnalytics(),
            folding=fold_ports(cloud, DuckDbPartWriter(), scratch=scratch, archive=archive, parts=parts),
            folder=scratch / "exports",
            packing=Packing(
                packer=WaczPacker(archive, cloud.screenshots, cloud.media),
                most_bytes=cloud.settings.wacz_mb * 1_000_000,
            ),
            existing=existing,
            rebuild=crawl.status.has_ended and bool(existing()),
            publish=partial(cloud.exports.publish, crawl.id),
            fetch=cloud.exports.fetch,
        )
