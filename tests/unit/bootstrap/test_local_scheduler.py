"""The local scheduler, tick by tick."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

import pytest
from tests.support.patience import HANG
from tests.support.sites import OPERATED, OWN, WEEKLY, SiteDesk, site_desk

from wavecrawl.adapters.embedded.scheduler import LocalScheduler
from wavecrawl.application.start_site import Skip, start_scheduled
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.errors import CorruptDataError, StoreBusyError, WavecrawlError

HOUR, WEEK = 3_600.0, 7 * 86_400.0
SUNDAY = 1_767_960_000.0 + 37 * HOUR  # 2026-01-11, 01:00: the end of the first window of a weekly schedule


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Iterator[SiteDesk]:
    with site_desk(tmp_path) as opened:
        yield opened


@dataclass
class Starts:
    """Recorded starts, with an error for each start that fails."""

    crawls: list[CrawlId] = field(default_factory=list)
    errors: list[WavecrawlError] = field(default_factory=list)
    skip: Skip | None = None

    def __call__(self, crawl: CrawlId) -> Skip | None:
        self.crawls.append(crawl)
        if self.errors:
            raise self.errors.pop(0)
        return self.skip


@pytest.fixture(name="starts")
def the_starts() -> Starts:
    return Starts()


@pytest.fixture(name="scheduler")
def a_scheduler(desk: SiteDesk, starts: Starts) -> LocalScheduler:
    return LocalScheduler(desk.schedules, starts, desk.clock)


def test_a_site_is_started_when_its_time_has_come(desk: SiteDesk, starts: Starts, scheduler: LocalScheduler) -> None:
    site = desk.save()
    assert scheduler.tick(SUNDAY - HOUR - 1.0) == []
    (crawl,) = scheduler.tick(SUNDAY)
    assert starts.crawls == [crawl]
    assert (crawl.tenant, crawl.site, crawl.crawl[:16]) == (OWN, site.site, "20260111-010000-")
    assert scheduler.tick(SUNDAY + 1.0) == []
    assert len(scheduler.tick(SUNDAY + WEEK)) == 1


def test_sites_of_the_same_time_are_spread_over_the_window(
    desk: SiteDesk, starts: Starts, scheduler: LocalScheduler
) -> None:
    sites = {desk.save(f"https://{number}.example/").site for number in range(40)}
    ticks = [len(scheduler.tick(SUNDAY - HOUR + minutes * 60.0)) for minutes in range(0, 61, 10)]
    assert (sum(ticks), {crawl.site for crawl in starts.crawls}) == (40, sites)
    assert max(ticks) < 20
    again = [len(scheduler.tick(SUNDAY + WEEK - HOUR + minutes * 60.0)) for minutes in range(0, 61, 10)]
    assert again == ticks  # each site keeps its place in the window


def test_after_a_gap_a_site_is_started_once(desk: SiteDesk, starts: Starts, scheduler: LocalScheduler) -> None:
    desk.save()
    late = SUNDAY + 5 * WEEK + 40 * HOUR
    assert len(scheduler.tick(late)) == 1
    assert scheduler.tick(late + HOUR) == []
    assert len(scheduler.tick(SUNDAY + 6 * WEEK)) == 1
    assert len(starts.crawls) == 2


def test_each_site_has_its_own_time(desk: SiteDesk, starts: Starts, scheduler: LocalScheduler) -> None:
    daily = Schedule(frequency=Frequency.CRON, cron="0 18 * * *")
    desk.save("https://daily.example/", schedule=daily)
    desk.save("https://weekly.example/")
    for hours in range(72):
        scheduler.tick(desk.clock.time + hours * HOUR)
    names = [crawl.site.partition(".")[0] for crawl in starts.crawls]
    assert names == ["daily", "daily", "weekly", "daily"]


def test_a_changed_schedule_counts_at_once(desk: SiteDesk, starts: Starts, scheduler: LocalScheduler) -> None:
    site = desk.save()
    desk.schedules.put(OWN, site.site, Schedule(frequency=Frequency.CRON, cron="* * * * *"))
    assert len(scheduler.tick(desk.clock.time + 60.0)) == 1
    desk.schedules.put(OWN, site.site, Schedule())
    assert scheduler.tick(SUNDAY + WEEK) == []
    assert len(starts.crawls) == 1


def test_a_site_that_is_left_out_waits_for_its_next_time(
    desk: SiteDesk, starts: Starts, scheduler: LocalScheduler
) -> None:
    desk.save()
    starts.skip = Skip.RUNNING
    assert scheduler.tick(SUNDAY) == []
    assert scheduler.tick(SUNDAY + HOUR) == []
    assert len(starts.crawls) == 1


def test_a_start_that_may_work_later_is_made_again_under_its_id(
    desk: SiteDesk, starts: Starts, scheduler: LocalScheduler
) -> None:
    desk.save()
    starts.errors = [StoreBusyError("not now")]
    assert scheduler.tick(SUNDAY) == []
    (crawl,) = scheduler.tick(SUNDAY + 5.0)
    assert starts.crawls == [crawl, crawl]
    assert scheduler.tick(SUNDAY + 10.0) == []


def test_one_site_that_cannot_be_started_does_not_hold_up_the_others(
    desk: SiteDesk, starts: Starts, scheduler: LocalScheduler
) -> None:
    desk.save("https://a.example/")
    desk.save("https://b.example/")
    starts.errors = [CorruptDataError("for good")]
    (crawl,) = scheduler.tick(SUNDAY)
    failed, started = starts.crawls
    assert started == crawl
    assert failed.site != crawl.site
    assert scheduler.tick(SUNDAY + HOUR) == []


def test_a_crawl_decided_by_a_dead_process_is_started_by_the_next(
    desk: SiteDesk, starts: Starts, scheduler: LocalScheduler
) -> None:
    desk.save()
    (due,) = desk.schedules.due(SUNDAY)
    desk.schedules.take(due, crawl="c1", now=SUNDAY)
    assert [crawl.crawl for crawl in scheduler.tick(SUNDAY + 5.0)] == ["c1"]
    assert scheduler.tick(SUNDAY + 10.0) == []
    assert len(starts.crawls) == 1


def test_a_due_site_is_crawled_unless_it_is_being_crawled(desk: SiteDesk) -> None:
    site = desk.save()
    scheduler = LocalScheduler(desk.schedules, lambda crawl: start_scheduled(crawl, desk.ports, OPERATED), desk.clock)
    (first,) = scheduler.tick(SUNDAY)
    assert scheduler.tick(SUNDAY + WEEK) == []  # the first crawl is still running
    desk.crawls.finish(first, status=CrawlStatus.COMPLETED, now=SUNDAY + WEEK)
    (second,) = scheduler.tick(SUNDAY + 2 * WEEK)
    assert desk.launches.crawls == [first, first, second]  # the lock's crawl is launched again, without effect
    assert desk.sites.read(OWN, site.site) == site


def test_the_thread_looks_until_it_is_stopped(desk: SiteDesk) -> None:
    desk.save(schedule=WEEKLY)
    desk.clock.time = SUNDAY
    started = Event()

    def start(_: CrawlId) -> None:
        started.set()

    scheduler = LocalScheduler(desk.schedules, start, desk.clock, pause=0.01)
    scheduler.start()
    assert started.wait(HANG)
    scheduler.stop()
    assert desk.schedules.due(SUNDAY) == []
    scheduler.stop()  # again, as an owner of several workers does


def test_what_has_expired_is_deleted_once_an_hour(desk: SiteDesk, starts: Starts) -> None:
    times: list[float] = []
    scheduler = LocalScheduler(desk.schedules, starts, desk.clock, delete_expired=times.append)
    for now in (0.0, 5.0, 3_599.0, 3_600.0, 3_605.0, 9_000.0):
        scheduler.tidy(now)
    assert times == [0.0, 3_600.0, 9_000.0]


def test_an_error_while_expired_data_is_deleted_keeps_no_site_from_its_crawl(desk: SiteDesk) -> None:
    desk.save(schedule=WEEKLY)
    desk.clock.time = SUNDAY - HOUR - 1.0
    started = Event()

    def start(_: CrawlId) -> None:
        started.set()

    def fail(_: float) -> None:
        desk.clock.time = SUNDAY
        raise OSError("the folder cannot be read")

    scheduler = LocalScheduler(desk.schedules, start, desk.clock, delete_expired=fail, pause=0.01)
    scheduler.start()
    assert started.wait(HANG)
    scheduler.stop()


@pytest.mark.parametrize("error", [StoreBusyError("not now"), OSError("too many processes")])
def test_a_failed_look_is_not_the_last(desk: SiteDesk, error: Exception) -> None:
    looks, again = [], Event()

    class Busy:
        def due(self, now: float) -> list[object]:
            looks.append(now)
            if len(looks) > 1:
                again.set()
            raise error

    busy = Busy()
    scheduler = LocalScheduler(busy, lambda _: None, desk.clock, pause=0.01)  # type: ignore[arg-type]  # the methods it uses
    scheduler.start()
    assert again.wait(HANG)
    scheduler.stop()
