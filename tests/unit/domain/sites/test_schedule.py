from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule, delay_of, next_run
from wavecrawl.errors import InvalidSettingsError


def cron(text: str, zone: str = "UTC") -> Schedule:
    return Schedule(frequency=Frequency.CRON, cron=text, timezone=zone)


def runs(schedule: Schedule, after: str, count: int = 1) -> list[str]:
    """Return the next runs in local time, with their UTC offset."""
    zone = ZoneInfo(schedule.timezone)
    at: float | None = datetime.fromisoformat(after).replace(tzinfo=zone).timestamp()
    found = []
    for _ in range(count):
        assert at is not None
        at = next_run(schedule, at)
        assert at is not None
        found.append(f"{datetime.fromtimestamp(at, tz=zone):%a %Y-%m-%d %H:%M %z}")
    return found


def test_a_manual_schedule_never_starts_anything() -> None:
    assert next_run(Schedule(), 0.0) is None
    assert Schedule().validated().times() is None


def test_weekly_is_midnight_of_each_sunday() -> None:
    weekly = Schedule(frequency=Frequency.WEEKLY).validated()
    assert runs(weekly, "2026-11-21T12:00", 2) == ["Sun 2026-11-22 00:00 +0000", "Sun 2026-11-29 00:00 +0000"]


def test_monthly_is_midnight_of_each_first() -> None:
    monthly = Schedule(frequency=Frequency.MONTHLY, timezone="Asia/Tokyo").validated()
    assert runs(monthly, "2026-11-21T12:00", 2) == ["Tue 2026-12-01 00:00 +0900", "Fri 2027-01-01 00:00 +0900"]


def test_no_week_or_month_is_left_out_where_clocks_change_at_midnight() -> None:
    weekly = Schedule(frequency=Frequency.WEEKLY, timezone="America/Santiago").validated()
    assert runs(weekly, "2027-08-30T00:00", 2) == ["Sun 2027-09-05 01:00 -0300", "Sun 2027-09-12 01:00 -0300"]
    monthly = Schedule(frequency=Frequency.MONTHLY, timezone="Atlantic/Azores").validated()
    assert runs(monthly, "2026-02-28T12:00", 2) == ["Sun 2026-03-01 01:00 -0100", "Wed 2026-04-01 01:00 +0000"]


MIDNIGHT_CHANGES = ["Africa/Cairo", "America/Havana", "America/Santiago", "Asia/Beirut", "Atlantic/Azores"]


@pytest.mark.parametrize("zone", [*MIDNIGHT_CHANGES, "Europe/Berlin", "Pacific/Apia"])
def test_a_weekly_start_exists_in_each_week(zone: str) -> None:
    weekly = Schedule(frequency=Frequency.WEEKLY, timezone=zone)
    at = datetime(2026, 1, 1, tzinfo=ZoneInfo(zone)).timestamp()
    for _ in range(55):
        following = next_run(weekly, at)
        assert following is not None
        assert following - at < 8 * 86_400
        at = following


def test_a_time_is_never_its_own_next_one() -> None:
    assert runs(cron("0 12 * * *"), "2026-01-01T12:00:00") == ["Fri 2026-01-02 12:00 +0000"]
    assert runs(cron("0 12 * * *"), "2026-01-01T11:59:59.900") == ["Thu 2026-01-01 12:00 +0000"]


def test_a_time_that_the_clock_leaves_out_is_skipped() -> None:
    schedule = cron("30 2 * * *", "America/New_York")
    assert runs(schedule, "2026-03-07T12:00", 2) == ["Mon 2026-03-09 02:30 -0400", "Tue 2026-03-10 02:30 -0400"]


def test_a_time_that_the_clock_shows_twice_starts_once() -> None:
    schedule = cron("30 1 * * *", "America/New_York")
    assert runs(schedule, "2026-10-31T12:00", 2) == ["Sun 2026-11-01 01:30 -0400", "Mon 2026-11-02 01:30 -0500"]


def test_the_second_showing_of_an_hour_starts_nothing_again() -> None:
    hourly = cron("0 * * * *", "America/New_York")
    assert runs(hourly, "2026-11-01T00:30", 3) == [
        "Sun 2026-11-01 01:00 -0400",
        "Sun 2026-11-01 02:00 -0500",
        "Sun 2026-11-01 03:00 -0500",
    ]


def test_a_schedule_that_never_comes_true_has_no_next_run() -> None:
    assert next_run(cron("0 0 29 2 *"), 0.0) is not None
    assert next_run(cron("30 0 30 12 *", "Pacific/Apia"), 1_293_000_000.0) is not None  # 2011-12-30 was skipped there


def test_all_problems_are_named() -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        Schedule(frequency=Frequency.CRON, cron="0 0", timezone="Mars/Olympus").validated()
    assert [problem.partition(" ")[0] for problem in caught.value.problems] == ["schedule.cron", "schedule.timezone"]
    with pytest.raises(InvalidSettingsError, match=r"schedule\.cron requires frequency 'cron'"):
        Schedule(frequency=Frequency.WEEKLY, cron="0 0 * * 0").validated()


@pytest.mark.parametrize(
    "zone",
    ["", "berlin", "Europe", "Europe/berlin", "../etc/passwd", "/etc/localtime", "posix/UTC", "localtime", "A" * 60],
)
def test_what_is_no_time_zone_is_refused(zone: str) -> None:
    with pytest.raises(InvalidSettingsError, match=r"schedule\.timezone must be a name"):
        cron("0 0 * * *", zone).validated()


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/Argentina/Buenos_Aires", "Etc/GMT+5", "EST5EDT"])
def test_time_zones_of_the_database_are_taken(zone: str) -> None:
    assert cron("0 0 * * *", zone).validated().timezone == zone


@pytest.mark.parametrize(
    ("schedule", "minutes"),
    [
        (Schedule(), 0),
        (Schedule(frequency=Frequency.WEEKLY), 60),
        (Schedule(frequency=Frequency.MONTHLY), 60),
        (cron("0 3 * * *"), 15),
        (cron("*/10 * * * *"), 0),
    ],
)
def test_crawls_of_one_time_are_spread_where_the_minute_does_not_matter(schedule: Schedule, minutes: int) -> None:
    assert schedule.window == minutes


def test_sites_are_spread_evenly_over_the_window() -> None:
    weekly = Schedule(frequency=Frequency.WEEKLY)
    delays = [delay_of(weekly, f"t/{number}.example") for number in range(600)]
    tenths = [sum(minutes * 60 <= one < (minutes + 6) * 60 for one in delays) for minutes in range(0, 60, 6)]
    assert sum(tenths) == 600
    assert all(30 < number < 100 for number in tenths)  # 60 are expected
    assert delays[7] == delay_of(weekly, "t/7.example")


def test_a_schedule_without_a_window_has_no_delay() -> None:
    assert delay_of(cron("*/10 * * * *"), "t/s") == 0.0
