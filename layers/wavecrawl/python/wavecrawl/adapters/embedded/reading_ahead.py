"""An archive that reads the records of a wave while the wave runs, to shorten the pause between waves."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.domain.crawl.gather import RecordView
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.ports.archive import RecordType
from wavecrawl.ports.batches import Batches, Waves


class ReadingAhead(FolderArchive):
    """`ports.archive.Archive` for the planner of one machine. Used from one thread."""

    def __init__(self, root: Path, *, batches: Batches, waves: Waves) -> None:
        super().__init__(root)
        self._batches = batches
        self._waves = waves
        self._read: dict[tuple[BatchId, int], list[Any]] = {}
        self._wave = 0
        self._taken = 0  # number of batches of the wave already read

    def read_on(self, crawl: CrawlId, wave: int) -> None:
        """Read the records of one more finished batch of this wave, if there is one."""
        if wave != self._wave:
            self._wave, self._taken = wave, 0
            self._read.clear()
        row = self._waves.read(crawl, wave)
        if row is None or row.done <= self._taken:
            return
        for batch in self._batches.of_wave(crawl, wave):
            place = batch.id, batch.done_attempt
            if batch.done and place not in self._read:
                self._read[place] = list(super().records(batch.id, attempt=batch.done_attempt, shape=RecordView))
                self._taken += 1
                return

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape`, from memory or from the file."""
        known = self._read.pop((id_, attempt), None) if shape is RecordView else None
        return super().records(id_, attempt=attempt, shape=shape) if known is None else iter(known)
