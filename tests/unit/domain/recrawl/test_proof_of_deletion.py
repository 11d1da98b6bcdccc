"""What proves that a page is gone."""

import pytest

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.recrawl.deletion import Answer, answer_of


@pytest.mark.parametrize(
    ("state", "reason", "status", "answer"),
    [
        (UrlState.FETCHED, Reason.NONE, 200, Answer.HERE),
        (UrlState.UNCHANGED, Reason.NONE, 304, Answer.HERE),
        (UrlState.NOT_FOUND, Reason.STATUS, 404, Answer.GONE),
        (UrlState.NOT_FOUND, Reason.STATUS, 410, Answer.GONE),
        (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE, None, Answer.GONE),
        (UrlState.ROBOTS_DENIED, Reason.ROBOTS_UNREACHABLE, None, Answer.NOTHING),
        (UrlState.REDIRECTED, Reason.STATUS, 301, Answer.GONE),
        (UrlState.REDIRECTED, Reason.REDIRECT_OUT_OF_SCOPE, 308, Answer.GONE),
        (UrlState.REDIRECTED, Reason.STATUS, 302, Answer.AWAY),
        (UrlState.REDIRECTED, Reason.STATUS, 303, Answer.AWAY),
        (UrlState.REDIRECTED, Reason.STATUS, 307, Answer.AWAY),
        (UrlState.REDIRECTED, Reason.REDIRECT_LOOP, 301, Answer.NOTHING),
        (UrlState.REDIRECTED, Reason.REDIRECT_BAD_TARGET, 301, Answer.NOTHING),
        (UrlState.FORBIDDEN, Reason.STATUS, 401, Answer.NOTHING),
        (UrlState.HTTP_ERROR, Reason.STATUS, 500, Answer.NOTHING),
        (UrlState.FAILED, Reason.TIMEOUT, None, Answer.NOTHING),
        (UrlState.SKIPPED, Reason.EXCLUDED, None, Answer.NOTHING),
    ],
)
def test_only_some_answers_say_that_a_page_is_gone(
    state: UrlState, reason: Reason, status: int | None, answer: Answer
) -> None:
    assert answer_of(state, reason, status) is answer
