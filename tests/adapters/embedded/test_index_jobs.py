"""Indexing in the background, with processes that wait for a file or end at once."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.patience import HANG, eventually

from wavecrawl.adapters.embedded.index_jobs import MORE, TRIES, IndexJobs
from wavecrawl.domain.knowledge.passage import SiteId

# Write the site's name to a log. Exit once a file of the site's name exists, with the exit code in that file.
_PROCESS = """
import sys, time
from pathlib import Path
folder, name = Path(sys.argv[1]), sys.argv[2]
with (folder / "log").open("a") as log:
    log.write(name + "\\n")
while not (folder / name).exists():
    time.sleep(0.01)
sys.exit(int((folder / name).read_text()))
"""
ONE, TWO, OTHER = (SiteId(tenant=tenant, site=name) for tenant, name in (("a", "one"), ("a", "two"), ("b", "other")))


@dataclass
class World:
    folder: Path
    given_up: list[tuple[SiteId, str]] = field(default_factory=list)

    def command(self, site: SiteId) -> list[str]:
        return [sys.executable, "-c", _PROCESS, str(self.folder), site.site]

    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().split() if path.exists() else []

    def end(self, site: SiteId, code: int) -> None:
        part = self.folder / f"{site.site}.part"
        part.write_text(str(code))
        part.replace(self.folder / site.site)

    def hold(self, site: SiteId) -> None:
        (self.folder / site.site).unlink()


@contextmanager
def jobs_of(world: World, *, longest: float = HANG) -> Iterator[IndexJobs]:
    jobs = IndexJobs(
        command=world.command, give_up=lambda site, why: world.given_up.append((site, why)), most=1, longest=longest
    )
    jobs.start()
    try:
        yield jobs
    finally:
        jobs.stop()


def test_tenants_take_turns_and_a_site_that_is_not_done_waits_for_its_next_one(tmp_path: Path) -> None:
    world = World(tmp_path)
    with jobs_of(world) as jobs:
        for site in (ONE, TWO, OTHER):
            jobs.request(site)
        assert eventually(lambda: world.log() == ["one"])
        world.end(ONE, MORE)
        assert eventually(lambda: world.log() == ["one", "other"])
        world.end(ONE, 0)
        world.end(TWO, 0)
        world.end(OTHER, 0)
        assert eventually(lambda: not jobs.running())
    assert world.log() == ["one", "other", "two", "one"]
    assert world.given_up == []


def test_a_site_whose_processes_fail_is_given_up(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.end(ONE, 6)
    with jobs_of(world) as jobs:
        jobs.request(ONE)
        assert eventually(lambda: world.given_up)
        assert world.log() == ["one"] * TRIES
        problem = "the process that indexed it failed 3 times, the last time with exit code 6."
        assert world.given_up == [(ONE, f"{problem} If it needs more memory, serve with a higher --index-mb")]
        world.end(ONE, 0)
        jobs.request(ONE)
        assert eventually(lambda: len(world.log()) == TRIES + 1)
        assert eventually(lambda: not jobs.running())
    assert len(world.given_up) == 1


def test_a_process_that_was_killed_does_not_hold_the_others_up(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.end(OTHER, 0)
    with jobs_of(world) as jobs:
        jobs.request(ONE)
        jobs.request(OTHER)
        assert eventually(lambda: ONE in jobs.running())
        os.kill(jobs.running()[ONE], signal.SIGKILL)
        assert eventually(lambda: "other" in world.log())
        assert eventually(lambda: world.log()[-1] == "one")  # and is tried again
        world.end(ONE, 0)
        assert eventually(lambda: not jobs.running())


def test_a_process_that_takes_too_long_is_killed(tmp_path: Path) -> None:
    world = World(tmp_path)
    with jobs_of(world, longest=0.05) as jobs:
        jobs.request(ONE)
        assert eventually(lambda: world.given_up)
    assert world.given_up[0][1].startswith(
        "the process that indexed it failed 3 times, the last time with exit code -9"
    )


def test_stopping_ends_the_process_and_forgets_what_waits(tmp_path: Path) -> None:
    world = World(tmp_path)
    with jobs_of(world) as jobs:
        jobs.request(ONE)
        jobs.request(OTHER)
        assert eventually(lambda: world.log() == ["one"])
    assert jobs.running() == {}
    jobs.request(TWO)  # ignored
    assert world.log() == ["one"]


def test_a_process_that_cannot_start_is_started_with_the_next_request(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.end(ONE, 0)
    world.end(OTHER, 0)
    commands = [["/nowhere/wavecrawl"]]
    jobs = IndexJobs(
        command=lambda site: commands.pop() if commands else world.command(site),
        give_up=lambda *_: None,
        most=1,
    )
    jobs.start()
    jobs.request(ONE)
    assert jobs.running() == {}
    jobs.request(OTHER)
    assert eventually(lambda: sorted(world.log()) == ["one", "other"])
    jobs.stop()


def test_a_site_that_is_being_indexed_is_indexed_again_only_if_it_has_new_texts(tmp_path: Path) -> None:
    world = World(tmp_path)
    with jobs_of(world) as jobs:
        jobs.request(ONE)
        assert eventually(lambda: world.log() == ["one"])
        jobs.request(ONE)
        world.end(ONE, 0)
        assert eventually(lambda: not jobs.running())
        assert world.log() == ["one"]
        world.hold(ONE)
        jobs.request(ONE)
        assert eventually(lambda: len(world.log()) == 2)
        jobs.renew(ONE)
        world.end(ONE, 0)
        assert eventually(lambda: len(world.log()) == 3)
        assert eventually(lambda: not jobs.running())
