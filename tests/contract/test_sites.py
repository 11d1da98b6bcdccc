from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from msgspec.structs import replace

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.sites import SiteRow

SITE = SiteRow(
    tenant="t",
    site="example.com-1",
    url="https://example.com/",
    name="Example",
    settings=CrawlSettings(max_pages=7, polite=PoliteSettings(interval=0.5)),
    named=frozenset({"media.include"}),
    schedule=Schedule(frequency=Frequency.CRON, cron="30 4 * * 1-5", timezone="Europe/Berlin"),
    created_at=5.25,
    changed_at=6.0,
)


def test_a_site_comes_back_as_it_was_saved(stores: Ports) -> None:
    assert stores.sites.read("t", "example.com-1") is None
    assert stores.sites.create(SITE)
    assert stores.sites.read("t", "example.com-1") == SITE


def test_a_site_that_exists_is_not_created_again(stores: Ports) -> None:
    stores.sites.create(SITE)
    assert not stores.sites.create(replace(SITE, name="Another"))
    assert stores.sites.read("t", "example.com-1") == SITE


def test_a_site_is_its_tenants_alone(stores: Ports) -> None:
    stores.sites.create(SITE)
    assert stores.sites.read("u", "example.com-1") is None
    assert not stores.sites.update(replace(SITE, tenant="u", version=2))
    assert not stores.sites.delete("u", "example.com-1")
    assert stores.sites.of_tenant("u", limit=9) == []
    assert stores.sites.read("t", "example.com-1") == SITE


def test_a_change_must_know_the_version_before_it(stores: Ports) -> None:
    stores.sites.create(SITE)
    changed = replace(SITE, name="Changed", schedule=Schedule(), changed_at=9.0, version=2)
    assert stores.sites.update(changed)
    assert not stores.sites.update(replace(changed, name="Late"))
    assert not stores.sites.update(replace(changed, name="Early", version=4))
    assert stores.sites.read("t", "example.com-1") == changed


def test_what_does_not_exist_is_not_changed(stores: Ports) -> None:
    assert not stores.sites.update(replace(SITE, version=2))
    assert stores.sites.read("t", "example.com-1") is None


def test_a_deleted_site_is_gone_and_may_be_created_again(stores: Ports) -> None:
    stores.sites.create(SITE)
    assert stores.sites.delete("t", "example.com-1")
    assert not stores.sites.delete("t", "example.com-1")
    assert stores.sites.read("t", "example.com-1") is None
    assert stores.sites.create(SITE)


def numbered(number: int, tenant: str = "t") -> SiteRow:
    return replace(SITE, tenant=tenant, site=f"{number:02}.example")


def test_a_tenant_has_no_more_sites_than_it_may(stores: Ports) -> None:
    assert [stores.sites.create(numbered(number), most=2) for number in range(3)] == [True, True, False]
    assert stores.sites.read("t", "02.example") is None
    assert stores.sites.create(numbered(2, "u"), most=2)
    assert stores.sites.create(numbered(2), most=3)
    assert stores.sites.create(numbered(3))


def test_sites_that_exist_or_never_did_are_not_counted(stores: Ports) -> None:
    stores.sites.create(numbered(0), most=2)
    assert not stores.sites.create(numbered(0), most=2)
    assert not stores.sites.delete("t", "09.example")
    assert [stores.sites.create(numbered(number), most=2) for number in (1, 2)] == [True, False]


def test_a_deleted_site_makes_room_for_another(stores: Ports) -> None:
    stores.sites.create(numbered(0), most=1)
    stores.sites.delete("t", "00.example")
    assert [stores.sites.create(numbered(number), most=1) for number in (1, 2)] == [True, False]


def test_of_many_new_sites_at_once_as_many_are_saved_as_may_be(another: Callable[[], Ports]) -> None:
    workers = [another() for _ in range(4)]
    with ThreadPoolExecutor(20) as pool:
        jobs = [pool.submit(workers[n % 4].sites.create, numbered(n), most=7) for n in range(20)]
        made = [job.result() for job in jobs]
    assert sum(made) == 7
    assert len(another().sites.of_tenant("t", limit=99)) == 7


def test_a_tenants_sites_are_listed_by_their_ids(stores: Ports) -> None:
    for number in (2, 1, 3):
        stores.sites.create(replace(SITE, site=f"{number}.example"))
    stores.sites.create(replace(SITE, tenant="u", site="0.example"))
    assert [one.site for one in stores.sites.of_tenant("t", limit=9)] == ["1.example", "2.example", "3.example"]
    assert [one.site for one in stores.sites.of_tenant("t", limit=2)] == ["1.example", "2.example"]
    assert stores.sites.of_tenant("t", limit=1, after="2.example") == [replace(SITE, site="3.example")]
    assert stores.sites.of_tenant("t", limit=1, after="3.example") == []
    assert [one.site for one in stores.sites.of_tenant("t", limit=2, after="1.exam")] == ["1.example", "2.example"]


def test_of_many_changes_at_once_one_is_made(another: Callable[[], Ports]) -> None:
    another().sites.create(SITE)
    everybody = [another() for _ in range(6)]
    with ThreadPoolExecutor(6) as pool:
        made = list(
            pool.map(lambda one: one[1].sites.update(replace(SITE, name=f"n{one[0]}", version=2)), enumerate(everybody))
        )
    assert sum(made) == 1
    assert another().sites.read("t", "example.com-1") == replace(SITE, name=f"n{made.index(True)}", version=2)
