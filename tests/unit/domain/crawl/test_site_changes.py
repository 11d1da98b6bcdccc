"""The changes that a crawl found, compared with what its site remembers of the same pages."""

import pytest

from wavecrawl.domain.crawl.memory import PageMemory
from wavecrawl.domain.crawl.site_changes import SiteChanges, changes_since
from wavecrawl.domain.crawl.states import UrlState

STARTED = 1_000.0
BEFORE, NOW = 500.0, 1_100.0


def page(
    state: UrlState = UrlState.FETCHED, *, first: float = BEFORE, changed: float = BEFORE, last: float = NOW
) -> PageMemory:
    return PageMemory(
        key="k", url="https://example.com/", state=state, first_seen=first, last_seen=last, last_changed=changed
    )


OLD = page()


@pytest.mark.parametrize(
    ("met", "changes"),
    [
        ([OLD, page(first=NOW, changed=NOW)], SiteChanges(new=1)),
        ([OLD, page(changed=NOW), page(UrlState.UNCHANGED, changed=NOW)], SiteChanges(changed=2)),
        ([OLD, page(UrlState.NOT_FOUND)], SiteChanges(gone=1)),
        ([OLD, page(UrlState.NOT_FOUND, last=BEFORE)], SiteChanges()),  # removed before an earlier crawl
        ([OLD, page(UrlState.NOT_FOUND, changed=0.0)], SiteChanges()),  # never existed
        ([OLD, page(UrlState.NOT_FOUND, first=NOW)], SiteChanges()),  # a broken link, seen for the first time
        ([OLD, page(first=STARTED - 0.5, changed=STARTED - 0.5)], SiteChanges(new=1)),  # clocks differ slightly
    ],
)
def test_pages_that_differ_are_counted(met: list[PageMemory], changes: SiteChanges) -> None:
    assert changes_since(met, STARTED) == changes


def test_a_first_crawl_compares_with_nothing() -> None:
    assert changes_since([page(first=NOW, changed=NOW), page(UrlState.NOT_FOUND, first=NOW)], STARTED) == SiteChanges()
    assert changes_since([], STARTED) == SiteChanges()


@pytest.mark.parametrize(
    ("changes", "any_"),
    [
        (SiteChanges(), False),
        (SiteChanges(new=1), True),
        (SiteChanges(changed=1), True),
        (SiteChanges(gone=1), True),
    ],
)
def test_changes_are_true_where_there_are_any(changes: SiteChanges, *, any_: bool) -> None:
    assert bool(changes) is any_
