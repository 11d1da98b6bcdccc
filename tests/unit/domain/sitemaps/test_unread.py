"""Files that a crawl did not read for a reason that no response shows."""

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.graph.completeness import unread_sitemap
from wavecrawl.domain.sitemaps.unread import disallowed, nothing_arrived


def test_an_unreadable_robots_txt_is_a_gap_also_for_a_guess() -> None:
    found = disallowed(Reason.ROBOTS_UNREACHABLE, may_exist=False, known=False)
    assert found is not None
    assert found.blocker == unread_sitemap("robots_unreachable")
    assert found.blocker.is_incomplete


def test_a_host_that_cannot_be_reached_is_a_gap() -> None:
    found = disallowed(Reason.DNS, may_exist=True, known=False)
    assert found is not None
    assert found.blocker == unread_sitemap("dns")
    assert found.problem.startswith("not read: the host name was not found (DNS); pages that only this sitemap lists")


def test_a_response_that_broke_off_before_its_content_is_requested_again() -> None:
    found = nothing_arrived("connection reset")
    assert (found.blocker, found.retry) == (unread_sitemap("cut"), True)
    assert found.problem.startswith("not read: connection reset; ")
