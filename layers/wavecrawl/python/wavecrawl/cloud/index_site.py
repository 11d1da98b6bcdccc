"""The function index_site: each message of its queue is a crawl to index, or something to remove from an index.

A message that takes longer than an invocation is delivered again, and does the rest: pages that are indexed already are
unchanged then.
"""

from collections.abc import Callable
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from wavecrawl.adapters.aws.index_queue import ForgetCrawl, IndexCrawl, IndexRequest, RemovePages, index_request_from
from wavecrawl.adapters.aws.parts import S3Parts
from wavecrawl.adapters.aws.scratch import SCRATCH
from wavecrawl.adapters.crawled_texts import MEDIA, PAGES, texts_of_crawl
from wavecrawl.adapters.knowledge.passage_lines import write_passages
from wavecrawl.application.index_report import texts_of
from wavecrawl.application.index_site import IndexCounts, RemovedAtOnce, RunLimits, index_site
from wavecrawl.application.page_markdown import MarkdownView
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.charging import charge_message, charged_on_error
from wavecrawl.cloud.sqs_messages import Message, process_messages
from wavecrawl.domain.crawl.bill import SETUP
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import CorruptDataError, IndexLimitError, NotFoundError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.knowledge import CHUNKS, KnowledgePorts
from wavecrawl.telemetry import Context, Event, about, count, logger

RESERVE: Final = 240.0
"""Seconds before the end of an invocation in which no batch of texts begins.

A batch of a million characters takes about a minute with Amazon Bedrock, and the upload of a large index half of one.
"""

BACK_OFF: Final = 60
"""Seconds until a message that failed is delivered again."""

YIELD: Final = 30
"""Seconds until a message that is not done is delivered again. Meanwhile, messages of other tenants are."""

_MEGABYTE: Final = 1_000_000
_AT_ONCE: Final = 8  # pages whose Markdown is made at the same time: it is mostly waiting for the archive


class IndexMessages:
    """Processes messages, one at a time."""

    def __init__(self, cloud: Cloud) -> None:
        self._cloud = cloud

    def process(self, event: Event, context: Context) -> dict[str, list[dict[str, str]]]:
        """Process each message; return the messages to deliver again."""
        return process_messages(event, lambda message: self._is_done(message, context))

    def _is_done(self, message: Message, context: Context) -> bool:
        """Process a message; return False if it is to be delivered again: something is left to do, or it failed."""
        try:
            is_done = self._work_on(message, context)
        except IndexLimitError as error:  # the state of the index says so
            logger.warning("crawl not indexed: a limit was exceeded", exc_info=error)
            return True
        except (CorruptDataError, NotFoundError):  # nothing changes that; the next crawl of the site is indexed
            logger.exception("crawl not indexed: its results cannot be read")
            count("IndexingsFailed")
            return True
        except Exception:  # noqa: BLE001 - the other messages go on
            logger.exception("indexing failed")
            count("IndexingsFailed")
            self._repeat(message, seconds=BACK_OFF)
            return False
        if not is_done:
            self._repeat(message, seconds=YIELD)
        return is_done

    def _repeat(self, message: Message, *, seconds: int) -> None:
        try:
            self._cloud.indexing.repeat(message["receiptHandle"], seconds=seconds)
        except WavecrawlError as error:  # the message returns after the queue's visibility timeout
            logger.warning("message will be delivered late", exc_info=error)

    def _work_on(self, message: Message, context: Context) -> bool:
        request = index_request_from(message["body"])
        ports = self._cloud.knowledge
        if ports is None:  # the function has a queue, so the deployment has an index
            raise WavecrawlError("this deployment has no knowledge index")
        self._cloud.passages.discard(_site_of(request))
        match request:
            case IndexCrawl(crawl=crawl):
                about(crawl)
                return self._charged(crawl, message, context, ports)
            case RemovePages(site=site, keys=keys):
                RemovedAtOnce(ports).remove_pages(site, keys)
            case ForgetCrawl(crawl=crawl):
                about(crawl)
                RemovedAtOnce(ports).forget_crawl(crawl)
        self._cloud.meter.take()  # a removal is not charged, and must not be charged to the next crawl
        return True

    def _charged(self, id_: CrawlId, message: Message, context: Context, ports: KnowledgePorts) -> bool:
        """Index a crawl, unless it was deleted, and charge it for that; return whether nothing is left to do."""
        cloud = self._cloud
        row = cloud.crawls.read(id_)
        if row is None or not row.has_results:
            logger.info("crawl not indexed: it was deleted, or was resumed")
            cloud.meter.take()
            return True
        with charged_on_error(cloud, id_):
            with cloud.invocation(context.memory_limit_in_mb):
                charge_message(cloud.meter, len(message["body"]))
                end = cloud.clock.now() + context.get_remaining_time_in_millis() / 1_000 - RESERVE
                counts = self._index(row, ports, must_end=lambda: cloud.clock.now() >= end)
            cloud.waves.add_usage(id_, SETUP, cloud.meter.take(), create=False)
        logger.info(
            "crawl indexed" if counts.is_complete else "crawl indexed in part",
            indexed=counts.indexed,
            unchanged=counts.unchanged,
            removed=counts.removed,
            passages=counts.passages,
        )
        count("PagesIndexed", counts.indexed)
        if counts.left_out:
            most = cloud.settings.knowledge_mb
            logger.warning("the knowledge index of the site is full", left_out=counts.left_out, knowledge_mb=most)
        count("PagesNotIndexed", counts.left_out)
        return counts.is_complete

    def _index(self, crawl: CrawlRow, ports: KnowledgePorts, *, must_end: Callable[[], bool]) -> IndexCounts:
        cloud = self._cloud
        site = SiteId(tenant=crawl.id.tenant, site=crawl.id.site)
        most = cloud.settings.knowledge_mb * _MEGABYTE
        SCRATCH.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=SCRATCH) as name:
            folder = Path(name)
            for export in (PAGES, MEDIA):
                cloud.exports.download(crawl.id, export, folder)
            parts = S3Parts(cloud.bucket, cloud.catalog, scratch=folder / "parts")
            counts = index_site(
                site,
                texts_of_crawl(crawl.id, folder, parts=parts, hidden=cloud.hidden.of(crawl.id)),
                ports,
                crawl.settings.knowledge,
                texts=texts_of(crawl),
                deleted=chain(cloud.memories.deleted(crawl.id), cloud.media_memories.deleted(crawl.id)),
                view=MarkdownView(cloud.archive, cloud.parser, crawl.settings, hidden=cloud.hidden, at_once=_AT_ONCE),
                limits=RunLimits(
                    clock=cloud.clock.now, must_end=must_end, is_full=lambda: cloud.passages.size(site) >= most
                ),
            )
            if counts.is_complete:
                write_passages(ports.passages.all(site), folder / CHUNKS)
                cloud.exports.put(crawl.id, folder / CHUNKS)
        return counts


def _site_of(request: IndexRequest) -> SiteId:
    if isinstance(request, RemovePages):
        return request.site
    return SiteId(tenant=request.crawl.tenant, site=request.crawl.site)
