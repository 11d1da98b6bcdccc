"""Lines of the log about URLs that the planner does not request."""

from collections.abc import Iterator

import pytest
from msgspec import structs

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.suppressed_log import suppressed_urls
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import Parts, packed_score

CRAWL = CrawlId(tenant="t", site="s", crawl="c")
KEYS = [f"{first}{'0' * 31}" for first in "0123456789abcdef"]


def found(number: int, skip: Reason = Reason.NONE, detail: str = "") -> FoundUrl:
    return FoundUrl(
        url=f"https://site.example/{number}", key=KEYS[number], depth=2, parent=NO_PARENT, found_by=FoundBy.LINK,
        phase=Phase.BFS, wave=3, skip=skip, detail=detail,
    )  # fmt: skip


def lines(frontier: Frontier, share: float = 1.0) -> Iterator[dict[str, object]]:
    return suppressed_urls(frontier.changes(), CRAWL, 4, share=share)


def test_a_line_says_why_the_url_is_not_requested() -> None:
    frontier = Frontier()
    frontier.add(found(0, Reason.TRAP_CALENDAR, "9 pages had nothing new"))
    assert list(lines(frontier)) == [
        {
            "crawl": "t/s/c",
            "wave": 4,
            "url": "https://site.example/0",
            "state": "skipped",
            "reason": "trap_calendar",
            "detail": "9 pages had nothing new",
            "tries": 0,
            "depth": 2,
        }
    ]


@pytest.mark.parametrize("reason", [Reason.OUT_OF_SCOPE, Reason.EXCLUDED, Reason.ASSET, Reason.ROBOTS_RULE])
def test_what_scope_and_site_decide_has_no_line(reason: Reason) -> None:
    frontier = Frontier()
    frontier.add(found(0, reason))
    assert not list(lines(frontier))


def test_a_url_has_a_line_in_the_wave_that_suppresses_it() -> None:
    frontier = Frontier()
    for number in range(3):
        frontier.add(found(number))
    assert not list(lines(frontier))
    frontier.suppress(1, Reason.TRAP_TEMPLATE, "alike")
    assert [(line["url"], line["reason"]) for line in lines(frontier)] == [("https://site.example/1", "trap_template")]
    assert not list(lines(frontier))
    frontier.skip_waiting(Reason.MAX_PAGES)
    assert [(line["url"], line["reason"]) for line in lines(frontier)] == [
        ("https://site.example/0", "max_pages"),
        ("https://site.example/2", "max_pages"),
    ]


def test_a_url_that_is_evicted_has_a_line_with_lane_and_score() -> None:
    frontier = Frontier()
    for number in range(3):
        score = packed_score(Lane.P3, 900 - 100 * number, Parts())
        frontier.add(structs.replace(found(number), score=score))
    frontier.limit_waiting(2)
    (line,) = lines(frontier)
    assert (line["url"], line["state"], line["reason"]) == ("https://site.example/2", "skipped", "frontier_cap")
    assert line["detail"] == "lane p3, score 0.700"


def test_a_url_that_is_only_deferred_by_a_limit_has_no_line() -> None:
    frontier = Frontier()
    frontier.add(found(0))
    frontier.defer(0, reason=Reason.MAX_REQUESTS, detail="", tries=1, due=1.0, not_before=0.0)
    assert frontier.state(0) is UrlState.DEFERRED
    assert not list(lines(frontier))


def test_only_the_logged_share_of_urls_has_lines() -> None:
    frontier = Frontier()
    for number in range(16):
        frontier.add(found(number, Reason.MAX_DEPTH))
    assert [line["url"] for line in lines(frontier, 0.25)] == [f"https://site.example/{n}" for n in range(4)]
