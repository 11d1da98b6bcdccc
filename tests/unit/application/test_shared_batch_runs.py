"""A batch that several hosts share: each host has its own start, pace and pauses."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from threading import Barrier, Lock

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.application.check_batch import check_batch
from wavecrawl.application.fetch_batch import fetch_batch
from wavecrawl.application.worker_ports import WorkerPorts, worker_ports
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import BatchId, BatchJob, BatchKind, HostPart, JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction
from wavecrawl.domain.politeness.pace import Pace
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.urls.url import host_of
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser, never
from wavecrawl.ports.signals import ANOTHER_WAVE, Following

HTML = (("Content-Type", "text/html"),)


@dataclass(slots=True)
class Hosts:
    """A page client for hosts that respond after 0.1 s, ask for a pause, or do not respond."""

    clock: StillClock
    busy: frozenset[str] = frozenset()
    silent: frozenset[str] = frozenset()
    starts: dict[str, list[float]] = field(default_factory=dict)  # of requests for pages, by host

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url.endswith("/robots.txt"):
            return Exchange(url=request.url, status=404, headers=HTML, body=b"", raw_body=b"")
        host = host_of(request.url)
        self.starts.setdefault(host, []).append(self.clock.now())
        self.clock.time += 0.1
        if host in self.silent:
            return Exchange(url=request.url, status=None, fault=TransportFault.RESET)
        if host in self.busy:
            return Exchange(url=request.url, status=429, headers=(*HTML, ("Retry-After", "77")))
        return Exchange(url=request.url, status=200, headers=HTML, body=b"<p>page", raw_body=b"<p>page")

    def download(self, request: FetchRequest, path: Path) -> Exchange:
        raise NotImplementedError

    def close(self) -> None:
        """Do nothing."""


class Signals:
    """`ports.signals.Signals` that nobody waits for."""

    def succeed(self, token: str, following: Following = ANOTHER_WAVE) -> None:
        """Do nothing."""


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> Iterator[LocalStore]:
    store = LocalStore(tmp_path)
    yield store
    store.close()


def run(
    store: LocalStore,
    client: Hosts,
    parts: dict[str, tuple[int, float, float]],
    *,
    work: Callable[[BatchJob, WorkerPorts], bool] = fetch_batch,
    kind: BatchKind = BatchKind.FETCH,
    parser: PageParser | None = None,
    measure: Callable[[PageRecord, float], None] = lambda _, __: None,
) -> dict[str, list[PageRecord]]:
    """Run a batch with a number of URLs of each host, its interval, and its start in seconds from now."""
    clock = client.clock
    polite = PoliteSettings(in_flight=1, adapt=False, cooldown=9.0)
    settings = CrawlSettings(discovery=Discovery.LIST, urls=("https://a.example/",), polite=polite)
    row = store.start("https://a.example/", settings)
    store.crawls.settle_root(row.id, "https://a.example/")
    row = replace(row, root_url="https://a.example/")
    urls = [f"https://{host}/{number}" for host, (count, _, _) in parts.items() for number in range(count)]
    items = tuple(JobItem(url=url, key=sha256(url.encode()).hexdigest()[:32], depth=0, tries=1) for url in urls)
    now = clock.now()
    shared = tuple(
        HostPart(host=host, count=count, starts_at=now + start, pace=Pace(interval=interval, in_flight=1))
        for host, (count, interval, start) in parts.items()
    )
    id_ = BatchId(crawl=row.id, wave=1, batch=0)
    store.waves.create(row.id, 1, planned=1)
    job = BatchJob(
        id=id_,
        kind=kind,
        host=shared[0].host,
        items=items,
        starts_at=now,
        pace=shared[0].pace,
        parts=shared,
    )
    records: dict[str, list[PageRecord]] = {}

    def note(record: PageRecord) -> None:
        records.setdefault(host_of(record.url), []).append(record)

    ports = worker_ports(
        row,
        store,
        client,
        signals=Signals(),
        owner="w",
        watch=note,
        watch_check=note,
        parser=parser,
        measure=measure,
    )
    assert work(job, structs.replace(ports, clock=clock))
    return records


@pytest.fixture(name="clock")
def a_clock(store: LocalStore) -> StillClock:
    clock = StillClock(store.clock.now())
    store.clock = clock  # type: ignore[assignment]  # a clock that stands still
    return clock


class Distant(UnlimitedParser):
    """A parser with another process, which takes 1,000 s of processor time for each page."""

    def __init__(self) -> None:
        self._pages = 0

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Read a page."""
        self._pages += 1
        return super().read(html, how, is_stopped=is_stopped)

    def cpu_seconds(self) -> float:
        """Return the time of all pages, as one thread reads them."""
        return 1_000.0 * self._pages


def test_the_processor_time_of_a_page_is_that_of_all_its_processes(store: LocalStore, clock: StillClock) -> None:
    measured: list[float] = []
    run(
        store,
        Hosts(clock),
        {"a.example": (2, 1.0, 0.0)},
        parser=Distant(),
        measure=lambda _, seconds: measured.append(seconds),
    )
    assert [round(seconds, -2) for seconds in measured] == [1_000.0, 1_000.0]


