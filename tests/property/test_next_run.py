"""The next run across clock changes, compared with an oracle that steps through real time by the minute."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.campaign import examples

from wavecrawl.domain.sites.cron import cron_of
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule, next_run

CHANGES = (  # UTC times close to clock changes
    ("Europe/Berlin", "2026-03-29T01:00"),
    ("Europe/Berlin", "2026-10-25T01:00"),
    ("America/New_York", "2026-03-08T07:00"),
    ("America/New_York", "2026-11-01T06:00"),
    ("America/Havana", "2026-03-08T05:00"),  # at midnight: the day starts at 01:00
    ("America/Havana", "2026-11-01T05:00"),
    ("Australia/Lord_Howe", "2026-04-04T15:00"),  # half an hour
    ("Australia/Lord_Howe", "2026-10-03T15:30"),
    ("Europe/Dublin", "2026-10-25T01:00"),  # winter time is the exception there
    ("Africa/Casablanca", "2026-02-15T02:00"),
    ("Pacific/Apia", "2011-12-30T10:00"),  # a whole day is skipped
    ("Asia/Kolkata", "2026-06-01T00:00"),  # no clock change
)
HORIZON = 4 * 24 * 60  # minutes the oracle looks ahead


@st.composite
def fields(draw: st.DrawFn, low: int, high: int) -> tuple[str, set[int]]:
    """One field of an expression, and the values it matches."""
    everything = set(range(low, high + 1))
    kind = draw(st.sampled_from(("all", "list", "range", "step")))
    if kind == "list":
        chosen = draw(st.lists(st.integers(low, high), min_size=1, max_size=3))
        return ",".join(map(str, chosen)), set(chosen)
    if kind == "range":
        first = draw(st.integers(low, high))
        last = draw(st.integers(first, high))
        return f"{first}-{last}", set(range(first, last + 1))
    if kind == "step":
        step = draw(st.integers(1, 7))
        return f"*/{step}", {value for value in everything if (value - low) % step == 0}
    return "*", everything


def oracle(moment: float, zone: str, meant: tuple[set[int], set[int], set[int]]) -> float | None:
    """Return the first moment at which the clock shows a matching time."""
    minutes, hours, weekdays = meant
    at = datetime.fromtimestamp(moment, tz=UTC).replace(second=0, microsecond=0)
    for _ in range(HORIZON):
        at += timedelta(minutes=1)
        shown = at.astimezone(ZoneInfo(zone))
        on_the_day = shown.isoweekday() % 7 in weekdays
        if shown.fold == 0 and shown.minute in minutes and shown.hour in hours and on_the_day:
            return at.timestamp()
    return None


@settings(max_examples=examples(150), deadline=None)
@given(
    change=st.sampled_from(CHANGES),
    before=st.integers(-3_000, 2_880 * 60),
    minute=fields(0, 59),
    hour=fields(0, 23),
    weekday=fields(0, 6),
)
def test_the_next_run_is_the_first_time_the_clock_shows_it(
    change: tuple[str, str],
    before: int,
    minute: tuple[str, set[int]],
    hour: tuple[str, set[int]],
    weekday: tuple[str, set[int]],
) -> None:
    zone, about = change
    text = f"{minute[0]} {hour[0]} * * {weekday[0]}"
    schedule = Schedule(frequency=Frequency.CRON, cron=text, timezone=zone).validated()
    start = datetime.fromisoformat(about).replace(tzinfo=UTC).timestamp() - before
    found, expected = next_run(schedule, start), oracle(start, zone, (minute[1], hour[1], weekday[1]))
    assert found is not None
    if expected is None:
        assert found > start + (HORIZON - 2) * 60
    else:
        assert found == expected


@given(
    minutes=st.sets(st.integers(0, 59), min_size=1),
    hours=st.sets(st.integers(0, 23), min_size=1),
    days=st.sets(st.integers(1, 31), min_size=1),
    months=st.sets(st.sampled_from((1, 3, 5, 7, 8, 10, 12)), min_size=1),
)
def test_eventbridge_takes_every_expression_that_is_allowed(
    minutes: set[int], hours: set[int], days: set[int], months: set[int]
) -> None:
    text = " ".join(",".join(map(str, sorted(values))) for values in (minutes, hours, days, months))
    if len(text) <= 250:
        assert len(cron_of(f"{text} *").for_eventbridge()) <= 256
