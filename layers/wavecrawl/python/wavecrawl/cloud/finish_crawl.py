"""The results of a crawl in the cloud: built in the function's own folder, published to S3."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from wavecrawl import __version__
from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.application.finish_crawl import FinishPorts, finish_crawl
from wavecrawl.application.wacz_package import Packing
from wavecrawl.bootstrap.cloud import SCRATCH, Cloud
from wavecrawl.cloud.charging import charge_ending
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow


def finish_in_cloud(cloud: Cloud, crawl: CrawlRow) -> CrawlSummary:
    """Build and publish a crawl's results, mark it finished, charge it with what that took."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    charge_ending(cloud.meter)
    with TemporaryDirectory(dir=SCRATCH) as name:
        folder = SCRATCH / name / "exports"
        ports = _ports(cloud, scratch=SCRATCH / name)
        summary = finish_crawl(
            crawl,
            ports,
            analytics=DuckDbAnalytics(),
            folder=folder,
            version=__version__,
            packing=Packing(packer=WaczPacker(ports.archive), most_bytes=cloud.settings.wacz_mb * 1_000_000),
            publish=partial(cloud.exports.publish, crawl.id),
        )
    if crawl.status is not CrawlStatus.RUNNING:
        cloud.meter.take()  # a repeat is charged to nobody, and to no other crawl either
    if summary is None:
        raise CorruptDataError(f"crawl {crawl.id} has no summary")
    return summary


def _ports(cloud: Cloud, *, scratch: Path) -> FinishPorts:
    return FinishPorts(
        crawls=cloud.crawls,
        batches=cloud.batches,
        waves=cloud.waves,
        archive=S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=scratch),
        objects=cloud.objects,
        memories=cloud.memories,
        clock=cloud.clock,
        meter=cloud.meter,
        log=cloud.event_log,
    )
