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
    is_newer,
    reason_to_skip,
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
    return reason_to_skip(one, rates(), mode, now=now, lastmods={one.key: lastmod})


def test_a_page_is_skipped_until_it_is_due() -> None:
    due = rates().next_due(page())
    assert reason(Mode.DUE_ONLY, page(), now=due - 1) is Reason.NOT_DUE
    assert reason(Mode.DUE_ONLY, page(), now=due) is Reason.NONE
    assert reason(Mode.CHANGED_ONLY, page(), now=due) is Reason.NONE


def test_a_newer_date_makes_a_page_due_in_one_mode() -> None:
    assert reason(Mode.CHANGED_ONLY, page(), lastmod="2026-01-02") is Reason.NONE
    assert reason(Mode.DUE_ONLY, page(), lastmod="2026-01-02") is Reason.NOT_DUE
    assert reason(Mode.CHANGED_ONLY, page(), lastmod="2025-12-30") is Reason.NOT_DUE


@pytest.mark.parametrize(("failures", "after", "expected"), [(3, 3, "quarantined"), (2, 3, ""), (9, 0, "")])
def test_a_page_that_failed_too_often_is_in_quarantine(failures: int, after: int, expected: str) -> None:
    failing = structs.replace(page(), failures=failures)
    found = rates(settings=RecrawlSettings(quarantine_after=after))
    assert reason_to_skip(failing, found, Mode.DUE_ONLY, now=NOW * 2, lastmods={}) == expected


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
