from itertools import pairwise

import pytest
from msgspec import structs

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.recrawl import history
from wavecrawl.domain.recrawl.change_rate import Gap
from wavecrawl.domain.recrawl.history import (
    ChangeRates,
    LastmodTrust,
    Observation,
    PageHistory,
    Skip,
    is_newer,
    skip_of,
)
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings

DAY = 86_400.0
SETTINGS = RecrawlSettings()
NOW = 1_767_225_600.0  # 2026-01-01


def page(key: str = "k", url: str = "https://example.com/a", *, changed: str = "", at: float = NOW) -> PageHistory:
    """Return a page with daily observations until `at`: "y" for a change, "n" for none."""
    first = at - DAY * len(changed)
    seen = [Observation(at=first + DAY * day, text=sign == "y", links=False) for day, sign in enumerate(f"n{changed}")]
    return PageHistory(key=key, url=url, depth=1, last_seen=at, observations=tuple(seen))


def rates(*pages: PageHistory, settings: RecrawlSettings = SETTINGS) -> ChangeRates:
    found = ChangeRates(settings=settings)
    found.add(pages)
    return found


def test_gaps_are_the_times_between_observations() -> None:
    assert page(changed="yn").gaps == [Gap(DAY, True), Gap(DAY, False)]
    links = PageHistory(
        key="k", url="u", depth=0, last_seen=2.0,
        observations=(Observation(at=1.0, text=True, links=True), Observation(at=2.0, text=False, links=True)),
    )  # fmt: skip
    assert links.gaps == [Gap(1.0, True)]
    assert page().gaps == []


def test_a_page_without_history_is_due_after_the_interval() -> None:
    assert rates().next_due(page()) == pytest.approx(NOW + SETTINGS.interval)
    assert rates(page(), page()).next_due(page()) == pytest.approx(NOW + SETTINGS.interval)


def test_pages_that_change_more_often_are_due_sooner() -> None:
    due = [rates().interval(page(changed=changed)) for changed in ("nnnnnnnn", "nnny", "nyyn", "yyyyyyyy")]
    assert all(one > other for one, other in pairwise(due))


def test_a_new_page_is_expected_to_change_like_others_of_its_template() -> None:
    blog = [page(url=f"https://example.com/blog/{number}", changed="yyyyy") for number in range(20)]
    docs = [page(url=f"https://example.com/docs/{number}", changed="nnnnn") for number in range(20)]
    found = rates(*blog, *docs)
    new = [page(url=f"https://example.com/{place}/99") for place in ("blog", "other", "docs")]
    intervals = [found.interval(one) for one in new]
    assert intervals[0] < intervals[1] < intervals[2]
    assert found.rate(new[1]) == pytest.approx(found.site_rate)


def test_of_too_many_templates_the_first_are_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "TEMPLATES", 1)
    found = rates(
        page(url="https://example.com/a/1", changed="y"),
        page(url="https://example.com/b/1", changed="n"),
        page(url="https://example.com/a/2", changed="y"),
    )
    assert [total.changes for total in found.templates.values()] == [2]
    assert found.site.changes == 2


def reason(mode: Mode, one: PageHistory, *, now: float = NOW, lastmod: str = "") -> Reason:
    return skip_of(one, rates(), mode, now=now, lastmods={one.key: lastmod}).reason


def test_a_page_is_skipped_until_it_is_due() -> None:
    due = rates().next_due(page())
    assert reason(Mode.DUE_ONLY, page(), now=due - 1) is Reason.NOT_DUE
    assert reason(Mode.DUE_ONLY, page(), now=due) is Reason.NONE
    assert reason(Mode.CHANGED_ONLY, page(), now=due) is Reason.NONE


def test_a_newer_date_makes_a_page_due_in_one_mode() -> None:
    assert reason(Mode.CHANGED_ONLY, page(), lastmod="2026-01-02") is Reason.NONE
    assert reason(Mode.DUE_ONLY, page(), lastmod="2026-01-02") is Reason.NOT_DUE
    assert reason(Mode.CHANGED_ONLY, page(), lastmod="2025-12-30") is Reason.NOT_DUE


def test_a_skipped_page_says_when_it_is_due() -> None:
    found = skip_of(page(), rates(), Mode.DUE_ONLY, now=NOW, lastmods={})
    assert found == Skip(Reason.NOT_DUE, "due on 2026-01-08")


@pytest.mark.parametrize(
    ("failures", "after", "days", "expected"),
    [
        (3, 3, 29, Skip(Reason.QUARANTINED, "due on 2026-01-31")),
        (3, 3, 30, Skip()),
        (2, 3, 29, Skip()),
        (9, 0, 29, Skip()),
    ],
)
def test_a_page_that_failed_too_often_is_requested_once_a_month(
    failures: int, after: int, days: int, expected: Skip
) -> None:
    failing = structs.replace(page(), failures=failures)
    found = rates(settings=RecrawlSettings(quarantine_after=after))
    assert skip_of(failing, found, Mode.DUE_ONLY, now=NOW + days * DAY, lastmods={}) == expected


@pytest.mark.parametrize(
    ("lastmod", "known", "newer"),
    [
        ("2026-01-01", "", True),  # some time of that day
        ("2026-01-01", "2026-01-01", False),  # as at the last request
        ("2025-12-31", "2025-12-30", False),
        ("2026-01-01T00:00:01Z", "", True),
        ("2025-12-31T23:59:59Z", "", False),
        ("2026-01-01T01:00:00+02:00", "", False),
        ("2026-01-01T12:00:00", "", True),
        ("2026", "", False),  # says too little
        ("", "", False),
    ],
)
def test_a_date_is_newer_than_the_last_request(lastmod: str, known: str, *, newer: bool) -> None:
    assert is_newer(lastmod, structs.replace(page(), lastmod=known)) is newer


def test_a_site_loses_trust_with_wrong_dates() -> None:
    assert LastmodTrust().share == 0.5
    assert LastmodTrust(dates=100, right=95).share > 0.8
    assert LastmodTrust(dates=100, right=5).share < SETTINGS.min_lastmod_trust


def test_kinds_of_pages_have_intervals_of_their_own() -> None:
    base, settings = SETTINGS.interval, RecrawlSettings(intervals=(f"/news = {DAY}", f"/archive = {30 * DAY}"))
    own, usual = rates(settings=settings), rates()
    new = {path: own.interval(page(url=f"https://example.com{path}")) for path in ("/news/1", "/archive", "/other")}
    assert new == pytest.approx({"/news/1": DAY, "/archive": 30 * DAY, "/other": base})
    busy = page(url="https://example.com/news/1", changed="yyyyyyyy")
    assert own.interval(busy) == pytest.approx(usual.interval(busy) * DAY / base)
    assert own.rate(busy) == usual.rate(busy)


def test_intervals_of_kinds_of_pages_have_the_same_bounds() -> None:
    settings = RecrawlSettings(intervals=("/news = 60", "/archive = 300000000"))
    found = [rates(settings=settings).interval(page(url=f"https://example.com/{name}")) for name in ("news", "archive")]
    assert found == [SETTINGS.min_interval, SETTINGS.max_interval]
