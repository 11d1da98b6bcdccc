from typing import Any

import pytest
from msgspec import structs
from tests.support.short_keys import key_of, name_of

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import FeedbackSum, Gatherer
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import FactsView, LinkView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.trap_evidence import evidence_of
from wavecrawl.domain.fetching.cookies import Cookie
from wavecrawl.domain.rendering.learning import Lesson
from wavecrawl.domain.urls.cut_urls import cut_url
from wavecrawl.domain.urls.spellings import other_spelling

SHELL: dict[str, Any] = {"shell": "no text"}


def url(name: str) -> str:
    return f"https://example.com/{name}"


def record(name: str, *links: str | LinkView, state: UrlState = UrlState.FETCHED, **other: Any) -> RecordView:
    views = tuple(link if isinstance(link, LinkView) else LinkView(url=url(link), key=key_of(link)) for link in links)
    return RecordView(key=key_of(name), url=url(name), state=state, status=200, links=views, **other)


def unreachable(address: str) -> Reason:
    return Reason.ROBOTS_UNREACHABLE if "unreachable" in address else Reason.NONE


def test_the_end_of_a_followed_redirect_is_a_url_of_the_same_batch() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "a0"))
    crawl.plan()
    moved = record("a0", state=UrlState.REDIRECTED, redirect_to=url("a1"), redirect_key=other_spelling(key_of("a0")))
    end = structs.replace(record("a0", "b"), key=moved.redirect_key, url=url("a1"))
    crawl.gatherer.add_followed(moved, phase=Phase.BFS, wave=2)
    crawl.fold(moved, end)
    rows = [(row.url, row.state.value, row.depth, row.found_by.value) for row in crawl.frontier.ledger({})]
    assert rows == [
        (url("root"), "fetched", 0, "root"),
        (url("a0"), "redirected", 1, "link"),
        (url("a1"), "fetched", 1, "redirect"),
        (url("b"), "pending", 2, "link"),
    ]
    first, second = (crawl.frontier.find(key) for key in (moved.key, end.key))
    assert first is not None
    assert second is not None
    assert crawl.frontier.batch(first) == crawl.frontier.batch(second)
    assert (crawl.gatherer.counters.fetched, crawl.gatherer.counters.done) == (2, 3)
    crawl.gatherer.add_followed(moved, phase=Phase.BFS, wave=3)  # it is no URL of this wave
    crawl.frontier.plan_beside(first, key_of("unknown"))
    assert crawl.frontier.state(second) is UrlState.FETCHED


def test_a_spelling_that_is_planned_itself_is_not_added_to_the_batch_of_the_other() -> None:
    crawl = Crawl()
    other = other_spelling(key_of("a0"))
    crawl.fold(record("root", "a0", LinkView(url=url("a1"), key=other)))
    crawl.plan()
    moved = record("a0", state=UrlState.REDIRECTED, redirect_to=url("a1"), redirect_key=other)
    crawl.gatherer.add_followed(moved, phase=Phase.BFS, wave=2)
    assert [row.found_by.value for row in crawl.frontier.ledger({})] == ["root", "link", "link"]


def test_a_second_spelling_teaches_the_rules_against_traps_nothing() -> None:
    crawl = Crawl()
    other = other_spelling(key_of("a0"))
    crawl.fold(record("root", "a0", LinkView(url=url("a1"), key=other)))
    crawl.plan()
    one = record("a0", facts=FactsView(simhash=1, word_sketch=b"1"))
    two = structs.replace(one, key=other, url=url("a1"))
    learned: list[str] = []
    crawl.gatherer.traps.learn = lambda evidence, **_: learned.append(evidence.url)  # type: ignore[method-assign]
    crawl.fold(*(structs.replace(found, evidence=evidence_of(found)) for found in (one, two)))
    assert learned == [url("a0")]


