"""The pages that a running crawl has read, from another process."""

from collections.abc import Iterator

from wavecrawl.application.readable_records import readable_records
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves


class NewPages:
    """The records of read pages, each once, as soon as their batch is done."""

    def __init__(self, crawl: CrawlId, *, batches: Batches, waves: Waves, archive: Archive) -> None:
        self._crawl = crawl
        self._batches = batches
        self._waves = waves
        self._archive = archive
        self._wave = 1  # all earlier waves are over
        self._taken: set[int] = set()  # batches of that wave

    def take(self) -> Iterator[tuple[PageRecord, str]]:
        """Yield each new record with its place in the archive.

        The order is that of the waves; within a wave, it is the order in which batches end.
        """
        last = self._waves.last(self._crawl)
        while self._wave <= last:
            for batch in self._batches.of_wave(self._crawl, self._wave):
                if not batch.done_attempt or batch.id.batch in self._taken:
                    continue
                self._taken.add(batch.id.batch)
                for record in readable_records(self._archive, batch, PageRecord):
                    if record.state.has_content and record.asset is None:
                        yield record, self._archive.place(batch.id, attempt=batch.done_attempt, key=record.key)
            if self._wave == last:  # its other batches are not done
                return
            self._wave += 1
            self._taken.clear()
