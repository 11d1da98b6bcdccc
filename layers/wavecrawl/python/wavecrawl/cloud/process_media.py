"""The function process_media: each message of the media queue is a batch of media URLs."""

from typing import Final

import msgspec

from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.application.process_media import MediaFetcher, media_fetcher, process_media
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.bootstrap.http_clients import crawl_client
from wavecrawl.bootstrap.media import media_processor
from wavecrawl.cloud.fetch_batch import BatchMessages
from wavecrawl.cloud.recent import Recent
from wavecrawl.domain.crawl.job import BatchJob, CrawlId
from wavecrawl.ports.page_client import PageClient

_CRAWLS_KEPT: Final = 1
"""Crawls whose child process a warm process keeps: reading a large image needs most of the function's memory."""


class MediaMessages(BatchMessages):
    """Runs the batches of messages, one at a time: downloads and stores their assets."""

    def __init__(self, cloud: Cloud) -> None:
        super().__init__(cloud)
        self._kept: Recent[CrawlId, _Fetching] = Recent(_CRAWLS_KEPT, on_end=lambda kept: kept.close())

    @property
    def queue(self) -> SqsJobQueue:
        """The queue of the messages."""
        return self._cloud.media_queue

    def run(self, job: BatchJob, ports: WorkerPorts, *, deadline: float) -> bool:
        """Process a batch until a deadline in Unix seconds. Return False if another worker has or had it."""
        return process_media(job, ports, self._kept.get(job.id.crawl, self._fetching).fetcher, deadline=deadline)

    def _fetching(self, crawl: CrawlId) -> "_Fetching":
        row = self._cloud.crawl(crawl)
        client, processor = crawl_client(row, self._cloud), media_processor(row.settings.media)
        fetcher = media_fetcher(row, self._cloud, client, assets=self._cloud.media, processor=processor)
        return _Fetching(fetcher=fetcher, client=client, processor=processor)


class _Fetching(msgspec.Struct, frozen=True, kw_only=True):
    """What downloads and processes the media of a crawl."""

    fetcher: MediaFetcher
    client: PageClient
    processor: MediaProcessor

    def close(self) -> None:
        """Close the connections and end the child process."""
        self.client.close()
        self.processor.close()