class Crawl:
    """A frontier with a planned root, ready for records."""

    def __init__(self, *denied: str, **settings: Any) -> None:
        self.frontier = Frontier()
        self.gatherer = Gatherer(
            frontier=self.frontier,
            settings=CrawlSettings(**settings),
            allowed=lambda address: Reason.ROBOTS_RULE if address in map(url, denied) else unreachable(address),
            robots_problem=lambda address: f"no answer for {address}",
        )
        root = FoundUrl(
            url=url("root"),
            key=key_of("root"),
            depth=0,
            parent=NO_PARENT,
            found_by=FoundBy.ROOT,
            phase=Phase.BFS,
            wave=1,
        )
        self.gatherer.add(root)
        self.plan()

    def plan(self) -> None:
        while (index := self.frontier.pop("example.com")) is not None:
            self.frontier.plan(index, wave=1, batch=0)

    def fold(self, *records: RecordView, tried_in: Phase = Phase.BFS, clock: float = 1.0) -> None:
        self.gatherer.settle(records, tried_in=tried_in, clock=clock)
        self.gatherer.follow_all(records, phase=tried_in, wave=2)

    def states_by_url(self) -> dict[str, tuple[str, str, int, str]]:
        return {
            name_of(row.key): (row.state.value, row.reason.value, row.depth, row.parent.removeprefix(url("")))
            for row in self.frontier.ledger({})
        }


def test_links_join_the_frontier_with_depth_and_parent() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "a", "b", "a"))
    assert crawl.states_by_url() == {
        "root": ("fetched", "", 0, ""),
        "a": ("pending", "", 1, "root"),
        "b": ("pending", "", 1, "root"),
    }
    crawl.plan()
    crawl.fold(record("a", "b", "c", "root"), record("b", "c", state=UrlState.UNCHANGED))
    assert crawl.states_by_url()["c"] == ("pending", "", 2, "a")
    assert crawl.gatherer.counters.fetched == 3
    assert crawl.gatherer.counters.max_bfs_depth == 1


def test_every_link_not_followed_is_in_the_ledger_with_its_reason() -> None:
    crawl = Crawl("denied", max_depth=1)
    skipped = LinkView(url="https://other.example/", key=key_of("out"), skip=Reason.OUT_OF_SCOPE)
    crawl.fold(record("root", skipped, LinkView(url=url("n"), key=key_of("n"), nofollow=True), "denied", "a"))
    crawl.plan()
    crawl.fold(record("a", "deep"))
    by_url = crawl.states_by_url()
    assert by_url["out"][:2] == ("skipped", "out_of_scope")
    assert by_url["n"][:2] == ("skipped", "nofollow")
    assert by_url["denied"][:2] == ("robots_denied", "robots_rule")
    assert by_url["deep"][:2] == ("skipped", "max_depth")


def test_a_long_url_is_in_the_ledger_with_its_length() -> None:
    crawl = Crawl()
    cut = LinkView(url=cut_url(url("a" * 100), most=30, key=key_of("long")), key=key_of("long"), skip=Reason.TOO_LONG)
    crawl.fold(record("root", cut, "b"))
    details = {row.key: (row.state.value, row.reason.value, row.detail) for row in crawl.frontier.ledger({})}
    assert details[key_of("long")] == ("skipped", "url_too_long", "it has 120 characters, of which 30 are kept")


def test_a_robots_txt_that_could_not_be_read_is_named_in_the_ledger() -> None:
    crawl = Crawl("denied")
    crawl.fold(record("root", "unreachable", "denied"))
    details = {name_of(row.key): (row.state.value, row.reason.value, row.detail) for row in crawl.frontier.ledger({})}
    assert details["unreachable"] == ("robots_denied", "robots_unreachable", f"no answer for {url('unreachable')}")
    assert details["denied"] == ("robots_denied", "robots_rule", "")


def test_robots_are_asked_again_when_a_better_way_is_found() -> None:
    crawl = Crawl("n")
    crawl.fold(record("root", LinkView(url=url("n"), key=key_of("n"), nofollow=True), "a"))
    crawl.plan()
    crawl.fold(record("a", "n"))
    assert crawl.states_by_url()["n"][:2] == ("skipped", "nofollow")


