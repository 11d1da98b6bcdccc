"""Snapshots that another planner wrote."""

from pathlib import Path

import pytest

from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.application.crawl_state import CrawlStates, Snapshot
from wavecrawl.domain.crawl.gather import Counters
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.errors import CorruptDataError

CRAWL = CrawlId(tenant="t", site="s", crawl="c")


def snapshot(wave: int, counters: Counters) -> Snapshot:
    return Snapshot(
        wave=wave,
        phase=Phase.BFS,
        planned_at=1.0,
        clock=2.0,
        counters=counters,
        stopped=Reason.NONE,
        batches=(),
        rows=[],
    )


def test_the_counters_are_those_of_the_last_wave(tmp_path: Path) -> None:
    states = CrawlStates(FolderObjects(tmp_path))
    assert states.summary(CRAWL).counters == Counters()
    for wave in (1, 2, 3):
        states.store(CRAWL, snapshot(wave, Counters(fetched=10 * wave, errors=wave)))
    assert states.summary(CRAWL).counters == Counters(fetched=30, errors=3)


def test_counters_that_cannot_be_read_are_an_error(tmp_path: Path) -> None:
    objects = FolderObjects(tmp_path)
    objects.put(CRAWL, "frontier/000001.msgpack", b"\xc1")
    with pytest.raises(CorruptDataError, match="wave 1"):
        CrawlStates(objects).summary(CRAWL)


def test_the_state_is_that_of_the_last_wave(tmp_path: Path) -> None:
    states = CrawlStates(FolderObjects(tmp_path))
    for wave in range(1, 41):
        states.store(CRAWL, snapshot(wave, Counters(fetched=wave)))
    assert (states.load(CRAWL).wave, states.load(CRAWL, up_to=17).wave) == (40, 17)
    assert states.load(CRAWL, up_to=17).counters == Counters(fetched=17)
    assert CrawlStates(FolderObjects(tmp_path / "another")).load(CRAWL).wave == 0


@pytest.mark.parametrize(("missing", "at_least"), [(1, 3), (2, 3), (4, 4)])
def test_a_snapshot_that_is_missing_is_an_error(tmp_path: Path, missing: int, at_least: int) -> None:
    states = CrawlStates(FolderObjects(tmp_path))
    for wave in (1, 2, 3):
        if wave != missing:
            states.store(CRAWL, snapshot(wave, Counters()))
    with pytest.raises(CorruptDataError, match=f"the snapshot of wave {missing} of crawl t/s/c is missing"):
        states.load(CRAWL, at_least=at_least)
    with pytest.raises(CorruptDataError, match=f"the snapshot of wave {missing} of crawl t/s/c is missing"):
        states.load(CRAWL, up_to=at_least)
