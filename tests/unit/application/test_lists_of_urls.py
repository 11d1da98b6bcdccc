"""Lists are created, checked and deleted, and kept while sites name them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.uploaded_lists import (
    check_list,
    create_list,
    delete_list,
    find_list,
    give_list,
    hold_list,
    lists_of,
    release_list,
)
from wavecrawl.application.url_list import load_urls
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.lists.state import ListState
from wavecrawl.domain.tenants.limits import MOST_LISTS, MOST_SITES_OF_A_LIST
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.errors import ConflictError, InvalidInputError, NotFoundError, PlanLimitError
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.ports.url_lists import UrlList

NOW = 1_000_000.0
DAY = 86_400.0
PRO = TenantRow(tenant="t", name="t", plan=Plan.PRO)
FREE = replace(PRO, plan=Plan.FREE)
UNLIMITED = replace(PRO, plan=Plan.UNLIMITED)
CRAWL = CrawlId(tenant="t", site="s", crawl="c1")
TWO = b"# two\nhttps://a.example/1\nhttps://a.example/2\n"


@pytest.fixture(name="store")
def a_store(tmp_path: Path) -> Iterator[LocalStore]:
    store = LocalStore(tmp_path)
    yield store
    store.close()


class Desk:
    """Lists of one tenant."""

    def __init__(self, store: LocalStore, operator: OperatorSettings | None = None) -> None:
        self.lists = store.url_lists
        self.objects = store.objects
        self.root = store.root
        self.operator = operator or OperatorSettings(tenant="own")

    def create(self, name: str = "list-1", *, size: int = 20, now: float = NOW) -> UrlList:
        return create_list("t", name, name="Products", size=size, lists=self.lists, operator=self.operator, now=now)

    def upload(self, data: bytes, name: str = "list-1") -> None:
        path = self.root / "uploads" / "t" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def check(self, row: UrlList, tenant: TenantRow = PRO, *, now: float = NOW) -> UrlList:
        return check_list(row, tenant=tenant, lists=self.lists, operator=self.operator, now=now)

    def ready(self, data: bytes = TWO, name: str = "list-1", tenant: TenantRow = PRO) -> UrlList:
        row = self.create(name)
        self.upload(data, name)
        return self.check(row, tenant)

    def give(self, name: str = "list-1", tenant: TenantRow = PRO, *, now: float = NOW) -> tuple[str, ...]:
        give_list(CRAWL, name, tenant=tenant, lists=self.lists, now=now)
        return tuple(load_urls(self.objects, CRAWL, name))

    def stored(self, name: str = "list-1") -> UrlList:
        row = self.lists.read("t", name)
        assert row is not None
        return row


@pytest.fixture(name="desk")
def a_desk(store: LocalStore) -> Desk:
    return Desk(store)


def test_a_new_list_waits_for_its_file(desk: Desk) -> None:
    row = desk.create()
    assert (row.state, row.urls, row.bytes) == (ListState.WAITING, 0, 20)
    assert desk.stored() == row
    assert desk.create() == row  # a repeated request


@pytest.mark.parametrize("size", [0, -1, 100_000_001])
def test_a_list_has_a_size_that_can_be_uploaded(desk: Desk, size: int) -> None:
    with pytest.raises(InvalidInputError, match="bytes: must be from 1 to 100,000,000"):
        desk.create(size=size)


def test_a_name_must_be_printable(desk: Desk) -> None:
    with pytest.raises(InvalidInputError, match="name: must be at most 200 printable characters"):
        create_list("t", "list-1", name="a\nb", size=9, lists=desk.lists, operator=desk.operator, now=NOW)


def test_a_tenant_has_a_limited_number_of_lists(desk: Desk) -> None:
    for number in range(MOST_LISTS):
        desk.create(f"list-{number}")
    with pytest.raises(ConflictError, match="a tenant can have 100 lists; delete one"):
        desk.create("one-more")
    assert desk.create("list-0") == desk.stored("list-0")
    desk.lists.delete("t", "list-0")
    assert desk.create("one-more").list == "one-more"


def test_a_checked_list_is_ready_and_can_be_crawled(desk: Desk) -> None:
    row = desk.ready()
    assert (row.state, row.urls, row.problem) == (ListState.READY, 2, "")
    assert desk.stored() == row
    assert desk.lists.uploaded("t", "list-1") is None
    assert desk.check(row) == row  # again, without an upload
    assert desk.give() == ("https://a.example/1", "https://a.example/2")


def test_a_list_that_another_request_has_checked_is_ready(desk: Desk) -> None:
    before = desk.create()
    desk.upload(TWO)
    ready = desk.check(before)
    assert desk.check(before) == ready


def test_a_list_without_an_upload_cannot_be_checked(desk: Desk) -> None:
    row = desk.create()
    with pytest.raises(ConflictError, match=r"list list-1: send the file to upload\.url"):
        desk.check(row)
    assert desk.stored() == row


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (b"https://a.example/\nnowhere\n", "line 2: not a URL: 'nowhere'"),
        (b"# nothing\n", "the list contains no URL"),
    ],
)
def test_a_list_that_cannot_be_used_says_why(desk: Desk, data: bytes, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=f"list list-1: {problem}.*upload it as a new list"):
        desk.ready(data)
    row = desk.stored()
    assert row.state is ListState.INVALID
    assert row.problem.startswith(problem)
    with pytest.raises(InvalidInputError, match=f"url_list: list list-1 cannot be used: {problem}"):
        desk.give()


def test_a_list_that_is_too_long_for_the_plan_is_refused(desk: Desk) -> None:
    lines = b"https://a.example/\n" * 1_001
    with pytest.raises(PlanLimitError, match="more than 1,000 URLs, and plan free allows 1,000 per list") as caught:
        desk.ready(lines, tenant=FREE)
    assert (caught.value.limit, caught.value.ceiling) == ("max_list_urls", 1_000)
    assert desk.stored().state is ListState.INVALID
    assert desk.ready(lines, "list-2", PRO).urls == 1_001
    with pytest.raises(PlanLimitError, match="list list-2 has 1,001 URLs, and plan free allows 1,000"):
        desk.give("list-2", FREE)


def test_a_list_that_is_too_long_for_the_deployment_is_refused(store: LocalStore) -> None:
    desk = Desk(store, OperatorSettings(max_list_urls=1))
    with pytest.raises(InvalidInputError, match="more than 1 URLs, and this deployment allows 1 per list; divide"):
        desk.ready(tenant=UNLIMITED)
    assert desk.stored().problem == "the list has more than 1 URLs"


def test_text_that_is_too_large_for_the_deployment_is_refused(store: LocalStore) -> None:
    desk = Desk(store, OperatorSettings(max_list_mb=1))
    with pytest.raises(InvalidInputError, match="more than 1,000,000 bytes of text"):
        desk.ready(b"https://a.example/\n" * 53_000, tenant=UNLIMITED)


@pytest.mark.parametrize("name", ["list-2", "", "../t/list-1", "list-1\n", "ü"])
def test_a_list_that_does_not_exist_is_refused(desk: Desk, name: str) -> None:
    desk.ready()
    with pytest.raises(InvalidInputError, match=r"url_list: there is no list .*; upload it first: POST /v1/lists"):
        desk.give(name)


def test_a_list_of_another_tenant_does_not_exist(desk: Desk) -> None:
    desk.ready()
    with pytest.raises(InvalidInputError, match="there is no list 'list-1'"):
        desk.give(tenant=replace(PRO, tenant="u"))


def test_a_list_that_is_not_checked_is_refused(desk: Desk) -> None:
    desk.create()
    with pytest.raises(InvalidInputError, match=r"list list-1 is not checked yet; .* POST /v1/lists/list-1/check"):
        desk.give()


def test_a_list_whose_file_is_gone_is_refused(desk: Desk) -> None:
    desk.ready()
    (desk.root / "tenants/t/lists/list-1.txt.gz").unlink()
    with pytest.raises(InvalidInputError, match="list list-1 was deleted; upload it again"):
        desk.give()


def test_lists_are_listed_newest_first(desk: Desk) -> None:
    for number, name in enumerate(("list-b", "list-c", "list-a")):
        desk.create(name, now=NOW + number)
    assert [row.list for row in lists_of("t", lists=desk.lists, now=NOW)] == ["list-a", "list-c", "list-b"]


def test_a_list_that_is_never_uploaded_expires_after_a_day(desk: Desk) -> None:
    row = desk.create()
    assert find_list("t", "list-1", lists=desk.lists, now=NOW + DAY) == row
    assert find_list("t", "list-1", lists=desk.lists, now=NOW + DAY + 1) is None
    desk.upload(TWO)
    assert lists_of("t", lists=desk.lists, now=NOW + DAY + 1) == []
    assert desk.lists.read("t", "list-1") is None
    assert desk.lists.uploaded("t", "list-1") is None


def test_a_list_that_no_site_names_expires_after_90_days(desk: Desk) -> None:
    row = desk.ready()
    assert row.expires_at == NOW + 90 * DAY
    assert desk.give(now=NOW + 90 * DAY)
    with pytest.raises(InvalidInputError, match="there is no list 'list-1'"):
        desk.give(now=NOW + 90 * DAY + 1)


def test_a_list_is_kept_while_a_site_names_it(desk: Desk) -> None:
    desk.ready()
    later = NOW + 900 * DAY
    for site in ("s1", "s2", "s1"):
        hold_list(PRO, "list-1", site, lists=desk.lists, now=NOW)
    held = desk.stored()
    assert (held.sites, held.expires_at) == (("s1", "s2"), 0.0)
    assert lists_of("t", lists=desk.lists, now=later) == [held]
    with pytest.raises(ConflictError, match="list list-1 belongs to 2 saved sites, such as s1; change url_list there"):
        delete_list(held, lists=desk.lists)
    release_list("t", "list-1", "s1", lists=desk.lists)
    assert desk.stored().expires_at == 0.0
    release_list("t", "list-1", "s2", lists=desk.lists)
    released = desk.stored()
    assert (released.sites, released.expires_at) == ((), NOW + 90 * DAY)
    assert lists_of("t", lists=desk.lists, now=later) == []


def test_what_a_site_never_named_is_not_released(desk: Desk) -> None:
    row = desk.ready()
    for name, site in (("list-1", "s1"), ("list-2", "s1")):
        release_list("t", name, site, lists=desk.lists)
    assert desk.stored() == row


def test_a_list_has_a_limited_number_of_sites(desk: Desk) -> None:
    row = desk.ready()
    sites = tuple(f"s{number}" for number in range(MOST_SITES_OF_A_LIST))
    desk.lists.update(replace(row, sites=sites, version=row.version + 1))
    with pytest.raises(ConflictError, match="list list-1 belongs to 1,000 sites, the maximum"):
        hold_list(PRO, "list-1", "another", lists=desk.lists, now=NOW)
    hold_list(PRO, "list-1", "s7", lists=desk.lists, now=NOW)


def test_a_deleted_list_is_gone_and_its_copies_stay(desk: Desk) -> None:
    row = desk.ready()
    urls = desk.give()
    delete_list(row, lists=desk.lists)
    assert desk.lists.read("t", "list-1") is None
    assert tuple(load_urls(desk.objects, CRAWL, "list-1")) == urls


def test_a_list_that_is_deleted_while_it_is_checked_stays_deleted(desk: Desk) -> None:
    row = desk.create()
    desk.upload(TWO)
    delete_list(row, lists=desk.lists)
    desk.upload(TWO)
    with pytest.raises(NotFoundError, match="list list-1 was deleted"):
        desk.check(row)
    assert not desk.lists.give("t", "list-1", CRAWL)


def test_a_list_that_is_checked_twice_at_once_stays_with_the_site_that_names_it(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second request reads the file before the first one deletes it, and stores the list again."""
    row = desk.create()
    desk.upload(TWO)
    uploaded, kept = iter((TWO,)), list[bool]()
    monkeypatch.setattr(desk.lists, "keep", lambda *_, forever: kept.append(forever))
    desk.check(row)
    hold_list(PRO, "list-1", "s1", lists=desk.lists, now=NOW)
    held = desk.stored()
    kept.clear()
    monkeypatch.setattr(desk.lists, "uploaded", lambda *_: uploaded)
    checked = desk.check(row, now=NOW + DAY)
    assert (checked.sites, checked.expires_at, desk.stored().expires_at) == (("s1",), 0.0, held.expires_at)
    assert kept == [True]  # the list that was stored again has the tag of lists without a site


def test_concurrent_changes_of_a_list_are_all_kept(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ready()
    update = desk.lists.update

    def after_another(row: UrlList) -> bool:
        monkeypatch.undo()
        release_list("t", "list-1", "s1", lists=desk.lists)
        return update(row)

    hold_list(PRO, "list-1", "s1", lists=desk.lists, now=NOW)
    monkeypatch.setattr(desk.lists, "update", after_another)
    hold_list(PRO, "list-1", "s2", lists=desk.lists, now=NOW)
    assert desk.stored().sites == ("s2",)


def test_a_list_that_others_change_all_the_time_is_reported(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.ready()
    monkeypatch.setattr(desk.lists, "update", lambda _: False)
    with pytest.raises(ConflictError, match="list list-1 is being changed by other requests; try again"):
        hold_list(PRO, "list-1", "s1", lists=desk.lists, now=NOW)
