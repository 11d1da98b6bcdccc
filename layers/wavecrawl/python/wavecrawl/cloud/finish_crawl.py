"""The function finish_crawl: results are built in its temporary folder and uploaded to S3."""

from functools import partial
from tempfile import TemporaryDirectory

from wavecrawl import __version__
from wavecrawl.adapters.analytics.build import DuckDbAnalytics
from wavecrawl.adapters.aws.archive import S3Archive
from wavecrawl.adapters.aws.scratch import SCRATCH
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.application import finish_crawl as use_case
from wavecrawl.application.wacz_package import Packing
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_ending
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow


def finish_crawl(cloud: Cloud, crawl: CrawlRow) -> CrawlSummary:
    """Build and publish a crawl's results, mark it finished, charge it for that; return the summary of the results."""
    SCRATCH.mkdir(parents=True, exist_ok=True)
    charge_ending(cloud.meter)
    with TemporaryDirectory(dir=SCRATCH) as name:
        folder = SCRATCH / name / "exports"
        archive = S3Archive(cloud.clients.s3, cloud.settings.bucket, scratch=SCRATCH / name)
        summary = use_case.finish_crawl(
            crawl,
            cloud,
            analytics=DuckDbAnalytics(),
            folder=folder,
            version=__version__,
            packing=Packing(packer=WaczPacker(archive), most_bytes=cloud.settings.wacz_mb * 1_000_000),
            archive=archive,
            publish=partial(cloud.exports.publish, crawl.id),
        )
    if crawl.status.has_ended:
        cloud.meter.take()  # a repeat is not charged, and must not be charged to the next crawl
    cloud.launcher.launch(crawl.id)
    if summary is None:
        raise CorruptDataError(f"crawl {crawl.id} has no summary")
    return summary