def test_page_level_nofollow_counts_from_meta_and_header() -> None:
    for page in (
        record("root", "a", facts=FactsView(robots=("nofollow",))),
        record("root", "a", header_robots=("none",)),
    ):
        crawl = Crawl()
        crawl.fold(page)
        assert crawl.states_by_url()["a"][:2] == ("skipped", "nofollow")
    crawl = Crawl(follow_nofollow=True)
    crawl.fold(record("root", "a", header_robots=("none",)))
    assert crawl.states_by_url()["a"][:2] == ("pending", "")


def test_a_list_crawl_follows_no_links() -> None:
    crawl = Crawl(discovery=Discovery.LIST, urls=(url("root"),))
    crawl.fold(record("root", "a"))
    assert crawl.states_by_url()["a"][:2] == ("skipped", "links_not_followed")


def redirect(name: str, target: str, **other: Any) -> RecordView:
    return record(name, state=UrlState.REDIRECTED, redirect_to=url(target), redirect_key=key_of(target), **other)


def test_a_redirect_hands_on_depth_and_parent() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "a"))
    crawl.plan()
    crawl.fold(redirect("a", "b"))
    assert crawl.states_by_url()["a"][:2] == ("redirected", "")
    assert crawl.states_by_url()["b"] == ("pending", "", 1, "root")


def test_a_chain_of_redirects_ends_at_its_limit_and_a_loop_at_once() -> None:
    crawl = Crawl(max_redirects=2)
    for name, target in (("root", "a"), ("a", "b"), ("b", "c")):
        crawl.fold(redirect(name, target))
        crawl.plan()
    assert crawl.states_by_url()["b"][0] == "redirected"
    assert crawl.states_by_url()["c"][:2] == ("skipped", "redirect_limit")
    loop = Crawl()
    loop.fold(redirect("root", "a"))
    loop.plan()
    loop.fold(redirect("a", "root"))
    assert loop.states_by_url() == {"root": ("redirected", "", 0, ""), "a": ("redirected", "", 0, "")}


COOKIES = (Cookie(name="ok", value="1", host="example.com", path="/"),)


def test_a_redirect_hands_its_cookies_to_its_target_until_that_is_settled() -> None:
    crawl = Crawl()
    crawl.fold(redirect("root", "a", cookies=COOKIES))
    assert crawl.frontier.cookies(1) == COOKIES
    crawl.plan()
    crawl.fold(record("a", state=UrlState.DEFERRED, reason=Reason.TIMEOUT, retry_after=1.0))
    assert crawl.frontier.cookies(1) == COOKIES
    crawl.frontier.wake(100.0)
    crawl.plan()
    crawl.fold(record("a"))
    assert crawl.frontier.cookies(1) == ()


def test_a_page_that_redirects_is_tried_once_more_when_its_chain_returns_with_cookies() -> None:
    crawl = Crawl()
    crawl.fold(redirect("root", "consent"))
    crawl.plan()
    crawl.fold(redirect("consent", "root", cookies=COOKIES))
    assert crawl.states_by_url()["root"] == ("pending", "", 0, "")
    assert (crawl.frontier.cookies(0), crawl.frontier.chain(0)) == (COOKIES, 2)
    crawl.plan()
    crawl.fold(record("root", "a"))
    assert crawl.states_by_url()["root"] == ("fetched", "", 0, "")
    assert (crawl.gatherer.counters.done, crawl.gatherer.counters.fetched) == (2, 1)


def test_a_second_return_is_a_loop_that_names_the_cookies() -> None:
    crawl = Crawl()
    crawl.fold(redirect("root", "consent"))
    for _ in range(2):
        crawl.plan()
        crawl.fold(redirect("consent", "root", cookies=COOKIES))
        crawl.plan()
        crawl.fold(redirect("root", "consent", cookies=COOKIES))
    assert {state for state, *_ in crawl.states_by_url().values()} == {"redirected"}
    details = {name_of(row.key): row.detail for row in crawl.frontier.ledger({}) if row.reason is Reason.REDIRECT_LOOP}
    assert details["root"] == (
        "the site redirects back to this URL (also with the cookies that it sets: ok). It may need other cookies: to "
        "send some, use the credentials of the site (--cookie NAME=VALUE)"
    )


