"""Repeated and interrupted requests start a crawl once."""

import re
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.support.some_ports import some_ports

from wavecrawl.adapters.clock import SystemClock
from wavecrawl.adapters.embedded.crawls import SqliteCrawls
from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.folder import FolderObjects
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.request_crawl import CrawlRequest, request_crawl
from wavecrawl.application.start_crawl import crawl_id_at, site_of
from wavecrawl.application.url_list import load_urls
from wavecrawl.bootstrap.local_settings import LocalSettings
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import ResultFile
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.errors import CorruptDataError, CrawlRunningError, InvalidSettingsError, InvalidUrlError, StoreBusyError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.tenants import TenantRow

FIRST = CrawlId(tenant="t", site="s", crawl="c1")
SECOND = CrawlId(tenant="t", site="s", crawl="c2")


class Launches:
    """A launcher that fails a given number of times."""

    def __init__(self, failures: int = 0) -> None:
        self.launched: list[str] = []
        self._failures = failures

    def launch(self, crawl: CrawlId) -> None:
        if self._failures:
            self._failures -= 1
            raise StoreBusyError("not now")
        self.launched.append(crawl.crawl)

    def make_results(self, crawl: CrawlId) -> None:
        raise AssertionError(f"results of {crawl} are made")

    def make_files(self, crawl: CrawlId, files: Collection[ResultFile], *, now: float) -> None:
        raise AssertionError(f"{files} of {crawl} are made at {now}")


class Desk:
    """The ports for requesting crawls."""

    def __init__(self, folder: Path) -> None:
        self.database = Database(folder / "db.sqlite")
        self.crawls = SqliteCrawls(self.database)
        self.objects = FolderObjects(folder)
        self.tenants = SqliteTenants(self.database)

    def ask(self, id_: CrawlId, launches: Launches, url: str = "https://example.com/", pages: int = 10) -> CrawlRow:
        return self.ask_with(id_, launches, CrawlSettings(max_pages=pages), url)

    def ask_with(
        self, id_: CrawlId, launches: Launches, settings: CrawlSettings, url: str = "https://example.com/"
    ) -> CrawlRow:
        request = CrawlRequest(url=url, settings=settings)
        ports = some_ports(
            crawls=self.crawls, objects=self.objects, launcher=launches, clock=SystemClock(), tenants=self.tenants
        )
        return request_crawl(id_, request, ports, OperatorSettings(tenant="t"))


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_a_crawl_is_written_down_and_launched(desk: Desk) -> None:
    launches = Launches()
    row = desk.ask(FIRST, launches)
    assert (desk.crawls.read(FIRST), launches.launched) == (row, ["c1"])
    desk.database.close()


def test_asking_again_changes_nothing(desk: Desk) -> None:
    launches = Launches()
    row = desk.ask(FIRST, launches)
    assert desk.ask(FIRST, launches, pages=99) == row
    desk.crawls.finish(FIRST, status=CrawlStatus.COMPLETED, now=1.0)
    assert desk.ask(FIRST, launches).status is CrawlStatus.COMPLETED
    assert launches.launched == ["c1", "c1"]  # not launched after its end
    desk.database.close()


def test_a_start_that_died_half_way_is_finished_by_its_repeat(desk: Desk) -> None:
    launches = Launches(failures=1)
    with pytest.raises(StoreBusyError):
        desk.ask(FIRST, launches)
    desk.ask(FIRST, launches)
    assert launches.launched == ["c1"]
    desk.database.close()


def test_a_lock_without_a_crawl_behind_it_cannot_last(desk: Desk) -> None:
    launches = Launches(failures=1)
    with pytest.raises(StoreBusyError):
        desk.ask(FIRST, launches)
    with pytest.raises(
        CrawlRunningError, match=r"https://example\.com/ is being crawled already, by crawl c1"
    ) as caught:
        desk.ask(SECOND, launches)
    assert (caught.value.crawl, launches.launched) == ("c1", ["c1"])
    assert desk.crawls.read(SECOND) is None
    desk.database.close()


def test_bad_requests_start_nothing(desk: Desk) -> None:
    launches = Launches()
    with pytest.raises(InvalidUrlError):
        desk.ask(FIRST, launches, url="mailto:someone@example.com")
    with pytest.raises(InvalidSettingsError, match="max_pages"):
        desk.ask(FIRST, launches, pages=0)
    assert (desk.crawls.read(FIRST), launches.launched) == (None, [])
    desk.database.close()


def test_sites_are_named_by_their_root() -> None:
    settings = CrawlSettings()
    name = site_of("https://example.com/", settings)
    assert name.startswith("example.com-")
    assert site_of("https://EXAMPLE.com", settings) == name
    assert site_of("https://example.com/docs/", settings) != name
    assert site_of("http://127.0.0.1:8080/", settings).startswith("127.0.0.1-")
    assert site_of("http://[::1]:8080/", settings).startswith("__1-")


