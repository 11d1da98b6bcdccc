"""robots.txt: fetched with limits of its own, cached for all crawls, and what happens if it cannot be had."""

from threading import Barrier

import pytest
from msgspec import structs
from tests.support.canned import Canned, answer, redirect
from tests.support.patience import HANG
from tests.support.still_clock import StillClock

from wavecrawl.application.robots_gate import RobotsGate
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.robots import Unreachable
from wavecrawl.domain.politeness.settings import PoliteSettings

SITE = "https://site.example"
ROBOTS = f"{SITE}/robots.txt"
OTHER = "https://other.example"
TEXT = (("Content-Type", "text/plain"),)
PRIVATE = answer(200, "User-agent: *\nDisallow: /private\n", TEXT)
HALF_A_DAY = 12 * 3600.0
WEEK = 7 * 86_400.0


def gate(
    store: LocalStore, clock: StillClock, client: Canned, settings: CrawlSettings | None = None, *, obey: bool = True
) -> RobotsGate:
    settings = settings or CrawlSettings(polite=PoliteSettings(obey_robots=obey))
    return RobotsGate(client=client, cache=store.robots, clock=clock, settings=settings)


class AllTogether(Canned):
    """Hosts that respond only if they are all requested at the same time."""

    together = Barrier(4)

    def fetch(self, request: FetchRequest) -> Exchange:
        self.together.wait(timeout=HANG)
        return super().fetch(request)


def test_robots_txt_of_several_hosts_is_read_ahead_at_a_time(store: LocalStore, clock: StillClock) -> None:
    hosts = [f"https://h{number}.example" for number in range(4)]
    client = AllTogether({f"{hosts[0]}/robots.txt": [answer(200, "User-agent: *\nDisallow: /", TEXT)]})
    robots = gate(store, clock, client)
    robots.read_ahead(f"{host}/{page}" for host in hosts for page in range(3))
    robots.read_ahead([f"{hosts[0]}/again"])
    assert sorted(client.requested) == [f"{host}/robots.txt" for host in hosts]
    reasons = [robots.reason_against(f"{host}/") for host in hosts]
    assert reasons == [Reason.ROBOTS_RULE, Reason.NONE, Reason.NONE, Reason.NONE]


class Slow(Canned):
    """Hosts that do not respond. Each request takes a minute."""

    def __init__(self, clock: StillClock) -> None:
        super().__init__()
        self._clock = clock

    def fetch(self, request: FetchRequest) -> Exchange:
        super().fetch(request)
        self._clock.time += 60.0
        return answer(fault=TransportFault.TIMEOUT)


def test_robots_txt_that_cannot_be_read_ahead_is_not_requested_again_afterwards(
    store: LocalStore, clock: StillClock
) -> None:
    client = Slow(clock)
    robots = gate(store, clock, client)
    hosts = [f"https://h{number}.example" for number in range(4)]
    robots.read_ahead(hosts)
    requested = list(client.requested)
    assert {robots.reason_against(f"{host}/") for host in hosts} == {Reason.ROBOTS_UNREACHABLE}
    assert client.requested == requested


def test_robots_txt_that_is_not_obeyed_is_not_read_ahead(store: LocalStore, clock: StillClock) -> None:
    client = Canned()
    gate(store, clock, client, obey=False).read_ahead(["https://a.example/", "https://b.example/"])
    assert client.requested == []


