"""Pages of a crawl that may still be running: from the records of its batches, in crawl order.

What is read is the run of done batches from the first on. It only ever grows, and a batch that is done stays as it is:
so a place in it stays good while the crawl goes on, and when it is over.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from wavecrawl.application.page_records import RecordLine, row_of
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.batches import BatchRow
from wavecrawl.ports.results import PageFilter, PageRow

MOST_BATCHES = 40
MOST_RECORDS = 1_000
"""What is read for one answer, in whole batches of 1 to 100 URLs. A filter that takes few of them gives short parts."""

_SMALL = 25  # records of a small batch; where they are larger, one or two are read in vain


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordPlace:
    """A place in the order of records: the next one to read."""

    wave: int = 1
    batch: int = 0
    position: int = 0  # in the batch


@dataclass(frozen=True, slots=True, kw_only=True)
class PagesSoFar:
    """Some pages, and where to go on: also at the end of what there is, as there may be more later."""

    pages: tuple[PageRow, ...]
    following: RecordPlace
    at_end: bool  # there is no more now


def pages_so_far(
    crawl: CrawlId,
    ports: Ports,
    *,
    after: RecordPlace,
    limit: int,
    running: bool,
    wanted: PageFilter | None = None,
) -> PagesSoFar:
    """Return at most `limit` pages from a place on. What a crawl left undone is passed over when it is over."""
    wanted = wanted or PageFilter()
    hidden = ports.hidden.of(crawl)
    found: list[PageRow] = []
    place = after
    read = 0
    for number, row in enumerate(_batches(crawl, ports, after, running=running, ahead=limit // _SMALL + 2)):
        if number == MOST_BATCHES or read >= MOST_RECORDS:
            return PagesSoFar(pages=tuple(found), following=place, at_end=False)
        start = after.position if (row.id.wave, row.id.batch) == (after.wave, after.batch) else 0
        for position, record in enumerate(ports.archive.records(row.id, attempt=row.done_attempt, shape=RecordLine)):
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


def _batches(crawl: CrawlId, ports: Ports, after: RecordPlace, *, running: bool, ahead: int) -> Iterator[BatchRow]:
    """Yield done batches from a place on, up to the first that is not done yet; the first of them are read `ahead`."""
    wave = after.wave
    while (row := ports.waves.read(crawl, wave)) is not None:
        known = {batch.id.batch: batch for batch in ports.batches.of_wave(crawl, wave)}
        first = after.batch if wave == after.wave else 0
        done = [batch for number, batch in sorted(known.items()) if number >= first and batch.done]
        ports.archive.prefetch([(batch.id, batch.done_attempt) for batch in done[:ahead]])
        for number in range(first, row.planned):
            batch = known.get(number) or BatchRow(id=BatchId(crawl=crawl, wave=wave, batch=number))
            if batch.done:
                yield batch
            elif running:
                return
        wave += 1
