"""The changes that a crawl found, compared with what its site remembers of the same pages."""

import pytest

from wavecrawl.domain.crawl.site_changes import SiteChanges, requests_since


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


@pytest.mark.parametrize(
    ("last_ended_at", "since"),
    [
        (0.0, 999.0),  # there was no crawl before: the clocks of two machines may differ by a second
        (500.0, 999.0),
        (999.7, 999.7),  # its requests are not those of this crawl, which followed at once
        (1_300.0, 1_000.0),  # it was resumed while this crawl ran
    ],
)
def test_requests_of_a_crawl_are_later_than_the_crawl_before(last_ended_at: float, since: float) -> None:
    assert requests_since(1_000.0, last_ended_at) == since
