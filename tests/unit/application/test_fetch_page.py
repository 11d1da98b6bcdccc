"""The fetch of one URL: redirects to the same page, redirects to other pages, and invalid redirects."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import HTML, Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.application.fetch_page import PageFetcher
from wavecrawl.application.fetched_page import FetchedPage
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.cookies import Cookie, Cookies, cookie_header
from wavecrawl.domain.fetching.exchange import Cut, Exchange, TransportFault
from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import ReadingStoppedError, TooExpensiveError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.page_parser import PageParser, UnlimitedParser, never

SITE = "https://site.example"
ROBOTS = answer(200, "User-agent: *\nDisallow: /private", (("Content-Type", "text/plain"),))
PAGE = answer(200, "<title>Here</title><p>words</p>")


def fetched(
    store: LocalStore,
    clock: StillClock,
    path: str,
    settings: CrawlSettings | None = None,
    robots: Exchange = ROBOTS,
    *,
    tries: int = 1,
    cookies: Cookies = (),
    **answers: list[Exchange],
) -> tuple[PageRecord, Canned]:
    done, client = fetched_page(
        store, clock, path, settings, robots,
        tries=tries, cookies=cookies, other_known=False, parser=None, stopped=Reason.NONE, unstopped=0, **answers,
    )  # fmt: skip
    return done.record, client


def fetched_page(
    store: LocalStore,
    clock: StillClock,
    path: str,
    settings: CrawlSettings | None = None,
    robots: Exchange = ROBOTS,
    *,
    tries: int = 1,
    cookies: Cookies = (),
    other_known: bool = False,
    parser: PageParser | None = None,
    stopped: Reason = Reason.NONE,
    unstopped: int = 0,
    **answers: list[Exchange],
) -> tuple[FetchedPage, Canned]:
    settings = settings or CrawlSettings()
    row = CrawlRow(id=CrawlId(tenant="t", site="s", crawl="c"), start_url=SITE, root_url=f"{SITE}/", settings=settings)
    known = {
        f"{SITE}/{name.replace('_ref', '?ref=x').replace('__', '/').replace('_', '')}": given
        for name, given in answers.items()
    }
    client = Canned({f"{SITE}/robots.txt": [robots], **known})
    rules = site_rules(row, client=client, cache=store.robots, clock=clock)
    fetcher = PageFetcher(
        client=client,
        links=rules.links,
        media=rules.media,
        robots=rules.robots,
        archive=store.archive,
        settings=settings,
        parser=parser,
    )
    page = Identity.of(settings).page_url(SITE + path)
    ends = iter([Reason.NONE] * unstopped)
    return fetcher.fetch(
        JobItem(url=page.url, key=page.key, depth=1, tries=tries, cookies=cookies, other_known=other_known),
        ending=lambda: next(ends, stopped),
    ), client


def test_a_redirect_to_the_same_identity_is_followed_at_once(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, "/a", a=[redirect("/a?ref=x")], a_ref=[PAGE])
    assert (record.state, record.final_url, record.facts.title if record.facts else "") == (
        UrlState.FETCHED,
        f"{SITE}/a?ref=x",
        "Here",
    )
    assert [hop.location for hop in record.hops] == [f"{SITE}/a?ref=x"]
    assert client.requested == [f"{SITE}/a", f"{SITE}/robots.txt", f"{SITE}/a?ref=x"]


@pytest.mark.parametrize(("first", "second"), [("/a", "/a/"), ("/a/", "/a")])
def test_a_redirect_to_the_other_spelling_is_followed_in_the_same_try(
    store: LocalStore, clock: StillClock, first: str, second: str
) -> None:
    there, here = [redirect(second)], [PAGE]
    a, slashed = (there, here) if first == "/a" else (here, there)
    done, client = fetched_page(store, clock, first, a=a, a__=slashed)
    keys = [Identity().page_url(SITE + path).key for path in (first, second)]
    assert (done.record.state, done.record.redirect_to, done.record.redirect_key) == (
        UrlState.REDIRECTED,
        f"{SITE}{second}",
        keys[1],
    )
    assert done.other is not None
    other = done.other.record
    assert (other.key, other.url, other.state, other.depth, other.tries) == (
        keys[1],
        f"{SITE}{second}",
        UrlState.FETCHED,
        1,
        1,
    )
    assert other.facts is not None
    assert (other.facts.title, other.final_url) == ("Here", "")
    assert client.requested == [f"{SITE}{first}", f"{SITE}/robots.txt", f"{SITE}{second}"]
    assert ([one.status for one in done.exchanges], [one.status for one in done.other.exchanges]) == ([301], [200])


def test_a_redirect_to_a_spelling_that_is_known_is_recorded_only(store: LocalStore, clock: StillClock) -> None:
    done, client = fetched_page(store, clock, "/a", other_known=True, a=[redirect("/a/")], a__=[PAGE])
    assert (done.record.state, done.record.redirect_to, done.other) == (UrlState.REDIRECTED, f"{SITE}/a/", None)
    assert client.requested == [f"{SITE}/a"]


def test_the_other_spelling_gets_the_cookies_of_the_redirect(store: LocalStore, clock: StillClock) -> None:
    done, client = fetched_page(store, clock, "/a", a=[redirect("/a/", 302, ("Set-Cookie", "seen=1"))], a__=[PAGE])
    assert done.other is not None
    assert ("Cookie", "seen=1") in client.requests[-1].headers


def test_spellings_that_redirect_to_each_other_are_requested_once_each(store: LocalStore, clock: StillClock) -> None:
    done, client = fetched_page(store, clock, "/a", a=[redirect("/a/")], a__=[redirect("/a")])
    assert done.other is not None
    assert (done.other.record.state, done.other.record.redirect_to) == (UrlState.REDIRECTED, f"{SITE}/a")
    assert client.requested == [f"{SITE}/a", f"{SITE}/robots.txt", f"{SITE}/a/"]


def test_a_spelling_that_fails_is_retried_on_its_own(store: LocalStore, clock: StillClock) -> None:
    busy = answer(503, headers=(("Retry-After", "7"),))
    done, _ = fetched_page(store, clock, "/a", a=[redirect("/a/")], a__=[busy])
    assert done.record.state is UrlState.REDIRECTED
    assert done.other is not None
    assert (done.other.record.state, done.other.record.retry_after) == (UrlState.DEFERRED, 7.0)


def test_a_spelling_that_is_excluded_is_not_requested(store: LocalStore, clock: StillClock) -> None:
    settings = CrawlSettings(scope=ScopeSettings(exclude=("/a/",)))
    done, client = fetched_page(store, clock, "/a", settings, a=[redirect("/a/")], a__=[PAGE])
    assert (done.record.redirect_skip, done.other) == (Reason.EXCLUDED, None)
    assert client.requested == [f"{SITE}/a"]


def test_a_spelling_that_robots_txt_denies_is_not_requested(store: LocalStore, clock: StillClock) -> None:
    rules = answer(200, "User-agent: *\nDisallow: /a/$", (("Content-Type", "text/plain"),))
    done, client = fetched_page(store, clock, "/a", None, rules, a=[redirect("/a/")])
    assert (done.record.state, done.record.redirect_to, done.other) == (UrlState.REDIRECTED, f"{SITE}/a/", None)
    assert f"{SITE}/a/" not in client.requested


def test_a_redirect_to_another_page_is_left_to_its_own_batch(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, "/a", a=[redirect("/b?utm_source=x#part")], b=[PAGE])
    assert (record.state, record.reason, record.redirect_to) == (UrlState.REDIRECTED, Reason.STATUS, f"{SITE}/b")
    assert f"{SITE}/b" not in client.requested


def test_a_page_that_says_it_has_not_changed_without_being_asked_is_empty_as_in_browsers(
    store: LocalStore, clock: StillClock
) -> None:
    record, _ = fetched(store, clock, "/a", a=[answer(304)])
    assert (record.state, record.reason, record.status) == (UrlState.FETCHED, Reason.EMPTY, 304)


HALF = structs.replace(
    answer(200, "<title>Half</title><a href=/b>b</a>"), fault=TransportFault.RESET, fault_detail="why"
)
WHOLE = answer(200, "<title>Whole</title><a href=/b>b</a>", (*HTML, ("ETag", '"1"')))


def test_a_page_that_arrives_in_part_is_read_as_in_browsers(store: LocalStore, clock: StillClock) -> None:
    half = structs.replace(HALF, headers=(*HTML, ("ETag", '"1"'), ("Last-Modified", "yesterday")))
    record, client = fetched(store, clock, "/a", a=[half])
    assert (record.state, record.detail, record.is_html) == (UrlState.FETCHED, "why", True)
    assert (record.truncated, record.truncated_reason) == (True, Cut.DISCONNECT)
    assert [link.url for link in record.links] == [f"{SITE}/b"]
    assert (record.etag, record.last_modified, record.body_hash) == ("", "", "")
    assert client.requested.count(f"{SITE}/a") == 2  # the second request could have given the whole page


def test_a_page_that_arrives_as_a_whole_the_second_time_is_whole(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, "/a", a=[HALF, WHOLE, PAGE])
    assert record.facts is not None
    assert (record.facts.title, record.truncated, record.etag, record.tries) == ("Whole", False, '"1"', 1)
    assert client.requested.count(f"{SITE}/a") == 2


LONGER = structs.replace(HALF, body=HALF.body + b"<p>more", raw_body=HALF.body + b"<p>more")


@pytest.mark.parametrize(
    ("second", "length"),
    [(answer(503), len(HALF.body)), (answer(fault=TransportFault.TIMEOUT), len(HALF.body)), (LONGER, len(LONGER.body))],
)
def test_a_second_request_loses_nothing_of_the_first(
    store: LocalStore, clock: StillClock, second: Exchange, length: int
) -> None:
    record, _ = fetched(store, clock, "/a", a=[HALF, second])
    assert (record.state, record.bytes, record.truncated_reason) == (UrlState.FETCHED, length, Cut.DISCONNECT)


@pytest.mark.parametrize(
    "once",
    [
        structs.replace(HALF, fault=TransportFault.TIMEOUT),
        structs.replace(HALF, fault=TransportFault.PROTOCOL),
        structs.replace(HALF, fault=None, truncated=True),
        structs.replace(HALF, headers=(("Content-Type", "application/octet-stream"),)),
        structs.replace(answer(200, "", (("Content-Type", "audio/mpeg"),)), is_stream=True),
    ],
    ids=["slow", "against HTTP", "too large", "file", "stream"],
)
def test_only_a_page_whose_connection_ended_is_requested_twice(
    store: LocalStore, clock: StillClock, once: Exchange
) -> None:
    record, client = fetched(store, clock, "/a", a=[once])
    assert (record.state, record.truncated, record.tries) == (UrlState.FETCHED, True, 1)
    assert client.requested.count(f"{SITE}/a") == 1


@pytest.mark.parametrize(
    ("kind", "state", "reason", "detail"),
    [
        ("application/zip", UrlState.SKIPPED, Reason.ASSET, "its response is application/zip"),
        ("application/octet-stream", UrlState.SKIPPED, Reason.ASSET, "its response is application/octet-stream"),
        ("application/pdf", UrlState.SKIPPED, Reason.DOCUMENT, ""),
    ],
)
def test_a_long_file_is_known_by_its_head(
    store: LocalStore, clock: StillClock, *, kind: str, state: UrlState, reason: Reason, detail: str
) -> None:
    head = structs.replace(answer(200, "", (("Content-Type", kind),)), is_stream=True)
    answers: Any = {"a.pdf": [head]}
    record, client = fetched(store, clock, "/a.pdf", **answers)
    assert (record.state, record.reason, record.detail) == (state, reason, detail)
    assert [request.only_html for request in client.requests if request.url.endswith("/a.pdf")] == [True]


def test_a_page_of_which_nothing_arrives_is_tried_again_and_then_read_as_empty(
    store: LocalStore, clock: StillClock
) -> None:
    lost = structs.replace(answer(200), fault=TransportFault.RESET)
    record, _ = fetched(store, clock, "/a", a=[lost])
    assert (record.state, record.truncated) == (UrlState.DEFERRED, True)
    record, _ = fetched(store, clock, "/a", tries=3, a=[lost])
    assert (record.state, record.is_html, record.truncated_reason) == (UrlState.FETCHED, True, Cut.DISCONNECT)


@pytest.mark.parametrize("fault", [TransportFault.RESET, TransportFault.DECODING, TransportFault.PROTOCOL])
def test_a_redirect_whose_body_is_broken_is_followed(
    store: LocalStore, clock: StillClock, fault: TransportFault
) -> None:
    record, _ = fetched(store, clock, "/a", a=[structs.replace(redirect("/b"), fault=fault)])
    assert (record.state, record.redirect_to) == (UrlState.REDIRECTED, f"{SITE}/b")


@pytest.mark.parametrize("status", [300, 302, 305])
def test_a_response_that_does_not_say_where_to_is_read_as_a_page(
    store: LocalStore, clock: StillClock, status: int
) -> None:
    record, _ = fetched(store, clock, "/a", a=[answer(status, "<title>Choose</title><a href=/b>b</a>")])
    assert (record.state, record.status, [link.url for link in record.links]) == (
        UrlState.FETCHED, status, [f"{SITE}/b"],
    )  # fmt: skip


CHAIN = (Cookie(name="before", value="1", host="site.example", path="/"),)


def test_a_redirect_to_another_page_hands_its_cookies_on(store: LocalStore, clock: StillClock) -> None:
    gone = ("Set-Cookie", "old=; Path=/; Max-Age=0")
    record, client = fetched(
        store, clock, "/a", cookies=CHAIN, a=[redirect("/b", 302, ("Set-Cookie", "new=2; Path=/"), gone)]
    )
    assert ("Cookie", "before=1") in client.requests[-1].headers
    assert cookie_header(record.cookies, f"{SITE}/b") == "before=1; new=2"


def test_a_page_that_is_read_keeps_no_cookies(store: LocalStore, clock: StillClock) -> None:
    page = answer(200, "<p>words", (*HTML, ("Set-Cookie", "new=2")))
    assert fetched(store, clock, "/a", cookies=CHAIN, a=[page])[0].cookies == ()


def test_a_cookie_that_is_set_on_the_way_goes_along(store: LocalStore, clock: StillClock) -> None:
    record, client = fetched(store, clock, "/a", a=[redirect("/a", 302, ("Set-Cookie", "seen=1; Path=/")), PAGE])
    assert record.state is UrlState.FETCHED
    assert ("Cookie", "seen=1") in client.requests[-1].headers


def test_a_page_that_redirects_to_itself_is_a_loop(store: LocalStore, clock: StillClock) -> None:
    record, _ = fetched(store, clock, "/a", a=[redirect("/a")])
    assert (record.state, record.reason) == (UrlState.REDIRECTED, Reason.REDIRECT_LOOP)
    assert "/a" in record.detail


def test_a_cookie_dance_ends_at_the_limit(store: LocalStore, clock: StillClock) -> None:
    dance = [redirect("/a", 302, ("Set-Cookie", f"step={step}")) for step in range(20)]
    record, client = fetched(store, clock, "/a", a=dance)
    assert (record.state, record.reason) == (UrlState.REDIRECTED, Reason.REDIRECT_LIMIT)
    assert client.requested.count(f"{SITE}/a") == 6


def test_every_hop_asks_robots_txt(store: LocalStore, clock: StillClock) -> None:
    rules = answer(200, "User-agent: *\nDisallow: /a?ref", (("Content-Type", "text/plain"),))
    record, client = fetched(store, clock, "/a", None, rules, a=[redirect("/a?ref=x")])
    assert (record.state, record.reason) == (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE)
    assert f"{SITE}/a?ref=x" not in client.requested


@pytest.mark.parametrize(
    ("robots", "tries", "state", "wait"),
    [
        (answer(503), 1, UrlState.DEFERRED, 15.0),
        (answer(503), 5, UrlState.DEFERRED, 240.0),
        (answer(503), 6, UrlState.ROBOTS_DENIED, 0.0),
        (answer(fault=TransportFault.DNS), 1, UrlState.FAILED, 0.0),
    ],
)
def test_a_hop_waits_for_a_robots_txt_that_cannot_be_fetched(
    store: LocalStore, clock: StillClock, robots: Exchange, *, tries: int, state: UrlState, wait: float
) -> None:
    record, client = fetched(store, clock, "/a", None, robots, tries=tries, a=[redirect("/a?ref=x")])
    reason = Reason.DNS if state is UrlState.FAILED else Reason.ROBOTS_UNREACHABLE
    assert (record.state, record.reason, record.retry_after) == (state, reason, wait)
    assert record.detail == ("HTTP 503" if robots.status else "no response")
    assert f"{SITE}/a?ref=x" not in client.requested


@pytest.mark.parametrize("location", ["mailto:a@site.example", "http://[broken", "javascript:void(0)"])
def test_a_redirect_to_no_page_ends_there(store: LocalStore, clock: StillClock, location: str) -> None:
    record, _ = fetched(store, clock, "/a", a=[redirect(location)])
    assert (record.state, record.reason, record.redirect_to) == (UrlState.REDIRECTED, Reason.REDIRECT_BAD_TARGET, "")


def test_a_redirect_out_of_the_site_is_recorded_and_not_followed(store: LocalStore, clock: StillClock) -> None:
    record, _ = fetched(store, clock, "/a", a=[redirect("https://elsewhere.example/x")])
    assert (record.reason, record.redirect_skip) == (Reason.REDIRECT_OUT_OF_SCOPE, Reason.OUT_OF_SCOPE)
    assert record.redirect_to == "https://elsewhere.example/x"


def test_redirects_are_not_followed_where_the_settings_say_so(store: LocalStore, clock: StillClock) -> None:
    settings = CrawlSettings(follow_redirects=False)
    record, client = fetched(store, clock, "/a", settings, a=[redirect("/a/")], a__=[PAGE])
    assert (record.state, record.redirect_to) == (UrlState.REDIRECTED, f"{SITE}/a/")
    assert client.requested[-1] == f"{SITE}/a"


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (answer(200, "<html><p>x"), (True, Reason.NONE)),
        (answer(200, "<!DOCTYPE html><p>x", ()), (True, Reason.NONE)),  # no Content-Type: detected from the body
        (answer(200, "plain", ()), (False, Reason.NOT_HTML)),
        (answer(200, " \n"), (False, Reason.EMPTY)),
        (answer(200, "a,b", (("Content-Type", "text/csv"),)), (False, Reason.NOT_HTML)),
    ],
)
def test_what_a_page_is(store: LocalStore, clock: StillClock, given: Exchange, expected: tuple[bool, Reason]) -> None:
    record, _ = fetched(store, clock, "/a", a=[given])
    assert (record.is_html, record.reason) == expected
    assert record.state is UrlState.FETCHED


@pytest.mark.parametrize(
    ("content_type", "body", "expected"),
    [
        ("text/plain; charset=utf-8", "Valves\r\n  open at 3 bar.\n", "Valves\n  open at 3 bar."),
        ("text/markdown", "# Valves\n\n- *open* at 3 bar", "# Valves\n\n- *open* at 3 bar"),
        ("text/x-markdown", "Ventile öffnen bei 3 bar", "Ventile öffnen bei 3 bar"),
        ("text/csv", "valve,3", None),
        ("application/json", '{"valve": 3}', None),
        ("text/event-stream", "data: valve", None),
    ],
)
def test_plain_text_and_markdown_have_their_text(
    store: LocalStore, clock: StillClock, content_type: str, body: str, expected: str | None
) -> None:
    record, _ = fetched(store, clock, "/a", a=[answer(200, body, (("Content-Type", content_type),))])
    assert (record.is_html, record.reason) == (False, Reason.NOT_HTML)
    assert (record.facts.text if record.facts else None) == expected
    assert record.links == ()


def test_a_plain_text_that_is_too_expensive_to_read_is_fetched_without_text(
    store: LocalStore, clock: StillClock
) -> None:
    parser = Refusing(TooExpensiveError("reading it takes more than 5 s of processor time"))
    text = answer(200, PAGE.body.decode(), (("Content-Type", "text/plain"),))
    record = fetched_page(store, clock, "/a", parser=parser, a=[text])[0].record
    assert (record.state, record.reason, record.facts) == (UrlState.FETCHED, Reason.NOT_HTML, None)
    assert record.detail == "reading it takes more than 5 s of processor time"


@pytest.mark.parametrize(
    ("given", "state", "wait"),
    [
        (answer(503, headers=(*HTML, ("Retry-After", "7"))), UrlState.DEFERRED, 7.0),
        (answer(fault=TransportFault.TIMEOUT), UrlState.DEFERRED, 0.0),
        (answer(418), UrlState.HTTP_ERROR, 0.0),
    ],
)
def test_what_may_pass_is_deferred(
    store: LocalStore, clock: StillClock, given: Exchange, state: UrlState, wait: float
) -> None:
    record, _ = fetched(store, clock, "/a", a=[given])
    assert (record.state, record.retry_after) == (state, wait)


def test_the_last_try_is_final(store: LocalStore, clock: StillClock) -> None:
    settings = replace(CrawlSettings(), max_retries=0)
    record, _ = fetched(store, clock, "/a", settings, a=[answer(503)])
    assert record.state is UrlState.HTTP_ERROR


def test_headers_count_as_the_page_itself(store: LocalStore, clock: StillClock) -> None:
    headers = (
        *HTML,
        ("Link", '</main>; rel="canonical", </de>; rel="alternate"; hreflang="de"'),
        ("X-Robots-Tag", "noindex"),
        ("X-Robots-Tag", "otherbot: none"),
    )
    record, _ = fetched(store, clock, "/a", a=[answer(200, "<p>x", headers)])
    assert (record.header_canonical, record.header_robots) == (f"{SITE}/main", ("noindex",))
    assert record.facts is not None
    assert record.facts.hreflang == record.header_alternates == (("de", f"{SITE}/de"),)
    assert [(link.url, link.kind, link.region) for link in record.links] == [(f"{SITE}/de", "alternate", "head")]


@pytest.mark.parametrize(
    ("header", "target"),
    [
        ("0; url=/next", f"{SITE}/next"),
        ("5;URL='next?a=1'", f"{SITE}/next?a=1"),
        (f"1, {SITE}/next", f"{SITE}/next"),
        ("30", ""),
        ("0; url=", ""),
        ("0; url=javascript:alert(1)", ""),
        ("soon; url=/next", ""),
    ],
)
def test_a_refresh_header_leads_on(store: LocalStore, clock: StillClock, header: str, target: str) -> None:
    record, _ = fetched(store, clock, "/a", a=[answer(200, "<p>x", (*HTML, ("Refresh", header)))])
    assert record.facts is not None
    assert record.header_refresh == record.facts.refresh == target
    links = [(link.url, link.kind, link.region) for link in record.links]
    assert links == ([(target, "refresh", "head")] if target else [])


def test_the_refresh_of_the_header_comes_before_that_of_the_element(store: LocalStore, clock: StillClock) -> None:
    html = '<meta http-equiv="refresh" content="9;url=/element"><base href="/folder/">'
    record, _ = fetched(store, clock, "/a", a=[answer(200, html, (*HTML, ("Refresh", "0;url=header")))])
    assert record.facts is not None
    assert record.facts.refresh == f"{SITE}/header"
    assert [link.url for link in record.links] == [f"{SITE}/header", f"{SITE}/element"]


class Refusing(UnlimitedParser):
    """A parser that reads no page."""

    def __init__(self, error: Exception) -> None:
        self._error = error

    def read(self, html: bytes | str, how: Reading, *, is_stopped: Callable[[], bool] = never) -> Extraction:
        """Raise the error."""
        assert (html, how.url, how.cpu_seconds) == (PAGE.body, f"{SITE}/a", 5.0)
        assert is_stopped() is isinstance(self._error, ReadingStoppedError)
        raise self._error


def test_a_page_that_is_too_expensive_to_read_fails_and_is_stored(store: LocalStore, clock: StillClock) -> None:
    parser = Refusing(TooExpensiveError("reading it takes more than 5 s of processor time"))
    done, client = fetched_page(store, clock, "/a", parser=parser, a=[PAGE])
    record = done.record
    assert (record.state, record.reason, record.status) == (UrlState.FAILED, Reason.TOO_EXPENSIVE, 200)
    assert record.detail == "reading it takes more than 5 s of processor time"
    assert (record.facts, record.links, record.tries) == (None, (), 1)
    assert [exchange.body for exchange in done.exchanges] == [PAGE.body]
    assert client.requested == [f"{SITE}/a"]


def test_a_page_whose_crawl_ends_while_it_is_read_waits(store: LocalStore, clock: StillClock) -> None:
    parser = Refusing(ReadingStoppedError("the crawl ended"))
    done, _ = fetched_page(store, clock, "/a", parser=parser, stopped=Reason.TIME_LIMIT, a=[PAGE])
    assert (done.record.state, done.record.reason) == (UrlState.DEFERRED, Reason.TIME_LIMIT)


@pytest.mark.parametrize(("tries", "state"), [(1, UrlState.DEFERRED), (4, UrlState.FAILED)])
@pytest.mark.parametrize("unstopped", [0, 1])
def test_a_page_whose_worker_ends_before_or_while_it_is_read_is_tried_again(
    store: LocalStore, clock: StillClock, unstopped: int, tries: int, state: UrlState
) -> None:
    parser, late = Refusing(ReadingStoppedError("the worker ends")), Reason.WORKER_OUT_OF_TIME
    done, _ = fetched_page(store, clock, "/a", tries=tries, parser=parser, stopped=late, unstopped=unstopped, a=[PAGE])
    record = done.record
    assert (record.state, record.reason, record.status, record.tries, record.facts) == (state, late, 200, tries, None)


def test_directives_for_the_product_of_the_crawler_count_in_headers_and_pages(
    store: LocalStore, clock: StillClock
) -> None:
    text = "<title>T</title><meta name=AcmeBot content=noindex><meta name=wavecrawl content=nofollow>"
    headers = (
        ("Content-Type", "text/html"),
        ("X-Robots-Tag", "acmebot: noarchive"),
        ("X-Robots-Tag", "wavecrawl: none"),
    )
    for product, directives in (("acmebot", ("noarchive", "noindex")), ("wavecrawl", ("none", "nofollow"))):
        settings = CrawlSettings(robots_product=product)
        record, _ = fetched(store, clock, "/a", settings, _a=[answer(200, text, headers)])
        assert record.facts is not None
        assert (*record.header_robots, *record.facts.robots) == directives
