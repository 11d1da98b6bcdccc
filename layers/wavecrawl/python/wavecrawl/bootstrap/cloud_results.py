"""The results of a crawl in the cloud: built in the function's own folder, published to S3."""

from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from wavecrawl import __version__
from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.application.finish_crawl import FinishPorts, finish_crawl
from wavecrawl.application.packing import Packing
from wavecrawl.bootstrap.cloud import SCRATCH, Cloud
from wavecrawl.bootstrap.cloud_charges import SETUP, charge_ending
from wavecrawl.domain.bill import Usage
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.meter import Meter


def finish_in_cloud(cloud: Cloud, crawl: CrawlRow) -> CrawlSummary:
    """Build and publish a crawl's results, mark it finished, charge it with what that took."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    charge_ending(cloud.meter)
    meter = _Remembering(cloud.meter)
    with TemporaryDirectory(dir=SCRATCH) as name:
        folder = SCRATCH / name / "exports"
        ports = _ports(cloud, meter, scratch=SCRATCH / name)
        summary = finish_crawl(
            crawl,
            ports,
            analytics=DuckDbAnalytics(),
            folder=folder,
            version=__version__,
            packing=Packing(packer=WaczPacker(ports.archive), most_bytes=cloud.settings.wacz_mb * 1_000_000),
            publish=partial(cloud.exports.publish, crawl.id),
        )
    meter.take()
    cloud.waves.add_usage(crawl.id, SETUP, meter.taken)
    if summary is None:
        raise CorruptDataError(f"crawl {crawl.id} has no summary")
    return summary


def _ports(cloud: Cloud, meter: Meter, *, scratch: Path) -> FinishPorts:
    return FinishPorts(
        crawls=cloud.crawls,
        batches=cloud.batches,
        waves=cloud.waves,
        archive=S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=scratch),
        objects=cloud.objects,
        memories=cloud.memories,
        clock=cloud.clock,
        meter=meter,
        log=cloud.event_log,
    )


class _Remembering:
    """A meter that keeps what was taken: the summary shows it, and the crawl's rows are charged with it afterwards."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self.taken = Usage()

    def take(self) -> Usage:
        taken = self._meter.take()
        self.taken += taken
        return taken
