"""The local launcher, with processes that wait for a file or end at once."""

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from tests.support.patience import eventually

from wavecrawl.adapters.embedded.launcher import ELSEWHERE, TRIES, LocalLauncher
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import StoreBusyError

# Write the crawl's name to a log. Report a pause while a file "NAME is paused" exists. Exit once a file of the crawl's
# name exists, with the exit code in that file.
_PROCESS = """
import sys, time
from pathlib import Path
from wavecrawl.adapters.embedded.pause_reports import PauseReporter
folder, name = Path(sys.argv[1]), sys.argv[2]
with (folder / "log").open("a") as log:
    log.write(name + "\\n")
end = folder / name
reporter = PauseReporter()
print("printed by a library", end="", flush=True)
while not end.exists():
    reporter.report((folder / (name + " is paused")).exists())
    time.sleep(0.01)
sys.exit(int(end.read_text() or 0))
"""


@dataclass
class World:
    folder: Path
    unfinished: list[CrawlId] = field(default_factory=list)
    given_up: list[tuple[CrawlId, str]] = field(default_factory=list)
    ended: list[CrawlId] = field(default_factory=list)
    statuses: dict[CrawlId, CrawlStatus | None] = field(default_factory=dict)  # instead of running and completed

    def command(self, crawl: CrawlId) -> list[str]:
        return [sys.executable, "-c", _PROCESS, str(self.folder), crawl.crawl]

    def results_command(self, crawl: CrawlId, files: Collection[ResultFile]) -> list[str]:
        name = f"{'+'.join(sorted(files)) or 'results'}-{crawl.crawl}"
        return self.command(CrawlId(tenant=crawl.tenant, site=crawl.site, crawl=name))

    def admit(self, crawl: CrawlId) -> CrawlStatus | None:
        status = CrawlStatus.RUNNING if crawl in self.unfinished else CrawlStatus.COMPLETED
        return self.statuses.get(crawl, status)

    def give_up(self, crawl: CrawlId, why: str) -> None:
        self.unfinished.remove(crawl)
        self.given_up.append((crawl, why))

    def log(self) -> list[str]:
        path = self.folder / "log"
        return path.read_text().split() if path.exists() else []

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait for processes that do not report their end."""
        assert eventually(holds)

    def pause(self, crawl: CrawlId) -> None:
        (self.folder / f"{crawl.crawl} is paused").touch()

    def go_on(self, crawl: CrawlId) -> None:
        (self.folder / f"{crawl.crawl} is paused").unlink()

    def end(self, crawl: CrawlId, code: str = "") -> None:
        if not code:
            self.unfinished.remove(crawl)
        (self.folder / crawl.crawl).write_text(code)


def named(name: str, tenant: str = "t") -> CrawlId:
    return CrawlId(tenant=tenant, site="s", crawl=name)


@pytest.fixture(name="world")
def a_world(tmp_path: Path) -> World:
    return World(folder=tmp_path)


@contextmanager
def launcher_of(
    world: World, *, most: int = 1, on_end: Callable[[CrawlId], None] | None = None
) -> Iterator[LocalLauncher]:
    launcher = LocalLauncher(
        command=world.command,
        unfinished=lambda: list(world.unfinished),
        results_command=world.results_command,
        admit=world.admit,
        give_up=world.give_up,
        most=most,
        most_paused=2,
        on_end=on_end or world.ended.append,
    )
    launcher.start()
    try:
        yield launcher
    finally:
        launcher.stop()


def launch(world: World, launcher: LocalLauncher, *crawls: CrawlId) -> None:
    for crawl in crawls:
        world.unfinished.append(crawl)
        launcher.launch(crawl)


def test_no_more_crawls_than_there_is_room_for_run_at_once(world: World) -> None:
    one, two, three = named("1"), named("2"), named("3")
    with launcher_of(world, most=2) as launcher:
        launch(world, launcher, one, two, three)
        assert launcher.running() == [one, two]
        world.end(one)
        world.until(lambda: launcher.running() == [two, three])


def test_a_crawl_that_needs_no_further_process_is_reported_once(world: World) -> None:
    one, two = named("1"), named("2")
    with launcher_of(world, most=2) as launcher:
        launch(world, launcher, one, two)
        world.end(two, "6")  # its process fails, and the next ones too
        world.until(lambda: world.ended == [two])
        assert [crawl for crawl, _ in world.given_up] == [two]
        world.end(one)
        world.until(lambda: world.ended == [two, one])


def test_a_crawl_that_is_asked_for_again_runs_once(world: World) -> None:
    one, two = named("1"), named("2")
    with launcher_of(world) as launcher:
        launch(world, launcher, one, two)
        for crawl in (one, two):
            launcher.launch(crawl)
        world.end(one)
        world.until(lambda: launcher.running() == [two])
        world.end(two)
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["1", "2"]


def test_a_crawl_that_is_resumed_while_its_process_ends_runs_again(world: World) -> None:
    one = named("1")

    def resume(crawl: CrawlId) -> None:
        if not world.ended:
            world.ended.append(crawl)
            (world.folder / crawl.crawl).unlink()
            launch(world, launcher, crawl)  # its process has ended, which the launcher has not noted yet

    with launcher_of(world, on_end=resume) as launcher:
        launch(world, launcher, one)
        world.end(one)
        world.until(lambda: world.log() == ["1", "1"])
        world.end(one)
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["1", "1"]


def test_a_paused_crawl_leaves_its_slot_until_it_goes_on(world: World) -> None:
    one, two, three = named("1"), named("2"), named("3")
    with launcher_of(world) as launcher:
        launch(world, launcher, one, two, three)
        assert launcher.running() == [one]
        world.pause(one)
        world.until(lambda: launcher.running() == [one, two])
        world.go_on(one)
        world.until(lambda: not launcher.paused())
        world.end(two)
        world.until(lambda: launcher.running() == [one])
        assert world.log() == ["1", "2"]
        world.end(one)
        world.until(lambda: launcher.running() == [three])


def test_paused_crawls_leave_no_more_slots_than_the_limit_allows(world: World) -> None:
    crawls = [named(str(number)) for number in range(5)]
    with launcher_of(world) as launcher:
        for crawl in crawls:
            world.pause(crawl)
        launch(world, launcher, *crawls)
        world.until(lambda: launcher.paused() == set(crawls[:3]))
        assert launcher.running() == crawls[:3]
        world.end(crawls[0])
        world.until(lambda: launcher.paused() == set(crawls[1:4]))
        assert launcher.running() == crawls[1:4]


def test_a_tenant_with_many_crawls_does_not_keep_another_waiting(world: World) -> None:
    many = [named(str(number)) for number in range(3)]
    other = named("other", tenant="u")
    with launcher_of(world, most=2) as launcher:
        launch(world, launcher, *many, other)
        world.end(many[0])
        world.until(lambda: launcher.running() == [many[1], other])
        assert launcher.running() == [many[1], other]


def test_a_crawl_that_is_not_admitted_lets_others_pass(world: World) -> None:
    full, ended, other = named("full"), named("ended"), named("other", tenant="u")
    world.statuses = {full: CrawlStatus.QUEUED, ended: CrawlStatus.CANCELLED}
    with launcher_of(world) as launcher:
        launch(world, launcher, full, ended, other)
        assert launcher.running() == [other]
        world.statuses.clear()
        world.end(other)
        world.until(lambda: launcher.running() == [full])
        world.end(full)
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["other", "full"]


def test_the_results_of_an_ended_crawl_are_made_again(world: World) -> None:
    running, ended = named("running"), named("ended")
    world.statuses = {ended: CrawlStatus.COMPLETED}
    with launcher_of(world) as launcher:
        launch(world, launcher, running)
        launcher.make_results(ended)
        assert launcher.running() == [running]
        world.end(running)
        world.until(lambda: launcher.running() == [ended])
        (world.folder / "results-ended").write_text("")
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["running", "results-ended"]


def test_files_are_made_once_however_many_ask(world: World) -> None:
    crawl = named("1")
    with launcher_of(world) as launcher:
        for _ in range(3):
            launcher.make_files(crawl, [ResultFile.GRAPH])
        world.until(lambda: world.log() == ["graph-1"])
        launcher.make_files(crawl, [ResultFile.GRAPH])
        (world.folder / "graph-1").write_text("")
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["graph-1"]


def test_files_that_are_asked_for_while_others_are_made_follow_together(world: World) -> None:
    crawl = named("1")
    with launcher_of(world) as launcher:
        launcher.make_files(crawl, [ResultFile.GRAPH])
        launcher.make_files(crawl, [ResultFile.WACZ, ResultFile.GRAPH])
        launcher.make_files(crawl, [ResultFile.LLMS])
        world.until(lambda: world.log() == ["graph-1"])
        (world.folder / "graph-1").write_text("")
        world.until(lambda: world.log() == ["graph-1", "llms+wacz-1"])
        (world.folder / "llms+wacz-1").write_text("")
        world.until(lambda: launcher.running() == [])


def test_files_that_all_results_include_are_not_made_apart(world: World) -> None:
    running, ended = named("running"), named("ended")
    with launcher_of(world) as launcher:
        launch(world, launcher, running)
        launcher.make_results(ended)
        launcher.make_files(ended, [ResultFile.GRAPH])
        world.end(running)
        (world.folder / "results-ended").write_text("")
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["running", "results-ended"]


def test_running_crawls_continue_at_the_next_start(world: World) -> None:
    one, two = named("1"), named("2")
    with launcher_of(world) as launcher:
        launch(world, launcher, one, two)
        world.until(lambda: world.log() == ["1"])
    assert launcher.running() == []
    with launcher_of(world) as launcher:
        assert launcher.running() == [one]
        world.end(one)
        world.until(lambda: launcher.running() == [two])


def test_a_crawl_whose_process_dies_gets_another(world: World) -> None:
    one = named("1")
    with launcher_of(world) as launcher:
        world.end(one, "6")
        launch(world, launcher, one)
        world.until(lambda: bool(world.given_up))
        world.until(lambda: launcher.running() == [])
    assert world.log() == ["1"] * TRIES
    assert world.given_up == [(one, "its process failed 3 times, the last time with exit code 6")]


def test_a_crawl_run_by_another_process_is_not_abandoned(world: World) -> None:
    one = named("1")
    with launcher_of(world) as launcher:
        world.end(one, str(ELSEWHERE))
        launch(world, launcher, one)
        world.until(lambda: len(world.log()) > TRIES)
    assert world.given_up == []


def test_a_busy_store_costs_no_room(world: World) -> None:
    one = named("1")
    times = 0

    def unfinished() -> list[CrawlId]:
        nonlocal times
        times += 1
        if times == 2:  # the first call is at the start
            raise StoreBusyError("not now")
        return list(world.unfinished)

    launcher = LocalLauncher(
        command=world.command,
        results_command=world.results_command,
        unfinished=unfinished,
        admit=world.admit,
        give_up=world.give_up,
        most=1,
        most_paused=2,
    )
    launcher.start()
    launch(world, launcher, one)
    world.end(one)
    world.until(lambda: launcher.running() == [])
    launcher.stop()
    assert world.log() == ["1"]
    assert world.given_up == []


def test_a_crawl_whose_process_did_not_start_is_started_with_the_next(world: World) -> None:
    one, two = named("1"), named("2")
    missing = [["/there/is/no/such/program"]]
    launcher = LocalLauncher(
        command=lambda crawl: missing.pop() if missing else world.command(crawl),
        unfinished=lambda: list(world.unfinished),
        results_command=world.results_command,
        admit=world.admit,
        give_up=world.give_up,
        most=2,
        most_paused=2,
    )
    launcher.start()
    launch(world, launcher, one)
    assert launcher.running() == []
    launch(world, launcher, two)
    assert launcher.running() == [one, two]
    launcher.stop()


def test_nothing_starts_before_the_launcher_does(world: World) -> None:
    launcher = LocalLauncher(
        command=world.command,
        results_command=world.results_command,
        unfinished=list,
        admit=world.admit,
        give_up=world.give_up,
        most=1,
        most_paused=2,
    )
    launcher.launch(named("1"))
    assert launcher.running() == []