def test_cookies_of_another_host_are_no_reason_to_try_again() -> None:
    crawl = Crawl()
    crawl.fold(redirect("root", "consent"))
    crawl.plan()
    crawl.fold(redirect("consent", "root", cookies=(structs.replace(COOKIES[0], host="other.example"),)))
    assert crawl.states_by_url()["root"][:2] == ("redirected", "")


def test_a_redirect_to_a_page_that_was_read_changes_nothing() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "a", "b"))
    crawl.plan()
    crawl.fold(
        redirect("a", "root", cookies=COOKIES), redirect("b", "denied", redirect_skip=Reason.ASSET, cookies=COOKIES)
    )
    assert crawl.states_by_url()["root"][0] == "fetched"
    assert [crawl.frontier.cookies(index) for index in range(4)] == [()] * 4


def test_a_page_that_waits_to_be_tried_again_ends_as_before_if_the_crawl_ends() -> None:
    crawl = Crawl()
    crawl.fold(redirect("root", "consent"))
    crawl.plan()
    crawl.fold(redirect("consent", "root", cookies=COOKIES))
    assert crawl.frontier.unplanned() == []
    crawl.frontier.skip_waiting(Reason.MAX_PAGES)
    assert crawl.states_by_url()["root"] == ("redirected", "status", 0, "")


def test_chains_go_on_without_cookies_where_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wavecrawl.domain.crawl.frontier.MOST_COOKIE_BYTES", COOKIES[0].size)
    crawl = Crawl()
    crawl.fold(record("root", "a", "b"))
    crawl.plan()
    crawl.fold(redirect("a", "c", cookies=COOKIES), redirect("b", "d", cookies=COOKIES))
    assert [crawl.frontier.cookies(index) for index in (3, 4)] == [COOKIES, ()]
    crawl.plan()
    crawl.fold(record("c"))
    assert not crawl.frontier.lead_to(3, COOKIES, chain=1)
    assert crawl.states_by_url()["c"][0] == "fetched"


def test_redirects_may_be_off_and_may_lead_outside() -> None:
    off = Crawl(follow_redirects=False)
    off.fold(redirect("root", "a"))
    assert off.states_by_url()["a"][:2] == ("skipped", "redirects_not_followed")
    outside = Crawl()
    outside.fold(redirect("root", "a", redirect_skip=Reason.OUT_OF_SCOPE))
    assert outside.states_by_url()["a"][:2] == ("skipped", "out_of_scope")


def test_a_shorter_way_found_late_brings_links_nearer() -> None:
    crawl = Crawl(max_depth=3)
    crawl.fold(record("root", "a", "flaky"))
    crawl.plan()
    crawl.fold(record("a", "b"), record("flaky", state=UrlState.DEFERRED))
    crawl.plan()
    crawl.fold(record("b", "c"))
    crawl.plan()
    late = record("c", "d")
    crawl.fold(late)
    assert crawl.states_by_url()["d"][:3] == ("skipped", "max_depth", 4)
    crawl.frontier.wake(1e9)
    crawl.plan()
    crawl.fold(record("flaky", "c", tries=2))
    assert crawl.states_by_url()["c"][2:] == (2, "flaky")
    (index,) = crawl.frontier.relaxed
    crawl.gatherer.follow(index, late, phase=Phase.BFS, wave=2)
    assert crawl.states_by_url()["d"] == ("pending", "", 3, "c")


def test_a_failed_try_waits_its_turn() -> None:
    crawl = Crawl(retry_base=8.0)
    crawl.fold(
        record("root", state=UrlState.DEFERRED, reason=Reason.STATUS, retry_after=3.0, fetched_at=50.0, elapsed=1.0),
        clock=7.0,
    )
    assert crawl.states_by_url()["root"][:2] == ("deferred", "status")
    assert crawl.gatherer.counters.retries == 1
    due = crawl.frontier.next_due()
    assert due is not None
    assert 10.0 <= due <= 15.0
    assert crawl.frontier.not_before(0) == 51.0 + (due - 7.0)


