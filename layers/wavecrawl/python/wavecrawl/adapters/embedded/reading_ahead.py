"""An archive that reads the records of a wave while the wave is under way.

Between two waves the workers wait for the planner. This reading ahead makes the wait shorter.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from wavecrawl.adapters.embedded.folder import FolderArchive
from wavecrawl.application.readable_records import readable_records
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.ports.archive import RecordType
from wavecrawl.ports.batches import Batches, Waves

_MOST_LINKS = 300_000  # links in the records held at once: about 80 MB


class ReadingAhead(FolderArchive):
    """`ports.archive.Archive` for the planner of one machine. Not safe to share between threads."""

    def __init__(self, root: Path, *, batches: Batches, waves: Waves) -> None:
        super().__init__(root)
        self._folder = FolderArchive(root)
        self._batches = batches
        self._waves = waves
        self._read: dict[tuple[BatchId, int], list[Any]] = {}
        self._wave = 0
        self._taken = 0  # number of that wave's batches that were read
        self._links = 0  # in their records

    def read_on(self, crawl: CrawlId, wave: int) -> None:
        """Read the records of one batch of this wave that is done and not read yet, if any."""
        if wave != self._wave:
            self._wave, self._taken, self._links = wave, 0, 0
            self._read.clear()
        row = self._waves.read(crawl, wave)
        if row is None or row.done <= self._taken or self._links >= _MOST_LINKS:
            return
        for batch in self._batches.of_wave(crawl, wave):
            place = batch.id, batch.done_attempt
            if batch.done_attempt and place not in self._read:
                self._read[place] = views = list(readable_records(self._folder, batch, RecordView))
                self._links += sum(len(view.links) for view in views)
                self._taken += 1
                return

    def records(self, id_: BatchId, *, attempt: int, shape: type[RecordType]) -> Iterator[RecordType]:
        """Yield the committed records of a batch as `shape`: those read ahead, otherwise those of the file."""
        known = self._read.pop((id_, attempt), None) if shape is RecordView else None
        return super().records(id_, attempt=attempt, shape=shape) if known is None else iter(known)
