"""The check of one URL: every outcome, and which requests it takes."""

import pytest
from msgspec import structs
from tests.support.canned import Canned, answer, redirect
from tests.support.still_clock import StillClock

from wavecrawl.application.check_url import UrlChecker
from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId, JobItem
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.ports.crawls import CrawlRow

OTHER = "https://other.example"
ROBOTS = answer(200, "User-agent: *\nDisallow: /private", (("Content-Type", "text/plain"),))
SETTINGS = CrawlSettings()


def fault(kind: TransportFault, status: int | None = None) -> Exchange:
    return structs.replace(answer(200), status=status, fault=kind, fault_detail=kind.value)


class Checking:
    """A checker over given responses."""

    def __init__(self, store: LocalStore, clock: StillClock, **given: list[Exchange]) -> None:
        self.client = Canned(
            {f"{OTHER}/robots.txt": [ROBOTS], **{f"{OTHER}/{name}": answers for name, answers in given.items()}}
        )
        row = CrawlRow(
            id=CrawlId(tenant="t", site="s", crawl="c"), start_url=OTHER, root_url=f"{OTHER}/", settings=SETTINGS
        )
        rules = site_rules(row, client=self.client, cache=store.robots, clock=clock)
        requests = OutsideRequests(robots=rules.robots, clock=clock, settings=SETTINGS)
        self._checker = UrlChecker(client=self.client, requests=requests, settings=SETTINGS, media=rules.media)

    def check(self, name: str = "a", *, tries: int = 1, starts: int = 100, reads_css: bool = False) -> PageRecord:
        left = iter([True] * starts)
        item = JobItem(url=f"{OTHER}/{name}", key="0" * 32, depth=0, tries=tries, reads_css=reads_css)
        return self._checker.check(item, lambda: next(left, False))

    def methods(self) -> list[str]:
        return [one.method for one in self.client.requests if not one.url.endswith("robots.txt")]


def outcome(record: PageRecord) -> tuple[UrlState, Reason]:
    return record.state, record.reason