def test_each_host_is_requested_at_its_own_pace_and_in_parallel(store: LocalStore, clock: StillClock) -> None:
    client = Hosts(clock)
    began = clock.now()
    records = run(store, client, {"a.example": (3, 1.0, 0.0), "b.example": (2, 2.0, 0.0), "c.example": (1, 30.0, 0.0)})
    gaps = {host: [later - earlier for earlier, later in pairwise(starts)] for host, starts in client.starts.items()}
    assert [len(found) for found in gaps.values()] == [2, 1, 0]
    assert min(gaps["a.example"]) >= 1.0
    assert min(gaps["b.example"]) >= 2.0
    assert clock.now() - began < 3.5, "hosts wait side by side: one after another, they would take 4 s and more"
    assert {record.state for found in records.values() for record in found} == {UrlState.FETCHED}


class Together(Hosts):
    """A page client whose responses come when so many hosts have an open request, with how many each had at most."""

    def __init__(self, clock: StillClock, hosts: int) -> None:
        super().__init__(clock)
        self.all_open = Barrier(hosts)
        self.lock = Lock()
        self.open: Counter[str] = Counter()
        self.most_open: Counter[str] = Counter()

    def fetch(self, request: FetchRequest) -> Exchange:
        if request.url.endswith("/robots.txt"):
            return super().fetch(request)
        host = host_of(request.url)
        with self.lock:
            self.open[host] += 1
            self.most_open[host] = max(self.most_open[host], self.open[host])
        self.all_open.wait(HANG)
        with self.lock:
            self.open[host] -= 1
        return super().fetch(request)


def test_checks_of_several_hosts_do_not_wait_for_each_other(store: LocalStore, clock: StillClock) -> None:
    parts = {f"h{number}.example": (3, 0.0, 0.0) for number in range(6)}
    client = Together(clock, len(parts))
    records = run(store, client, parts, work=check_batch, kind=BatchKind.CHECK)
    assert {host: len(found) for host, found in records.items()} == dict.fromkeys(parts, 3)
    assert client.most_open == dict.fromkeys(parts, 1)


def test_no_request_starts_before_the_turn_of_its_host(store: LocalStore, clock: StillClock) -> None:
    client, now = Hosts(clock), clock.now()
    run(store, client, {"a.example": (2, 0.04, 0.0), "b.example": (2, 0.04, 1.5)})
    assert client.starts["a.example"][0] < now + 1.5
    assert min(client.starts["b.example"]) >= now + 1.5


def test_a_host_that_asks_for_a_pause_pauses_no_other(store: LocalStore, clock: StillClock) -> None:
    client = Hosts(clock, busy=frozenset({"busy.example"}))
    records = run(store, client, {"busy.example": (4, 0.04, 0.0), "b.example": (4, 0.04, 0.0)})
    assert len(client.starts["busy.example"]) == 1
    assert len(client.starts["b.example"]) == 4
    postponed = [record for record in records["busy.example"] if record.reason is Reason.HOST_PAUSED]
    assert [record.retry_after for record in postponed] == [77.0] * 3
    assert [record.tries for record in postponed] == [0] * 3, "a postponed URL was not tried"
    assert {record.state for record in records["b.example"]} == {UrlState.FETCHED}


def test_a_host_that_does_not_respond_pauses_no_other(store: LocalStore, clock: StillClock) -> None:
    client = Hosts(clock, silent=frozenset({"silent.example"}))
    records = run(store, client, {"silent.example": (8, 0.04, 0.0), "b.example": (8, 0.04, 0.0)})
    assert len(client.starts["silent.example"]) == 5
    assert [record.reason for record in records["silent.example"]].count(Reason.HOST_PAUSED) == 3
    assert len(client.starts["b.example"]) == 8


def test_faults_of_several_hosts_do_not_add_up(store: LocalStore, clock: StillClock) -> None:
    silent = {f"s{number}.example": (1, 0.04, 0.0) for number in range(7)}
    client = Hosts(clock, silent=frozenset(silent))
    run(store, client, {**silent, "b.example": (2, 0.04, 0.0)})
    assert {host: len(starts) for host, starts in client.starts.items()} == {**dict.fromkeys(silent, 1), "b.example": 2}


def test_urls_whose_turn_is_later_than_planned_are_postponed_and_nobody_waits(
    store: LocalStore, clock: StillClock
) -> None:
    client, began = Hosts(clock), clock.now()
    records = run(store, client, {"late.example": (2, 0.04, 60.0), "b.example": (2, 0.04, 0.0)})
    assert "late.example" not in client.starts
    assert {record.reason for record in records["late.example"]} == {Reason.HOST_PAUSED}
    assert all(59.0 < record.retry_after <= 60.0 for record in records["late.example"])
    assert len(client.starts["b.example"]) == 2
    assert clock.now() - began < 2.0