def test_a_pause_of_the_host_costs_no_try() -> None:
    crawl = Crawl()
    crawl.fold(record("root", state=UrlState.DEFERRED, reason=Reason.HOST_PAUSED, tries=0, retry_after=30.0))
    assert (crawl.frontier.tries(0), crawl.frontier.next_due(), crawl.gatherer.counters.retries) == (0, 31.0, 0)


def test_an_unplanned_record_changes_nothing() -> None:
    crawl = Crawl()
    crawl.fold(record("stranger", "a"))
    assert set(crawl.states_by_url()) == {"root"}
    crawl.fold(record("root"), record("root"))
    assert set(crawl.states_by_url()) == {"root"}
    assert crawl.gatherer.counters.fetched == 1


def test_a_url_that_ended_in_an_error_is_done() -> None:
    crawl = Crawl()
    crawl.fold(record("root", state=UrlState.HTTP_ERROR), tried_in=Phase.ORPHAN)
    assert (crawl.frontier.count_of(UrlState.HTTP_ERROR), crawl.gatherer.counters.done) == (1, 1)


def test_feedback_sums_what_the_host_did() -> None:
    total = FeedbackSum()
    for view in (
        record("a", response_time=0.2, fetched_at=10.0, elapsed=1.0),
        RecordView(
            key=key_of("b"),
            url=url("b"),
            state=UrlState.DEFERRED,
            status=503,
            retry_after=9.0,
            response_time=0.4,
            fetched_at=15.0,
            elapsed=0.5,
        ),
        RecordView(
            key=key_of("c"), url=url("c"), state=UrlState.FAILED, reason=Reason.RESET, fetched_at=20.0, elapsed=8.0
        ),
        RecordView(key=key_of("d"), url=url("d"), state=UrlState.DEFERRED, reason=Reason.HOST_PAUSED, fetched_at=99.0),
    ):
        total.add(view)
    feedback = total.feedback(of="c/1")
    assert (feedback.outcomes, feedback.retry_after, feedback.retry_from) == ("grt", 9.0, 15.5)
    assert abs(feedback.latency - 0.3) < 1e-9
    assert feedback.ended_at == 28.0
    assert feedback.occupied == 9.5 / 3  # a request without a response takes up a connection too
    assert FeedbackSum().feedback(of="c/1").latency == 0.0


def test_a_timeout_counts_only_if_the_crawl_waited_as_long_as_others_do() -> None:
    late = RecordView(key=key_of("a"), url=url("a"), state=UrlState.FAILED, reason=Reason.TIMEOUT, elapsed=0.05)
    for patient, outcomes in ((True, "t"), (False, "")):
        total = FeedbackSum(patient=patient)
        total.add(late)
        assert total.feedback(of="c/1").outcomes == outcomes


def test_a_url_whose_robots_txt_cannot_be_fetched_is_held_if_it_may_wait() -> None:
    crawl = Crawl()
    crawl.gatherer.may_wait = lambda address: "-2" in address
    crawl.fold(record("root", "unreachable", "unreachable-2", "a"))
    assert crawl.states_by_url() == {
        "root": ("fetched", "", 0, ""),
        "unreachable": ("robots_denied", "robots_unreachable", 1, "root"),
        "unreachable-2": ("deferred", "robots_unreachable", 1, "root"),
        "a": ("pending", "", 1, "root"),
    }
    details = {name_of(row.key): row.detail for row in crawl.frontier.ledger({})}
    assert details["unreachable-2"] == f"no answer for {url('unreachable-2')}"


