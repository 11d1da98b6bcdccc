"""Find the record of one page of a crawl, wherever the crawl stands."""

from dataclasses import dataclass

from wavecrawl.domain.crawl.job import BatchId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches
from wavecrawl.ports.claims import Claims
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.hidden_pages import HiddenPages
from wavecrawl.ports.results import Results

_WITHOUT_RESULTS = (CrawlStatus.RUNNING, CrawlStatus.FAILED)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindPorts:
    """Where a page is looked for."""

    results: Results
    claims: Claims
    batches: Batches
    archive: Archive
    hidden: HiddenPages


def find_record(crawl: CrawlRow, key: str, ports: FindPorts) -> tuple[PageRecord, str]:
    """Return a page's record and its place in the archive.

    The exports know where it is. Before there are any, the page's claim does, once its batch is done: which tells no
    more of a page than that it will be tried again, where that is so. Raise NotFoundError without a record.
    """
    missing = NotFoundError(f"crawl {crawl.id.crawl} has no page {key}")
    if key in ports.hidden.of(crawl.id):
        raise missing
    unfinished = crawl.status in _WITHOUT_RESULTS
    batch = _claimed(crawl, key, ports) if unfinished else ports.results.batch_of(crawl.id, key)
    if batch is None:
        raise missing
    place = ports.archive.place(batch[0], attempt=batch[1], key=key)
    record = ports.archive.record_at(place)
    if record is None or not record.state.terminal:
        raise missing
    return record, place


def _claimed(crawl: CrawlRow, key: str, ports: FindPorts) -> tuple[BatchId, int] | None:
    holder = ports.claims.holder(crawl.id, key)
    if holder is None:
        return None
    for row in ports.batches.of_wave(crawl.id, holder.wave):
        if row.id.batch == holder.batch and row.done:
            return row.id, row.done_attempt
    return None
