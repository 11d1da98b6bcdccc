"""The changes that a crawl found, compared with what its site remembers of the same pages."""

import pytest

from wavecrawl.domain.crawl.site_changes import SiteChanges


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