def test_a_url_of_a_host_that_cannot_be_reached_fails_without_a_request() -> None:
    crawl = Crawl()
    crawl.gatherer.give_up = lambda _: Reason.DNS
    crawl.fold(record("root", "unreachable", "a"))
    assert crawl.states_by_url()["unreachable"] == ("failed", "dns", 1, "root")
    assert {row.url: row.detail for row in crawl.frontier.ledger({})}[url("unreachable")] == (
        f"no answer for {url('unreachable')}"
    )


def test_a_url_that_was_denied_is_not_held() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "unreachable"))
    crawl.gatherer.may_wait = lambda _: True
    again = FoundUrl(
        url=url("unreachable"),
        key=key_of("unreachable"),
        depth=1,
        parent=NO_PARENT,
        found_by=FoundBy.SITEMAP,
        phase=Phase.SITEMAP,
        wave=2,
    )
    crawl.gatherer.add(again)
    assert crawl.states_by_url()["unreachable"][:2] == ("robots_denied", "robots_unreachable")
    assert crawl.frontier.held() == []


def test_urls_are_scored_when_they_join_the_frontier() -> None:
    crawl = Crawl("denied")
    crawl.fold(
        record(
            "root",
            LinkView(url=url("docs/tides"), key=key_of("tides"), text="Tides"),
            LinkView(url=url("list"), key=key_of("list"), text="Tides", nofollow=True),
            LinkView(url=url("denied"), key=key_of("denied")),
            facts=FactsView(title="Home"),
        )
    )
    rows = {name_of(row.key): row for row in crawl.frontier.ledger({})}
    assert {name: row.lane for name, row in rows.items()} == {"root": "p0", "tides": "p1", "list": None, "denied": None}
    assert rows["root"].anchor_signal == 0.0
    assert rows["tides"].anchor_signal == 1.0
    crawl.fold(record("tides", LinkView(url=url("list"), key=key_of("list"), text="Currents")))
    assert [row.lane for row in crawl.frontier.ledger({}) if name_of(row.key) == "list"] == ["p3"]


def test_menus_are_a_gain_of_rendering_only_if_they_lead_to_unknown_urls() -> None:
    def gains(crawl: Crawl) -> list[int]:
        return [lesson.gains for lesson in crawl.gatherer.lessons.whole() if lesson.key.endswith("/*")]

    crawl = Crawl()
    crawl.fold(record("root", "a", "b", "m", rendered=True, **SHELL, opened=(key_of("m"),)))
    assert gains(crawl) == [1]
    crawl.plan()
    crawl.fold(
        record("a", "m", rendered=True, opened=(key_of("m"),)),
        record("b", "m", "n", rendered=True, opened=(key_of("m"), key_of("n"))),
    )
    assert gains(crawl) == [2]


def lesson_of_folder(crawl: Crawl) -> Lesson:
    (lesson,) = (lesson for lesson in crawl.gatherer.lessons.whole() if lesson.key.endswith("/*"))
    return lesson


def test_a_rendering_that_failed_teaches_nothing_of_gains() -> None:
    crawl = Crawl()
    crawl.fold(record("root", "a", "b", "c", "d", rendered=True, **SHELL, render_added=True))
    crawl.plan()
    problem: dict[str, Any] = {"render_problem": "its script failed", **SHELL}
    crawl.fold(
        record("a", render_failed=True, **problem),
        record("b", **problem),  # no browser loaded it
        record("c", rendered=True, **problem),
    )
    lesson = lesson_of_folder(crawl)
    assert (lesson.rendered, lesson.gains, lesson.barren, lesson.failed) == (1, 1, 0, 1)
    crawl.fold(record("d", rendered=True, render_added=True, **problem))
    assert (lesson_of_folder(crawl).gains, lesson_of_folder(crawl).failed) == (2, 0), "a gain is one in any case"