@pytest.mark.parametrize(
    ("answers", "tries", "expected", "methods"),
    [
        ([answer(200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD"]),
        ([answer(204)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD"]),
        ([answer(405), answer(200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD", "GET"]),
        ([answer(501), answer(200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD", "GET"]),
        ([answer(404), answer(200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD", "GET"]),
        ([answer(403), answer(404)], 1, (UrlState.NOT_FOUND, Reason.STATUS), ["HEAD", "GET"]),
        ([answer(410)], 1, (UrlState.NOT_FOUND, Reason.STATUS), ["HEAD", "GET"]),
        ([answer(403)], 1, (UrlState.FORBIDDEN, Reason.STATUS), ["HEAD", "GET"]),
        ([answer(304)], 1, (UrlState.HTTP_ERROR, Reason.STATUS), ["HEAD"]),
        ([answer(503)], 1, (UrlState.DEFERRED, Reason.STATUS), ["HEAD", "GET"]),
        ([answer(503)], 3, (UrlState.HTTP_ERROR, Reason.STATUS), ["HEAD", "GET"]),
        ([answer(429)], 1, (UrlState.DEFERRED, Reason.STATUS), ["HEAD"]),
        ([fault(TransportFault.RESET), answer(200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD", "GET"]),
        ([fault(TransportFault.TIMEOUT)], 3, (UrlState.FAILED, Reason.TIMEOUT), ["HEAD", "GET"]),
        ([fault(TransportFault.TLS)], 3, (UrlState.FAILED, Reason.TLS), ["HEAD"]),
        ([fault(TransportFault.BLOCKED_ADDRESS)], 1, (UrlState.SKIPPED, Reason.BLOCKED_ADDRESS), ["HEAD"]),
        # a status decides, whatever is wrong with the body
        ([answer(405), fault(TransportFault.DECODING, 200)], 1, (UrlState.FETCHED, Reason.NONE), ["HEAD", "GET"]),
        ([answer(405), fault(TransportFault.TIMEOUT, 404)], 1, (UrlState.NOT_FOUND, Reason.STATUS), ["HEAD", "GET"]),
        ([redirect("/a")], 1, (UrlState.REDIRECTED, Reason.REDIRECT_LOOP), ["HEAD"]),
        ([redirect("ftp://other.example/a")], 1, (UrlState.REDIRECTED, Reason.REDIRECT_BAD_TARGET), ["HEAD"]),
        ([redirect("/private/a")], 1, (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE), ["HEAD"]),
    ],
)
def test_every_response_has_an_outcome(
    store: LocalStore,
    clock: StillClock,
    answers: list[Exchange],
    *,
    tries: int,
    expected: tuple[UrlState, Reason],
    methods: list[str],
) -> None:
    checking = Checking(store, clock, a=answers)
    assert outcome(checking.check(tries=tries)) == expected
    assert checking.methods() == methods


@pytest.mark.parametrize(
    ("header", "status"),
    [(("CF-Mitigated", "challenge"), 503), (("x-amzn-waf-action", "challenge"), 202)],
)
def test_a_challenge_is_no_result_whatever_its_status(
    store: LocalStore, clock: StillClock, header: tuple[str, str], status: int
) -> None:
    checking = Checking(store, clock, a=[answer(status, headers=(header,))])
    assert outcome(checking.check(tries=3)) == (UrlState.BLOCKED, Reason.CHALLENGE)


def test_a_stylesheet_is_requested_with_its_content_and_what_it_loads_is_recorded(
    store: LocalStore, clock: StillClock
) -> None:
    css = (("Content-Type", "text/css"),)
    body = "@import 'more.css'; @font-face { src: url(/f.woff2) } p { background: url(p.png), url(p.png) }"
    checking = Checking(store, clock, a=[redirect("/css/b")], **{"css/b": [answer(200, body, css)]})
    record = checking.check(reads_css=True)
    assert (outcome(record), checking.methods()) == ((UrlState.FETCHED, Reason.NONE), ["GET", "GET"])
    assert [(one.url, one.kind.value) for one in record.resources or ()] == [
        (f"{OTHER}/css/more.css", "stylesheet"), (f"{OTHER}/f.woff2", "resource"), (f"{OTHER}/css/p.png", "image"),
    ]  # fmt: skip


@pytest.mark.parametrize("found", [answer(404), answer(200, "p { background: url(p.png) }")])  # an error; HTML
def test_what_is_no_stylesheet_loads_nothing(store: LocalStore, clock: StillClock, found: Exchange) -> None:
    assert Checking(store, clock, a=[found]).check(reads_css=True).resources is None


def test_redirects_are_followed_with_head_and_get_at_each_step(store: LocalStore, clock: StillClock) -> None:
    checking = Checking(store, clock, a=[answer(405), redirect("/b")], b=[answer(405), answer(200)])
    record = checking.check()
    assert (outcome(record), record.final_url, len(record.hops)) == (
        (UrlState.FETCHED, Reason.NONE), f"{OTHER}/b", 1,
    )  # fmt: skip
    assert checking.methods() == ["HEAD", "GET", "HEAD", "GET"]


@pytest.mark.parametrize(
    ("redirects", "expected", "requested"),
    [
        (20, (UrlState.FETCHED, Reason.NONE), 21),
        (21, (UrlState.REDIRECTED, Reason.REDIRECT_LIMIT), 21),
    ],
)
def test_twenty_redirects_are_followed_as_in_browsers(
    store: LocalStore, clock: StillClock, redirects: int, expected: tuple[UrlState, Reason], requested: int
) -> None:
    chain = {f"r{step}": [redirect(f"/r{step + 1}")] for step in range(redirects)}
    checking = Checking(store, clock, **chain, **{f"r{redirects}": [answer(200)]})
    assert outcome(checking.check("r0")) == expected
    assert len(checking.methods()) == requested


def test_redirects_carry_their_cookies_and_may_return(store: LocalStore, clock: StillClock) -> None:
    consent = redirect("/a", 302, ("Set-Cookie", "ok=1; Path=/"))
    checking = Checking(store, clock, a=[redirect("/consent"), answer(200)], consent=[consent])
    assert outcome(checking.check()) == (UrlState.FETCHED, Reason.NONE)
    assert ("Cookie", "ok=1") in checking.client.requests[-1].headers
    loop = Checking(store, clock, a=[redirect("/consent")], consent=[consent])
    assert outcome(loop.check()) == (UrlState.REDIRECTED, Reason.REDIRECT_LOOP)


def test_a_stream_and_a_body_that_breaks_off_are_no_broken_links(store: LocalStore, clock: StillClock) -> None:
    for body in (structs.replace(answer(200), is_stream=True), fault(TransportFault.RESET, 200)):
        checking = Checking(store, clock, a=[answer(405), body])
        record = checking.check()
        assert (outcome(record), record.truncated) == ((UrlState.FETCHED, Reason.NONE), False)


def test_a_worker_that_ends_between_head_and_get_defers_the_url(store: LocalStore, clock: StillClock) -> None:
    checking = Checking(store, clock, a=[answer(405), answer(200)])
    assert outcome(checking.check(starts=0)) == (UrlState.DEFERRED, Reason.WORKER_OUT_OF_TIME)
    assert checking.methods() == ["HEAD"]


def test_a_url_that_robots_txt_denies_is_not_requested(store: LocalStore, clock: StillClock) -> None:
    checking = Checking(store, clock)
    assert outcome(checking.check("private/a")) == (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE)
    assert checking.methods() == []


@pytest.mark.parametrize(
    ("robots", "tries", "expected"),
    [
        (fault(TransportFault.DNS), 1, (UrlState.FAILED, Reason.DNS)),  # lasting: no retry helps
        (fault(TransportFault.CONNECT), 1, (UrlState.FAILED, Reason.CONNECT)),
        (fault(TransportFault.TIMEOUT), 1, (UrlState.FAILED, Reason.TIMEOUT)),
        (answer(503), 3, (UrlState.DEFERRED, Reason.ROBOTS_UNREACHABLE)),  # it responds, so the URL may exist
        (answer(503), 6, (UrlState.ROBOTS_DENIED, Reason.ROBOTS_UNREACHABLE)),
    ],
)
def test_a_host_that_does_not_respond_to_the_request_for_robots_txt_fails_the_check(
    store: LocalStore, clock: StillClock, robots: Exchange, tries: int, expected: tuple[UrlState, Reason]
) -> None:
    checking = Checking(store, clock, **{"robots.txt": [robots]})
    assert outcome(checking.check(tries=tries)) == expected
    assert checking.methods() == []


def test_a_check_of_a_private_address_names_the_option_that_allows_it(store: LocalStore, clock: StillClock) -> None:
    blocked = structs.replace(fault(TransportFault.BLOCKED_ADDRESS), fault_detail="it is not on the public internet")
    assert Checking(store, clock, a=[blocked]).check().detail == (
        "not requested, as it is not on the public internet. "
        "The operator of the crawler can add the address to allowed_addresses (--allow-address ADDRESS)"
    )


def test_at_most_one_kilobyte_of_a_body_is_requested(store: LocalStore, clock: StillClock) -> None:
    checking = Checking(store, clock, a=[answer(405), answer(200)])
    checking.check()
    limits = [one.limits for one in checking.client.requests if one.url.endswith("/a")]
    assert [(one.max_bytes, one.max_decoded_bytes, one.timeout) for one in limits] == [(1_024, 1_024, 10.0)] * 2
