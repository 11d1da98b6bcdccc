"""Records that are missing or damaged although their batch is done: their URLs are fetched again, or fail."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.simulation import ORIGIN, Simulation, Web

from wavecrawl.adapters.gzip_members import compressed, whole_members
from wavecrawl.domain.crawl.ledger import Phase

LINKS = (tuple(range(1, 13)), *((12 + page, 1) for page in range(1, 13)), *[()] * 12)
PAGES = len(LINKS)

Damage = Callable[[Path], None]
Rows = list[tuple[str, str, str, int, str, int]]


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def cut_between_records(path: Path) -> None:
    """Keep the first half of the records, as after a power cut."""
    members = [compressed(content) for content in whole_members(path.read_bytes())]
    path.write_bytes(b"".join(members[: len(members) // 2]))


def cut_within_a_record(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def deleted(path: Path) -> None:
    path.unlink()


def crawled(folder: Path, damage: Damage, *, times: int) -> tuple[Rows, int]:
    """Crawl; damage the records of the first `times` batches after the root. Return the ledger and the requests."""
    web = Web(LINKS)
    simulation = Simulation(web, folder, batch_size=6, min_batches=1, interval=0.04)
    damaged = wave = 0
    while True:
        wave += 1
        planner = simulation.planner()  # restored from the snapshots, as in a new process
        simulation.jobs.clear()
        if not planner.run_wave(Phase.BFS, wave, f"token {wave}").batches:
            break
        for job in list(simulation.jobs):
            simulation.deliver(job)
            if wave > 1 and damaged < times:
                damaged += 1
                (path,) = folder.rglob(f"{wave:06d}-{job.id.batch:04d}-1.jsonl.gz")
                damage(path)
    rows = [
        (r.url, r.state.value, r.reason.value, r.depth, r.parent, r.tries) for r in planner.state.frontier.ledger({})
    ]
    simulation.close()
    return rows, web.requests.total()


@pytest.mark.parametrize("damage", [emptied, cut_between_records, cut_within_a_record, deleted])
@pytest.mark.parametrize("times", [1, 3])
def test_lost_records_change_no_result(tmp_path: Path, damage: Damage, times: int) -> None:
    whole, requests = crawled(tmp_path / "whole", damage, times=0)
    assert ([row[1] for row in whole], requests) == (["fetched"] * PAGES, PAGES)
    rows, requests = crawled(tmp_path / "damaged", damage, times=times)
    assert rows == whole
    assert PAGES < requests <= PAGES + 6 * times


def test_a_url_whose_records_are_lost_again_and_again_fails(tmp_path: Path) -> None:
    simulation = Simulation(Web(((1,), ())), tmp_path, max_attempts=2)
    planner = simulation.planner()
    requests = 0
    for wave in range(1, 6):
        result = planner.run_wave(Phase.BFS, wave, f"token {wave}")
        if not result.batches:
            break
        (job,) = simulation.jobs
        simulation.jobs.clear()
        simulation.deliver(job)
        if wave > 1:
            requests += 1
            (path,) = tmp_path.rglob(f"{wave:06d}-0000-1.jsonl.gz")
            path.unlink()
        planner = simulation.planner()  # restored from the snapshots, as in a new process
    rows = [(row.url, row.state.value, row.reason.value, row.tries) for row in planner.state.frontier.ledger({})]
    assert rows == [(f"{ORIGIN}/", "fetched", "", 1), (f"{ORIGIN}/1", "failed", "records_lost", 0)]
    assert requests == 3
    simulation.close()