def test_robots_txt_is_read_once_and_kept_for_twelve_hours(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/robots.txt": [answer(200, "User-agent: *\nDisallow: /no\nCrawl-delay: 3", TEXT)]})
    first = gate(store, clock, client)
    assert first.reason_against(f"{SITE}/no/page") is Reason.ROBOTS_RULE
    assert first.reason_against(f"{SITE}/yes") is Reason.NONE
    assert first.crawl_delay(SITE) == 3.0
    assert gate(store, clock, client).crawl_delay(SITE) == 3.0
    assert client.requested == [f"{SITE}/robots.txt"]
    clock.time += 12 * 3600 + 1
    assert gate(store, clock, client).crawl_delay(SITE) == 3.0
    assert len(client.requested) == 2


def test_robots_txt_that_cannot_be_reached_denies_everything_for_now(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/robots.txt": [answer(503)]})
    assert gate(store, clock, client).reason_against(f"{SITE}/") is Reason.ROBOTS_UNREACHABLE
    assert len(client.requested) == 3
    assert clock.slept == [0.5, 1.0]


@pytest.mark.parametrize("fault", [TransportFault.BLOCKED_ADDRESS, TransportFault.URL])
def test_robots_txt_that_can_never_be_reached_is_asked_for_once(
    store: LocalStore, clock: StillClock, fault: TransportFault
) -> None:
    client = Canned({f"{SITE}/robots.txt": [answer(fault=fault)]})
    expected = Reason.NONE if fault is TransportFault.BLOCKED_ADDRESS else Reason.ROBOTS_UNREACHABLE
    robots = gate(store, clock, client)
    assert robots.reason_against(f"{SITE}/") is expected
    assert robots.trouble(f"{SITE}/") is not None
    assert (len(client.requested), clock.slept) == (1, [])


def test_robots_txt_denies_no_url_of_an_address_that_must_not_be_requested(
    store: LocalStore, clock: StillClock
) -> None:
    blocked = answer(fault=TransportFault.BLOCKED_ADDRESS)
    client = Canned({ROBOTS: [redirect(f"{OTHER}/robots.txt")], f"{OTHER}/robots.txt": [blocked]})
    assert gate(store, clock, client).reason_against(f"{OTHER}/") is Reason.NONE
    assert gate(store, clock, client).reason_against(f"{SITE}/") is Reason.ROBOTS_UNREACHABLE


def test_a_missing_robots_txt_is_not_reported(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/robots.txt": [answer(404)]})
    assert gate(store, clock, client).trouble(f"{SITE}/x") is None


def test_robots_txt_is_followed_through_redirects(store: LocalStore, clock: StillClock) -> None:
    rules = answer(200, "User-agent: *\nDisallow: /", TEXT)
    moved = Canned({f"{SITE}/robots.txt": [redirect("/r2")], f"{SITE}/r2": [rules]})
    assert gate(store, clock, moved).reason_against(f"{SITE}/x") is Reason.ROBOTS_RULE


def test_redirects_of_robots_txt_carry_their_cookies(store: LocalStore, clock: StillClock) -> None:
    consent = redirect("/robots.txt", 302, ("Set-Cookie", "ok=1; Path=/"))
    client = Canned({ROBOTS: [redirect("/consent"), PRIVATE], f"{SITE}/consent": [consent]})
    assert gate(store, clock, client).reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    assert [dict(request.headers) for request in client.requests] == [{}, {}, {"Cookie": "ok=1"}]


def test_robots_txt_that_redirects_for_ever_allows_everything(store: LocalStore, clock: StillClock) -> None:
    client = Canned({f"{SITE}/robots.txt": [redirect("/robots.txt")]})
    assert gate(store, clock, client).reason_against(f"{SITE}/x") is Reason.NONE
    assert len(client.requested) == 6


def test_robots_txt_is_not_asked_where_it_is_not_obeyed(store: LocalStore, clock: StillClock) -> None:
    client = Canned()
    ignoring = gate(store, clock, client, obey=False)
    assert (ignoring.reason_against(f"{SITE}/x"), ignoring.crawl_delay(SITE)) == (Reason.NONE, None)
    assert client.requested == []


def test_the_limits_of_a_crawl_do_not_apply_to_robots_txt(store: LocalStore, clock: StillClock) -> None:
    client = Canned({ROBOTS: [PRIVATE]})
    narrow = CrawlSettings(limits=FetchLimits(timeout=0.05, max_bytes=13, max_decoded_bytes=13))
    assert gate(store, clock, client, narrow).reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    assert client.requests[0].limits == FetchLimits(timeout=10.0, max_bytes=512_001, max_decoded_bytes=512_001)


def test_a_file_that_was_cut_ends_in_no_rule_cut_short(store: LocalStore, clock: StillClock) -> None:
    body = "User-agent: *\nDisallow: /a\nDisallow: /p"
    client = Canned({ROBOTS: [structs.replace(answer(200, body, TEXT), truncated=True)]})
    robots = gate(store, clock, client)
    assert [robots.reason_against(f"{SITE}/{path}") for path in ("a", "public")] == [Reason.ROBOTS_RULE, Reason.NONE]


UNUSABLE = [
    answer(503),
    answer(429),
    answer(fault=TransportFault.TIMEOUT),
    answer(fault=TransportFault.DNS),
    answer(fault=TransportFault.BLOCKED_ADDRESS),
    structs.replace(answer(200, "User-age", TEXT), fault=TransportFault.RESET),
    structs.replace(PRIVATE, fault=TransportFault.DECODING),
]
NAMES = ["503", "429", "time-out", "no address", "blocked", "reset", "not decodable"]


@pytest.mark.parametrize("unusable", UNUSABLE, ids=NAMES)
def test_the_last_good_copy_is_used_while_no_newer_one_can_be_had(
    store: LocalStore, clock: StillClock, unusable: Exchange
) -> None:
    client = Canned({ROBOTS: [PRIVATE, unusable]})
    assert gate(store, clock, client).reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    fetched_at = clock.time
    clock.time = fetched_at + HALF_A_DAY + 1
    robots = gate(store, clock, client)
    assert robots.reason_against(f"{SITE}/public") is Reason.NONE
    assert robots.reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    assert robots.trouble(f"{SITE}/public") is None
    clock.time = fetched_at + WEEK - 10
    assert gate(store, clock, client).reason_against(f"{SITE}/public") is Reason.NONE
    clock.time = fetched_at + WEEK + 1
    assert gate(store, clock, client).trouble(f"{SITE}/public") is not None


@pytest.mark.parametrize("unusable", UNUSABLE, ids=NAMES)
def test_what_could_not_be_fetched_is_not_believed_by_another_crawl(
    store: LocalStore, clock: StillClock, unusable: Exchange
) -> None:
    assert gate(store, clock, Canned({ROBOTS: [unusable]})).trouble(f"{SITE}/") is not None
    robots = gate(store, clock, Canned({ROBOTS: [PRIVATE]}))
    assert (robots.trouble(f"{SITE}/"), robots.reason_against(f"{SITE}/private")) == (None, Reason.ROBOTS_RULE)


CUT = structs.replace(answer(200, "User-agent: *\nDisallow: /private\nDisallow: /p", TEXT), fault=TransportFault.RESET)


def test_a_robots_txt_that_arrives_in_part_each_time_applies_as_far_as_it_arrived(
    store: LocalStore, clock: StillClock
) -> None:
    client = Canned({ROBOTS: [CUT]})
    robots = gate(store, clock, client)
    reasons = [robots.reason_against(f"{SITE}/{path}") for path in ("private", "public")]
    assert (reasons, robots.trouble(f"{SITE}/")) == ([Reason.ROBOTS_RULE, Reason.NONE], None)
    assert gate(store, clock, client).reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    assert len(client.requests) == 3


def test_a_robots_txt_that_arrives_as_a_whole_the_second_time_is_used(store: LocalStore, clock: StillClock) -> None:
    client = Canned({ROBOTS: [CUT, answer(200, "User-agent: *\nDisallow: /public\n", TEXT)]})
    assert gate(store, clock, client).reason_against(f"{SITE}/private") is Reason.NONE
    assert len(client.requests) == 2


def test_a_whole_copy_is_better_than_a_newer_part(store: LocalStore, clock: StillClock) -> None:
    client = Canned({ROBOTS: [answer(200, "User-agent: *\nDisallow: /old\n", TEXT), CUT]})
    assert gate(store, clock, client).reason_against(f"{SITE}/old") is Reason.ROBOTS_RULE
    clock.time += HALF_A_DAY + 1
    robots = gate(store, clock, client)
    reasons = [robots.reason_against(f"{SITE}/{path}") for path in ("old", "private")]
    assert reasons == [Reason.ROBOTS_RULE, Reason.NONE]


def test_what_could_not_be_fetched_is_remembered_for_half_a_minute(store: LocalStore, clock: StillClock) -> None:
    client = Canned({ROBOTS: [answer(503), answer(503), answer(503), PRIVATE]})
    robots = gate(store, clock, client)
    failed_at = [robots.reason_against(f"{SITE}/{page}") for page in range(9)]
    assert (set(failed_at), len(client.requests)) == ({Reason.ROBOTS_UNREACHABLE}, 3)
    clock.time += 30
    assert robots.reason_against(f"{SITE}/") is Reason.NONE


def test_what_could_not_be_fetched_can_be_forgotten(store: LocalStore, clock: StillClock) -> None:
    client = Canned({ROBOTS: [answer(fault=TransportFault.URL), PRIVATE]})
    robots = gate(store, clock, client)
    assert robots.reason_against(f"{SITE}/") is Reason.ROBOTS_UNREACHABLE
    robots.forget_troubles([SITE, "https://never.example"])
    assert robots.reason_against(f"{SITE}/") is Reason.NONE
    robots.forget_troubles([SITE])
    assert robots.reason_against(f"{SITE}/") is Reason.NONE
    assert len(client.requests) == 2


class NoCache:
    """A cache that holds nothing, as for files that are too large for it."""

    def read(self, origin: str) -> None:
        """Return None."""

    def write(self, file: object) -> None:
        """Do nothing."""


def test_a_file_that_the_cache_cannot_hold_is_kept_in_memory(clock: StillClock) -> None:
    robots = RobotsGate(
        client=Canned({ROBOTS: [PRIVATE, answer(503)]}), cache=NoCache(), clock=clock, settings=CrawlSettings()
    )
    assert robots.reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE
    clock.time += HALF_A_DAY + 1
    assert robots.reason_against(f"{SITE}/public") is Reason.NONE


def test_an_error_page_that_cannot_be_decoded_means_that_there_are_no_rules(
    store: LocalStore, clock: StillClock
) -> None:
    for fault in (TransportFault.DECODING, TransportFault.RESET):
        gone = structs.replace(answer(404), fault=fault)
        assert gate(store, clock, Canned({ROBOTS: [gone]})).reason_against(f"{SITE}/") is Reason.NONE


def test_a_redirect_of_robots_txt_whose_body_breaks_off_is_followed(store: LocalStore, clock: StillClock) -> None:
    broken = structs.replace(redirect("/r2"), fault=TransportFault.RESET)
    client = Canned({ROBOTS: [broken], f"{SITE}/r2": [PRIVATE]})
    assert gate(store, clock, client).reason_against(f"{SITE}/private") is Reason.ROBOTS_RULE


@pytest.mark.parametrize(
    ("unusable", "trouble"),
    [
        (
            structs.replace(answer(fault=TransportFault.DNS), fault_detail="site.example has no address"),
            Unreachable(problem="site.example has no address", fault=TransportFault.DNS),
        ),
        (answer(503), Unreachable(problem="HTTP 503")),
        (
            structs.replace(answer(200, "\0", TEXT), fault=TransportFault.DECODING),
            Unreachable(problem="its body cannot be read", fault=TransportFault.DECODING),
        ),
    ],
)
def test_the_reason_for_an_unreadable_robots_txt_is_reported(
    store: LocalStore, clock: StillClock, unusable: Exchange, trouble: Unreachable
) -> None:
    client = Canned({ROBOTS: [unusable]})
    assert gate(store, clock, client).trouble(f"{SITE}/x") == trouble
    assert gate(store, clock, client, obey=False).trouble(f"{SITE}/x") is None


def test_the_groups_of_other_crawlers_are_obeyed_too(store: LocalStore, clock: StillClock) -> None:
    rules = (
        "User-agent: *\nDisallow: /all\n\nUser-agent: wavecrawl\nDisallow: /ours\nCrawl-delay: 2\n\n"
        "User-agent: Googlebot/2.1\nDisallow: /google\nCrawl-delay: 7\n\nUser-agent: bingbot\nDisallow: /bing"
    )
    client = Canned({ROBOTS: [answer(200, rules, TEXT)]})
    alone = gate(store, clock, client)
    both = gate(store, clock, client, CrawlSettings(also_obey=("Googlebot", "OtherBot")))

    def denied(robots: RobotsGate) -> list[str]:
        paths = ("free", "ours", "google", "bing", "all")
        return [path for path in paths if robots.reason_against(f"{SITE}/{path}") is Reason.ROBOTS_RULE]

    assert (denied(alone), alone.crawl_delay(SITE)) == (["ours"], 2.0)
    assert (denied(both), both.crawl_delay(SITE)) == (["ours", "google", "all"], 7.0)
