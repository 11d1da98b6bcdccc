"""Pages of a crawl that may still be running: from the records of its batches, in crawl order.

Batches are read in order, up to the first that is not done. Done batches never change, so a place in this order stays
valid while the crawl runs and after its end.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wavecrawl.application.page_records import RecordLine, row_of
from wavecrawl.application.readable_records import readable_records
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import BatchRow
from wavecrawl.ports.results import PageFilter, PageRow

MOST_BATCHES = 40
MOST_RECORDS = 1_000
"""Limits of one call. Whole batches of 1 to 100 URLs are read, so a filter that few pages pass gives short results."""

_SMALL = 25  # records per batch, as assumed for reading ahead; if batches are larger, one or two are read in vain


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPlace:
    """A place in the order of records: the next one to read."""

    wave: int = 1
    batch: int = 0
    position: int = 0  # in the batch


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesSoFar:
    """Some pages, and the place of the next one. At the end there is a place too: more pages may follow later."""

    pages: tuple[PageRow, ...]
    following: RecordPlace
    at_end: bool  # no more pages at this time


def pages_so_far(
    crawl: CrawlId,
    ports: Ports,
    *,
    after: RecordPlace,
    limit: int,
    running: bool,
    wanted: PageFilter | None = None,
) -> PagesSoFar:
    """Return at most `limit` pages from a place on. Once the crawl is over, batches that are not done are skipped."""
    wanted = wanted or PageFilter()
    hidden = ports.hidden.of(crawl)
    found: list[PageRow] = []
    place = after
    read = 0
    for number, row in enumerate(_batches(crawl, ports, after, running=running, ahead=limit // _SMALL + 2)):
        if number == MOST_BATCHES or read >= MOST_RECORDS:
            return PagesSoFar(pages=tuple(found), following=place, at_end=False)
        start = after.position if (row.id.wave, row.id.batch) == (after.wave, after.batch) else 0
        for position, record in enumerate(_records(row, ports, running=running)):
            read += 1
            if position < start or not record.state.terminal or record.key in hidden:
                continue
            page = row_of(record)
            if not wanted.takes(page):
                continue
            if len(found) == limit:
                here = RecordPlace(wave=row.id.wave, batch=row.id.batch, position=position)
                return PagesSoFar(pages=tuple(found), following=here, at_end=False)
            found.append(page)
        place = RecordPlace(wave=row.id.wave, batch=row.id.batch + 1)
    return PagesSoFar(pages=tuple(found), following=place, at_end=True)


def _records(row: BatchRow, ports: Ports, *, running: bool) -> Iterator[RecordLine]:
    """Yield the records of a batch. While the crawl runs, the URLs of damaged records are planned again."""
    if running:
        return readable_records(ports.archive, row, RecordLine)
    return ports.archive.records(row.id, attempt=row.done_attempt, shape=RecordLine)


def _batches(crawl: CrawlId, ports: Ports, after: RecordPlace, *, running: bool, ahead: int) -> Iterator[BatchRow]:
    """Yield done batches from a place on, up to the first that is not done; prefetch `ahead` batches per wave."""
    wave = after.wave
    while (row := ports.waves.read(crawl, wave)) is not None:
        known = {batch.id.batch: batch for batch in ports.batches.of_wave(crawl, wave)}
        first = after.batch if wave == after.wave else 0
        done = [batch for number, batch in sorted(known.items()) if number >= first and batch.done_attempt]
        ports.archive.prefetch([(batch.id, batch.done_attempt) for batch in done[:ahead]])
        for number in range(first, row.planned):
            batch = known.get(number) or BatchRow(id=BatchId(crawl=crawl, wave=wave, batch=number))
            if batch.done_attempt:
                yield batch
            elif running and not batch.done:
                return
        wave += 1