def test_links_that_scripts_add_to_complete_pages_are_a_gain_where_no_link_has_led() -> None:
    crawl = Crawl()
    listed = FoundUrl(
        url=url("s"), key=key_of("s"), depth=0, parent=NO_PARENT, found_by=FoundBy.SITEMAP, phase=Phase.BFS, wave=1
    )
    crawl.gatherer.add(listed)
    crawl.fold(record("root", "a", "b", "c", "d"))
    crawl.plan()

    def by_script(name: str, skip: Reason = Reason.NONE) -> LinkView:
        return LinkView(url=url(name), key=key_of(name), dom=True, skip=skip)

    crawl.fold(record("a", by_script("b"), by_script("out", Reason.OUT_OF_SCOPE), rendered=True, render_added=True))
    assert (lesson_of_folder(crawl).gains, lesson_of_folder(crawl).unneeded) == (0, 1), "a link led there before"
    crawl.fold(record("b", sampled=True))
    assert (lesson_of_folder(crawl).unneeded, lesson_of_folder(crawl).barren) == (2, 0)
    crawl.fold(record("c", by_script("s"), rendered=True))
    assert (lesson_of_folder(crawl).gains, lesson_of_folder(crawl).unneeded) == (1, 0), "only a sitemap lists it"
    crawl.fold(record("d", text_added=True, rendered=True))
    assert lesson_of_folder(crawl).gains == 2


def test_a_page_whose_rendering_failed_waits_and_is_neither_settled_nor_counted() -> None:
    crawl = Crawl(retry_base=0.0)
    crawl.fold(record("root", state=UrlState.DEFERRED, reason=Reason.RENDER, place="place"))
    index = crawl.frontier.find(key_of("root"))
    assert index is not None
    for failed in (1, 2):
        crawl.frontier.plan(index, wave=failed + 1, batch=0)
        failure: dict[str, Any] = {"reason": Reason.RENDER_FAILED, "detail": "its script failed", "retry_after": 5.0}
        crawl.fold(record("root", state=UrlState.DEFERRED, **failure), clock=10.0)
        assert crawl.states_by_url()["root"][:2] == ("deferred", "render_failed")
        assert (crawl.frontier.failed_renders(index), crawl.frontier.document(index)) == (failed, "place")
        assert crawl.frontier.next_due() == 15.0
        crawl.frontier.wake(15.0)
        assert crawl.frontier.fetched() == [index]
    counters = crawl.gatherer.counters
    assert (counters.tries, counters.retries, counters.done, len(crawl.gatherer.lessons)) == (1, 0, 0, 0)
    rows = crawl.frontier.changes()
    copy = Frontier()
    copy.apply(rows)
    assert copy.failed_renders(index) == 2
    whole = Frontier()
    whole.extend(crawl.frontier.columns(0, len(crawl.frontier)))
    assert (whole.failed_renders(index), whole.document(index)) == (2, "place")
    crawl.frontier.plan(index, wave=4, batch=0)
    crawl.fold(record("root"))
    assert (crawl.frontier.awaits_browser, crawl.frontier.failed_renders(index)) == (0, 0)


def test_what_was_not_rendered_is_no_evidence_against_others() -> None:
    facts = FactsView(simhash=1, word_sketch=b"1")
    assert evidence_of(record("a", facts=facts)) is not None
    assert evidence_of(record("a", facts=facts, rendered=True, **SHELL)) is not None
    assert evidence_of(record("a", facts=facts, **SHELL)) is None
    assert evidence_of(record("a", facts=facts, rendered=True, render_problem="its script failed")) is None


def test_a_page_whose_text_was_not_read_is_no_evidence() -> None:
    assert evidence_of(record("a", facts=FactsView(text_hash="ab"))) is None
    assert evidence_of(record("a", facts=FactsView(text_hash="ab", simhash=1))) is not None
    assert evidence_of(record("a", facts=FactsView(text_hash="ab", word_sketch=b"ab"))) is not None
    assert evidence_of(record("a", facts=FactsView())) is not None


def test_the_words_of_a_page_are_learned_before_its_links_are_scored() -> None:
    crawl = Crawl()
    more = [LinkView(url=url(f"list/{n}"), key=key_of(f"n{n}"), text="More") for n in range(30)]
    crawl.fold(record("root", *more))
    signals = {row.anchor_signal for row in crawl.frontier.ledger({}) if row.lane == "p3"}
    assert signals == {0.01}
