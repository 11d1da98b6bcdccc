import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.graph.orphans import Verdict, is_blocker


@pytest.mark.parametrize(
    "state",
    [UrlState.FAILED, UrlState.FORBIDDEN, UrlState.ROBOTS_DENIED, UrlState.PENDING, UrlState.DEFERRED],
)
def test_a_page_that_could_not_be_read_may_hold_the_missing_link(state: UrlState) -> None:
    assert is_blocker(state, Reason.NONE, None)


@pytest.mark.parametrize(
    ("reason", "blocks"),
    [
        (Reason.MAX_PAGES, True),
        (Reason.MAX_DEPTH, True),
        (Reason.NOFOLLOW, True),
        (Reason.TIME_LIMIT, True),
        (Reason.TOO_LONG, True),
        (Reason.OUT_OF_SCOPE, False),
        (Reason.EXCLUDED, False),
        (Reason.NOT_INCLUDED, False),
        (Reason.ASSET, False),
    ],
)
def test_a_skipped_url_blocks_where_it_belongs_to_the_site(reason: Reason, *, blocks: bool) -> None:
    assert is_blocker(UrlState.SKIPPED, reason, None) is blocks


@pytest.mark.parametrize(
    ("status", "blocks"),
    [(None, True), (500, True), (503, True), (408, True), (421, True), (425, True), (429, True), (400, False),
     (451, False), (499, False)],
)  # fmt: skip
def test_an_error_blocks_where_it_may_pass(status: int | None, *, blocks: bool) -> None:
    assert is_blocker(UrlState.HTTP_ERROR, Reason.STATUS, status) is blocks


@pytest.mark.parametrize(
    ("state", "blocks_when_cut"),
    [
        (UrlState.FETCHED, True),
        (UrlState.UNCHANGED, True),
        (UrlState.REDIRECTED, False),
        (UrlState.NOT_FOUND, False),
    ],
)
def test_a_page_that_was_read_blocks_only_where_it_was_cut(state: UrlState, *, blocks_when_cut: bool) -> None:
    assert not is_blocker(state, Reason.NONE, 200)
    assert is_blocker(state, Reason.NONE, 200, cut=True) is blocks_when_cut


def test_what_may_still_change_is_not_terminal() -> None:
    assert {state for state in UrlState if not state.terminal} == {UrlState.PENDING, UrlState.DEFERRED}


def test_verdicts_read_as_people_say_them() -> None:
    assert [verdict.value for verdict in Verdict] == ["orphan", "inconclusive"]
