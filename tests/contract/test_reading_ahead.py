"""`adapters.embedded.reading_ahead` returns the content of the files it read ahead."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.batches import SqliteBatches, SqliteWaves
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.reading_ahead import ReadingAhead
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.record_view import RecordView
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.batches import BatchSums

CRAWL = CrawlId(tenant="t", site="s", crawl="20260101-000000-aaaaaa")


class Wave:
    """A wave of two batches, in a folder."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "wavecrawl.sqlite3")
        self.batches, self.waves = SqliteBatches(self.database), SqliteWaves(self.database)
        self.archive = ReadingAhead(folder, batches=self.batches, waves=self.waves)
        self.folder = folder
        self.waves.create(CRAWL, 1, planned=2)

    def finish(self, number: int) -> BatchId:
        """Fetch a batch of one page. The page's key is the batch's number."""
        id_ = BatchId(crawl=CRAWL, wave=1, batch=number)
        lease = self.batches.lease(id_, owner="o", now=1.0, seconds=60.0)
        assert lease is not None
        written = self.archive.open(id_, attempt=lease.attempt)
        url = f"https://example.com/{number}"
        written.add(PageRecord(key=str(number), url=url, depth=0, state=UrlState.FETCHED), [])
        written.commit()
        assert self.batches.complete(lease, BatchSums(records=1))
        return id_

    def lose_files(self) -> None:
        """Move the files away, so that only what was read ahead is left."""
        for file in self.folder.rglob("*.jsonl.gz"):
            file.unlink()

    def keys(self, id_: BatchId) -> list[str]:
        """Return the keys that gather reads."""
        return [view.key for view in self.archive.records(id_, attempt=1, shape=RecordView)]


@pytest.fixture(name="wave")
def a_wave(tmp_path: Path) -> Iterator[Wave]:
    wave = Wave(tmp_path)
    yield wave
    wave.database.close()


def test_batches_that_are_done_are_read_one_at_a_time(wave: Wave) -> None:
    first, second = wave.finish(0), wave.finish(1)
    wave.archive.read_on(CRAWL, 1)
    wave.lose_files()
    assert wave.keys(first) == ["0"]
    with pytest.raises(CorruptDataError):
        wave.keys(second)


def test_every_batch_is_read_in_the_end(wave: Wave) -> None:
    second, first = wave.finish(1), wave.finish(0)
    for _ in range(5):
        wave.archive.read_on(CRAWL, 1)
    wave.lose_files()
    assert (wave.keys(first), wave.keys(second)) == (["0"], ["1"])


def test_a_batch_under_way_is_not_read(wave: Wave) -> None:
    wave.archive.read_on(CRAWL, 1)
    first = wave.finish(0)
    wave.lose_files()
    with pytest.raises(CorruptDataError):
        wave.keys(first)


def test_what_was_not_read_beforehand_comes_from_the_file(wave: Wave) -> None:
    first = wave.finish(0)
    assert wave.keys(first) == ["0"]


def test_what_was_asked_for_once_comes_from_the_file_again(wave: Wave) -> None:
    first = wave.finish(0)
    wave.archive.read_on(CRAWL, 1)
    assert (wave.keys(first), wave.keys(first)) == (["0"], ["0"])


def test_whole_records_come_from_the_file(wave: Wave) -> None:
    first = wave.finish(0)
    wave.archive.read_on(CRAWL, 1)
    assert [record.url for record in wave.archive.records(first, attempt=1, shape=PageRecord)] == [
        "https://example.com/0"
    ]


def test_a_new_wave_discards_unread_files(wave: Wave) -> None:
    first = wave.finish(0)
    wave.archive.read_on(CRAWL, 1)
    wave.archive.read_on(CRAWL, 2)
    wave.lose_files()
    with pytest.raises(CorruptDataError):
        wave.keys(first)
