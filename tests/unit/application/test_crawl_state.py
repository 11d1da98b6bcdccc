"""Snapshots that another planner wrote."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.short_keys import key_of

from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.application import crawl_state
from wavecrawl.application.crawl_state import CrawlState, CrawlStates, Snapshot
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, packed_score
from wavecrawl.domain.focus.settings import Strategy
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
        states.store(CRAWL, snapshot(wave, Counters(fetched=10 * wave, retries=wave)))
    assert states.summary(CRAWL).counters == Counters(fetched=30, retries=3)


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


@pytest.mark.parametrize("waves", [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 100])
def test_the_last_snapshot_is_found_wherever_the_search_begins(tmp_path: Path, waves: int) -> None:
    states = CrawlStates(FolderObjects(tmp_path))
    for wave in range(1, waves + 1):
        states.store(CRAWL, snapshot(wave, Counters(fetched=wave)))
    assert states.summary(CRAWL).wave == waves
    found = {states.load(CRAWL, at_least=wave).wave for wave in range(waves + 1)}
    assert found == {waves}


class CountedObjects(FolderObjects):
    """Objects that name what is read."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.read: list[str] = []

    def get(self, crawl: CrawlId, name: str) -> bytes | None:
        data = super().get(crawl, name)
        if data is not None:
            self.read.append(name)
        return data


def grown(objects: FolderObjects, waves: int) -> None:
    """Store waves of one new URL each, and the whole state whenever it is due."""
    states, state = CrawlStates(objects), CrawlState()
    for wave in range(1, waves + 1):
        states.store_whole(CRAWL, state)
        found = FoundUrl(
            url=f"https://example.com/{wave}",
            key=key_of(str(wave)),
            depth=wave,
            parent=NO_PARENT,
            found_by=FoundBy.LINK,
            phase=Phase.BFS,
            wave=wave,
        )
        state.frontier.add(found)
        state.vocabulary.add(("page", str(wave)))
        new = replace(
            snapshot(wave, Counters(fetched=wave)),
            rows=state.frontier.changes(),
            planned_at=float(wave),
            vocabulary=state.vocabulary.delta(),
        )
        assert states.store(CRAWL, new)
        state.apply_plan(new)


def test_a_planner_that_starts_reads_the_last_whole_state_and_later_snapshots(tmp_path: Path) -> None:
    objects = CountedObjects(tmp_path)
    grown(objects, 250)
    for up_to, most in ((250, 51), (200, 1), (199, 100), (101, 2), (99, 99)):
        objects.read.clear()
        state = CrawlStates(objects).load(CRAWL, up_to=up_to)
        assert len(objects.read) == most
        assert (state.wave, state.counters, len(state.frontier), state.frontier.waiting) == (
            up_to, Counters(fetched=up_to), up_to, up_to,
        )  # fmt: skip
        assert state.times == {wave: float(wave) for wave in range(1, up_to + 1)}
        assert state.vocabulary.whole.targets == state.vocabulary.whole.terms["page"] == up_to
        assert [row.found_at for row in state.frontier.ledger(state.times)] == [*map(float, range(1, up_to + 1))]


def test_a_whole_state_of_many_urls_is_stored_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl_state, "URLS_PER_OBJECT", 40)
    objects = CountedObjects(tmp_path)
    grown(objects, 101)
    state = CrawlStates(objects).load(CRAWL)
    assert [row.url.rpartition("/")[2] for row in state.frontier.ledger({})] == [*map(str, range(1, 102))]
    assert [name for name in objects.read if "whole" in name] == [
        "frontier/000100-whole-000.msgpack", "frontier/000100-whole-001.msgpack", "frontier/000100-whole-002.msgpack",
    ]  # fmt: skip
    assert state.vocabulary.whole.targets == 101
    (part,) = tmp_path.rglob("000100-whole-002.msgpack")
    part.unlink()
    with pytest.raises(CorruptDataError, match="wave 100 of crawl t/s/c is missing"):
        CrawlStates(objects).load(CRAWL)


def test_without_a_whole_state_every_snapshot_is_read(tmp_path: Path) -> None:
    objects = CountedObjects(tmp_path)
    grown(objects, 150)
    (whole,) = tmp_path.rglob("*whole*")
    whole.unlink()
    assert len(CrawlStates(objects).load(CRAWL).frontier) == 150


def test_a_loaded_state_is_in_the_order_of_the_strategy(tmp_path: Path) -> None:
    objects = FolderObjects(tmp_path)
    state = CrawlState()
    for name, points in (("a", 1), ("b", 2)):
        state.frontier.add(
            FoundUrl(
                url=f"https://example.com/{name}",
                key=key_of(name),
                depth=1,
                parent=NO_PARENT,
                found_by=FoundBy.LINK,
                phase=Phase.BFS,
                wave=1,
                score=packed_score(Lane.P3, points, Parts()),
            )
        )
    CrawlStates(objects).store(CRAWL, replace(snapshot(1, Counters()), rows=state.frontier.changes()))
    first = {
        strategy: CrawlStates(objects, strategy=strategy).load(CRAWL).frontier.pop("example.com")
        for strategy in Strategy
    }
    assert first == {Strategy.BFS: 0, Strategy.BEST_FIRST: 1}


@pytest.mark.parametrize("urls", [0, 1, 15, 16, 12_000, 70_000])
def test_many_changes_are_stored_as_a_list_of_them_is(tmp_path: Path, urls: int) -> None:
    state = CrawlState()
    for number in range(urls):
        found = FoundUrl(
            url=f"https://example.com/{number}",
            key=f"{number:032x}",
            depth=1,
            parent=NO_PARENT,
            found_by=FoundBy.SITEMAP,
            phase=Phase.SITEMAP,
            wave=1,
        )
        state.frontier.add(found)
    changes = state.frontier.changes()
    rows = list(changes)
    stored = []
    for folder, one in (("changes", changes), ("rows", rows)):
        objects = FolderObjects(tmp_path / folder)
        states = CrawlStates(objects)
        assert states.store(CRAWL, replace(snapshot(1, Counters()), rows=one))
        stored.append(objects.get(CRAWL, "frontier/000001.msgpack"))
    assert stored[0] == stored[1]
    read = states.snapshot(CRAWL, 1)
    assert read is not None
    assert list(read.rows) == rows
    assert list(states.load(CRAWL).frontier.ledger({})) == list(state.frontier.ledger({}))