@pytest.mark.parametrize("host", ['a"b.example', "a;b.example", "a'b.example", "{a}.example", "..", "~"])
def test_names_of_sites_hold_nothing_that_means_something_in_a_header_or_a_path(host: str) -> None:
    name = site_of(f"http://{host}/", CrawlSettings())
    assert re.fullmatch(r"[A-Za-z0-9._-]+-[0-9a-f]{8}", name)
    assert name != site_of(f"http://{host}x/", CrawlSettings())


def test_names_of_sites_are_no_longer_than_those_of_folders_may_be() -> None:
    first, second = (f"http://{'.'.join(['a' * 60] * 4)}.{end}/" for end in ("example", "other"))
    names = {site_of(url, CrawlSettings()) for url in (first, second)}
    assert len(names) == 2
    assert max(map(len, names)) < 255


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://example.com/", "example.com-64e50955"),
        ("https://example.com/docs", "example.com-e36fd30a"),
        ("https://example.com/docs/", "example.com-e36fd30a"),
        ("https://example.com/docs/?a=1", "example.com-f427aa3a"),
    ],
)
def test_ids_of_sites_do_not_change(url: str, site: str) -> None:
    assert site_of(url, CrawlSettings()) == site  # data folders and saved sites have these names


def test_ids_of_crawls_sort_by_time() -> None:
    assert crawl_id_at(0.0, "0123456789abcdef") == "19700101-000000-000012345678"
    assert crawl_id_at(1_800_000_000.9, "x") == "20270115-080000-e66x"
    times = (1_800_000_000.0, 1_800_000_000.001, 1_800_000_000.5, 1_800_000_000.999, 1_800_000_001.0)
    ids = [crawl_id_at(at, name) for at, name in zip(times, "edcba", strict=True)]
    assert ids == sorted(ids)


def test_crawls_that_start_at_the_same_moment_have_different_ids() -> None:
    names = [sha256(f"schedule#t/s{number}#2026-11-28T09:00:00Z".encode()).hexdigest() for number in range(20_000)]
    assert len({crawl_id_at(1_800_000_000.0, name) for name in names}) == len(names)


def test_a_cost_limit_is_refused_where_crawls_cost_nothing(tmp_path: Path) -> None:
    desk, launches = Desk(tmp_path), Launches()
    ports = some_ports(
        crawls=desk.crawls, objects=desk.objects, launcher=launches, clock=SystemClock(), tenants=desk.tenants
    )
    here = LocalSettings(tenant="t")
    limited = CrawlRequest(url="https://example.com/", settings=CrawlSettings(budget_usd=0.5))
    with pytest.raises(InvalidSettingsError, match="budget_usd limits the cost of AWS"):
        request_crawl(FIRST, limited, ports, here)
    assert launches.launched == []
    desk.tenants.create(TenantRow(tenant="t", name="t", plan=Plan.FREE))
    request = CrawlRequest(url="https://example.com/", settings=CrawlSettings(max_pages=10))
    assert request_crawl(FIRST, request, ports, here).settings.budget_usd == 0.0, "the plan's limit does not apply"
    in_aws = OperatorSettings(tenant="t")
    assert (
        request_crawl(
            replace(SECOND, site="s2"), replace(request, url="https://example.org/"), ports, in_aws
        ).settings.budget_usd
        == 0.05
    )


def listing(*urls: str) -> CrawlSettings:
    return CrawlSettings(discovery=Discovery.LIST, urls=urls)


def test_a_list_of_urls_is_stored_beside_the_crawl(desk: Desk) -> None:
    urls = ("https://example.com/b", "https://example.com/a")
    row = desk.ask_with(FIRST, Launches(), listing(*urls))
    assert (row.settings.discovery, row.settings.urls) == (Discovery.LIST, ())
    assert desk.crawls.read(FIRST) == row
    assert load_urls(desk.objects, FIRST) == urls


def test_a_repeated_request_keeps_the_list(desk: Desk) -> None:
    launches = Launches(failures=1)
    with pytest.raises(StoreBusyError):
        desk.ask_with(FIRST, launches, listing("https://example.com/a"))
    desk.ask_with(FIRST, launches, listing("https://example.com/a"))
    with pytest.raises(CrawlRunningError):
        desk.ask_with(SECOND, launches, listing("https://example.com/b"))
    assert load_urls(desk.objects, FIRST) == ("https://example.com/a",)


def test_a_list_with_an_invalid_url_is_not_stored(desk: Desk) -> None:
    with pytest.raises(InvalidUrlError):
        desk.ask_with(FIRST, Launches(), listing("https://example.com/a", "nowhere"))
    with pytest.raises(CorruptDataError, match=r"the list of URLs of crawl .* is missing"):
        load_urls(desk.objects, FIRST)


def test_a_list_that_cannot_be_read_is_reported(desk: Desk) -> None:
    desk.objects.put(FIRST, "frontier/urls.msgpack", b"no list")
    with pytest.raises(CorruptDataError, match=r"the list of URLs of crawl .* cannot be read"):
        load_urls(desk.objects, FIRST)
