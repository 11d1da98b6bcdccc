"""Queued crawls start when others end, whatever dies in between."""

from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.some_ports import some_ports
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.admission import AdmittingLauncher
from wavecrawl.application.crawl_limits import CrawlLimits
from wavecrawl.application.crawls import resume_crawl
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.tenants import TenantChange, change_tenant
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import ConflictError, StoreBusyError
from wavecrawl.ports.crawls import CrawlRow

QUEUED, RUNNING = CrawlStatus.QUEUED, CrawlStatus.RUNNING


@dataclass
class Executions:
    """The state machine's executions; the next `failures` starts fail."""

    started: list[str] = field(default_factory=list)
    failures: int = 0
    taken: frozenset[str] = frozenset()  # ids of crawls whose execution would have the name of another one

    def launch(self, crawl: CrawlId, *, resumes: int) -> None:
        if self.failures:
            self.failures -= 1
            raise StoreBusyError("not now")
        if crawl.crawl in self.taken:
            raise ConflictError(f"execution {crawl.crawl} exists already")
        self.started.append(crawl.crawl + f"-{resumes}" * bool(resumes))

    def make_results(self, crawl: CrawlId, *, now: float) -> None:
        self.started.append(f"{crawl.crawl}-results at {now}")

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile], *, now: float) -> None:
        self.started.append(f"{crawl.crawl}-{'-'.join(files)} at {now}")


class Desk:
    """A tenant that requests crawls of sites of its own."""

    def __init__(self, folder: Path, *, most: int) -> None:
        self.database = Database(folder / "db.sqlite")
        self.crawls = SqliteCrawls(self.database)
        self.objects = FolderObjects(folder)
        self.tenants = SqliteTenants(self.database)
        self.clock = StillClock()
        self.executions = Executions()
        self.operator = OperatorSettings(tenant="t", max_running_crawls=most)
        self.launcher = AdmittingLauncher(
            crawls=self.crawls,
            tenants=self.tenants,
            executions=self.executions,
            operator=self.operator,
            clock=self.clock,
        )

    def request(self, number: int) -> CrawlRow:
        request = CrawlRequest(url=f"https://{number}.example/", settings=CrawlSettings())
        ports = some_ports(
            crawls=self.crawls, objects=self.objects, launcher=self.launcher, clock=self.clock, tenants=self.tenants
        )
        return request_crawl(id_of(number), request, ports, self.operator)

    def end(self, number: int) -> None:
        """End a crawl as finish_crawl does; it may be repeated."""
        self.crawls.finish(id_of(number), status=CrawlStatus.COMPLETED, now=self.clock.time)
        self.launcher.launch(id_of(number))

    def statuses(self) -> list[CrawlStatus]:
        return [row.status for row in reversed(self.crawls.of_tenant("t", limit=99))]


def id_of(number: int) -> CrawlId:
    return CrawlId(tenant="t", site=f"s{number}", crawl=f"c{number}")


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, most=2)


def test_crawls_above_the_limit_are_queued_and_start_in_their_order(desk: Desk) -> None:
    assert [desk.request(number).status for number in range(4)] == [RUNNING, RUNNING, QUEUED, QUEUED]
    assert desk.executions.started == ["c0", "c1"]
    desk.end(1)
    assert desk.statuses() == [RUNNING, CrawlStatus.COMPLETED, RUNNING, QUEUED]
    desk.end(0)
    desk.end(2)
    assert desk.executions.started == ["c0", "c1", "c2", "c3"]
    desk.database.close()


def test_the_step_that_ends_a_crawl_can_be_repeated(desk: Desk) -> None:
    for number in range(4):
        desk.request(number)
    for _ in range(3):
        desk.end(0)
    assert (desk.executions.started, desk.statuses().count(RUNNING)) == (["c0", "c1", "c2"], 2)
    desk.database.close()


def test_a_start_that_fails_is_made_up_for(desk: Desk) -> None:
    for number in range(3):
        desk.request(number)
    desk.executions.failures = 1
    with pytest.raises(StoreBusyError):
        desk.end(0)
    desk.end(0)
    assert desk.executions.started[:3] == ["c0", "c1", "c2"]
    desk.database.close()


def test_a_tenants_own_limit_replaces_the_operators(desk: Desk) -> None:
    change = TenantChange(max_running_crawls=1)
    change_tenant("t", change, tenants=desk.tenants, own="t", now=1.0)
    assert [desk.request(number).status for number in range(2)] == [RUNNING, QUEUED]
    desk.database.close()


def test_time_in_the_queue_does_not_count_as_time_of_the_crawl(desk: Desk) -> None:
    for number in range(3):
        row = desk.request(number)
    desk.clock.time += 500.0
    desk.end(0)
    waited = desk.crawls.read(row.id)
    assert waited is not None
    limited = replace(waited, settings=replace(waited.settings, max_seconds=60.0))
    assert CrawlLimits(limited, 1_000.0).ends_at == row.started_at + 560.0
    assert CrawlLimits(limited, 520.0).ends_at == row.started_at + 520.0
    desk.database.close()


def test_a_crawl_that_can_never_start_fails_and_holds_nothing_up(desk: Desk) -> None:
    desk.executions.taken = frozenset({"c0"})
    desk.request(0)
    desk.request(1)
    assert desk.statuses() == [CrawlStatus.FAILED, RUNNING]
    failed = desk.crawls.read(id_of(0))
    assert failed is not None
    assert failed.error == "an internal error; the operator's log names the cause"
    assert desk.crawls.queue("t") == []
    assert desk.executions.started == ["c1"]


def test_a_resumed_crawl_waits_for_its_turn_and_starts_in_a_new_execution(desk: Desk) -> None:
    for number in range(3):
        desk.request(number)
    desk.crawls.finish(id_of(0), status=CrawlStatus.FAILED, now=1.0)
    desk.launcher.launch(id_of(0))
    resume_crawl(id_of(0), desk.crawls)
    desk.launcher.launch(id_of(0))
    assert desk.statuses() == [QUEUED, RUNNING, RUNNING]
    desk.end(1)
    assert desk.executions.started == ["c0", "c1", "c2", "c0-1"]
    desk.database.close()
