"""The download of one media URL: every outcome, and what is stored."""

import pytest
from msgspec import structs
from msgspec.structs import replace
from tests.support.canned import Canned, answer, redirect
from tests.support.fake_media import MemoryAssets, PlainProcessor
from tests.support.still_clock import StillClock

from wavecrawl.application.outside_requests import OutsideRequests
from wavecrawl.application.process_media import MediaFetcher
from wavecrawl.application.site_rules import site_rules
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId, JobItem, Validators
from wavecrawl.domain.crawl.record import PageRecord, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.fetching.exchange import Exchange, TransportFault
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.ports.crawls import CrawlRow

CDN = "https://cdn.example"
ROBOTS = answer(200, "User-agent: *\nDisallow: /private", (("Content-Type", "text/plain"),))
PICTURE = "\x89PNG\r\n\x1a\n picture".encode("latin-1")
SETTINGS = CrawlSettings(media=MediaSettings(include=tuple(MediaGroup)))
LOST = structs.replace(answer(200), status=None, fault=TransportFault.RESET, fault_detail="reset")


def image(body: bytes = PICTURE, status: int = 200) -> Exchange:
    found = answer(status, headers=(("Content-Type", "image/png"), ("ETag", '"1"')))
    return structs.replace(found, body=body, raw_body=body)


class Fetching:
    """A fetcher over given responses."""

    def __init__(self, store: LocalStore, clock: StillClock, settings: CrawlSettings, **given: list[Exchange]) -> None:
        self.client = Canned(
            {f"{CDN}/robots.txt": [ROBOTS], **{f"{CDN}/{name}": answers for name, answers in given.items()}}
        )
        row = CrawlRow(
            id=CrawlId(tenant="t", site="s", crawl="c"), start_url=CDN, root_url=f"{CDN}/", settings=settings
        )
        rules = site_rules(row, client=self.client, cache=store.robots, clock=clock)
        requests = OutsideRequests(robots=rules.robots, clock=clock, settings=settings)
        self.assets = MemoryAssets()
        self.known: dict[str, PageRecord] = {}
        self._fetcher = MediaFetcher(
            crawl=row.id, client=self.client, requests=requests, record_at=self.known.get, assets=self.assets,
            processor=PlainProcessor(), clock=clock, settings=settings,
        )  # fmt: skip

    def fetch(
        self,
        name: str = "a",
        *,
        tries: int = 1,
        media: MediaKind = MediaKind.IMAGE,
        validators: Validators | None = None,
        starts: int = 100,
    ) -> PageRecord:
        left = iter([True] * starts)
        item = JobItem(url=f"{CDN}/{name}", key="0" * 32, depth=0, tries=tries, media=media, validators=validators)
        return self._fetcher.fetch(item, lambda: next(left, False))

    def requested(self) -> list[str]:
        return [url.removeprefix(CDN) for url in self.client.requested if not url.endswith("robots.txt")]


def outcome(record: PageRecord) -> tuple[UrlState, Reason]:
    return record.state, record.reason


def test_an_asset_is_stored_with_its_record(store: LocalStore, clock: StillClock) -> None:
    fetching = Fetching(store, clock, SETTINGS, a=[image()])
    record = fetching.fetch()
    assert outcome(record) == (UrlState.FETCHED, Reason.NONE)
    assert record.asset is not None
    assert (record.asset.bytes, record.etag, record.bytes) == (len(PICTURE), '"1"', len(PICTURE))
    assert fetching.assets.open("t", record.asset.hash) == PICTURE


@pytest.mark.parametrize(
    ("answers", "tries", "expected"),
    [
        ([answer(404)], 1, (UrlState.NOT_FOUND, Reason.STATUS)),
        ([answer(403)], 1, (UrlState.FORBIDDEN, Reason.STATUS)),
        ([answer(304)], 1, (UrlState.HTTP_ERROR, Reason.STATUS)),
        ([answer(503)], 1, (UrlState.DEFERRED, Reason.STATUS)),
        ([answer(503)], 3, (UrlState.HTTP_ERROR, Reason.STATUS)),
        ([LOST], 1, (UrlState.DEFERRED, Reason.RESET)),
        ([LOST], 3, (UrlState.FAILED, Reason.RESET)),
        ([structs.replace(image(), fault=TransportFault.RESET)], 1, (UrlState.DEFERRED, Reason.INCOMPLETE)),
        ([structs.replace(image(), fault=TransportFault.RESET)], 2, (UrlState.SKIPPED, Reason.INCOMPLETE)),
        ([structs.replace(image(), fault=TransportFault.TIMEOUT)], 1, (UrlState.SKIPPED, Reason.INCOMPLETE)),
        ([structs.replace(image(b""), is_stream=True)], 1, (UrlState.SKIPPED, Reason.INCOMPLETE)),
        ([image(b"no picture")], 1, (UrlState.SKIPPED, Reason.NOT_MEDIA)),
        ([image(b"")], 1, (UrlState.SKIPPED, Reason.NOT_MEDIA)),
        ([structs.replace(image(), truncated=True)], 1, (UrlState.SKIPPED, Reason.TOO_LARGE)),
        ([redirect("/a?x=1"), image()], 1, (UrlState.NOT_FOUND, Reason.STATUS)),
        ([redirect("/a")], 1, (UrlState.REDIRECTED, Reason.REDIRECT_LOOP)),
        ([redirect("http://[")], 1, (UrlState.REDIRECTED, Reason.REDIRECT_BAD_TARGET)),
        ([redirect("ftp://cdn.example/a")], 1, (UrlState.REDIRECTED, Reason.REDIRECT_BAD_TARGET)),
        ([redirect("/private/a")], 1, (UrlState.ROBOTS_DENIED, Reason.ROBOTS_RULE)),
    ],
)
def test_every_response_has_an_outcome(
    store: LocalStore, clock: StillClock, answers: list[Exchange], tries: int, expected: tuple[UrlState, Reason]
) -> None:
    fetching = Fetching(store, clock, SETTINGS, a=answers)
    assert outcome(fetching.fetch(tries=tries)) == expected
    assert fetching.assets.puts == 0


def test_redirects_are_followed_to_their_limit(store: LocalStore, clock: StillClock) -> None:
    chain = {f"r{number}": [redirect(f"/r{number + 1}")] for number in range(10)}
    fetching = Fetching(store, clock, replace(SETTINGS, max_redirects=2), a=[redirect("/r9")], r10=[image()], **chain)
    record = fetching.fetch()
    assert (outcome(record)[0], record.final_url, len(record.hops)) == (UrlState.FETCHED, f"{CDN}/r10", 2)
    assert outcome(fetching.fetch("r0")) == (UrlState.REDIRECTED, Reason.REDIRECT_LIMIT)
    none = Fetching(store, clock, replace(SETTINGS, follow_redirects=False), a=[redirect("/b")])
    assert outcome(none.fetch()) == (UrlState.REDIRECTED, Reason.REDIRECTS_NOT_FOLLOWED)


def test_a_worker_that_ends_between_two_requests_defers_the_url(store: LocalStore, clock: StillClock) -> None:
    fetching = Fetching(store, clock, SETTINGS, a=[redirect("/b")], b=[image()], v=[answer(200)])
    assert outcome(fetching.fetch(starts=0)) == (UrlState.DEFERRED, Reason.WORKER_OUT_OF_TIME)
    assert outcome(fetching.fetch(starts=0, tries=3)) == (UrlState.FAILED, Reason.WORKER_OUT_OF_TIME)
    assert outcome(fetching.fetch("v", media=MediaKind.VIDEO, starts=0))[1] is Reason.WORKER_OUT_OF_TIME


def test_a_url_waits_for_a_robots_txt_that_cannot_be_fetched(store: LocalStore, clock: StillClock) -> None:
    fetching = Fetching(store, clock, SETTINGS, **{"robots.txt": [answer(503)]}, a=[image()])
    record = fetching.fetch()
    assert outcome(record) == (UrlState.DEFERRED, Reason.ROBOTS_UNREACHABLE)
    assert record.retry_after == SETTINGS.polite.robots_wait
    assert outcome(fetching.fetch(tries=6)) == (UrlState.ROBOTS_DENIED, Reason.ROBOTS_UNREACHABLE)
    assert fetching.requested() == []


def test_a_url_of_a_host_that_cannot_be_reached_fails(store: LocalStore, clock: StillClock) -> None:
    robots = answer(fault=TransportFault.TLS)
    fetching = Fetching(store, clock, SETTINGS, **{"robots.txt": [robots]}, a=[image()])
    assert outcome(fetching.fetch()) == (UrlState.FAILED, Reason.TLS)
    assert fetching.requested() == []


def test_a_video_whose_size_is_unknown_is_requested(store: LocalStore, clock: StillClock) -> None:
    video = image(b"\x00\x00\x00\x18ftyp")
    fetching = Fetching(store, clock, SETTINGS, a=[answer(405), video], b=[LOST, video])
    assert outcome(fetching.fetch(media=MediaKind.VIDEO))[0] is UrlState.FETCHED
    assert outcome(fetching.fetch("b", media=MediaKind.VIDEO))[0] is UrlState.FETCHED
    assert fetching.requested() == ["/a", "/a", "/b", "/b"]


def test_the_limit_is_that_of_the_kind_that_the_content_has(store: LocalStore, clock: StillClock) -> None:
    settings = replace(SETTINGS, media=replace(SETTINGS.media, max_document_mb=0.001))
    fetching = Fetching(store, clock, settings, a=[image(b"%PDF-1.7\n" + b"x" * 1_000)])
    record = fetching.fetch(media=MediaKind.IMAGE)
    assert (outcome(record), record.detail) == ((UrlState.SKIPPED, Reason.TOO_LARGE), "it has 1,009 bytes")


def test_a_known_asset_is_unchanged_by_its_validators_or_by_its_hash(store: LocalStore, clock: StillClock) -> None:
    not_modified = structs.replace(image(b"", status=304))
    fetching = Fetching(store, clock, SETTINGS, a=[image(), not_modified, image(), image(PICTURE + b"2")])
    first = fetching.fetch()
    fetching.known["place"] = first
    validators = Validators(etag='"1"', record="place")
    by_status, by_hash, other = (fetching.fetch(validators=validators) for _ in range(3))
    assert [outcome(one) for one in (by_status, by_hash)] == [(UrlState.UNCHANGED, Reason.NONE)] * 2
    assert by_status.asset == by_hash.asset == first.asset
    assert by_status.body_hash == first.body_hash
    assert [(one.status, one.revalidated) for one in (by_status, by_hash)] == [(200, True), (200, False)]
    assert fetching.client.requests[-1].headers == (("If-None-Match", '"1"'),)
    assert outcome(other) == (UrlState.FETCHED, Reason.NONE)
    assert other.asset != first.asset


def test_conditions_are_sent_only_to_the_url_of_the_known_asset(store: LocalStore, clock: StillClock) -> None:
    not_modified = structs.replace(image(b"", status=304))
    fetching = Fetching(store, clock, SETTINGS, a=[image(), redirect("/b")], b=[image(PICTURE + b"2"), not_modified])
    first = fetching.fetch()
    fetching.known["place"] = first
    validators = Validators(etag='"1"', record="place")
    moved = fetching.fetch(validators=validators)
    assert [one.headers for one in fetching.client.requests[-2:]] == [(("If-None-Match", '"1"'),), ()]
    assert moved.asset is not None
    assert moved.asset != first.asset
    assert outcome(fetching.fetch(validators=validators)) == (UrlState.HTTP_ERROR, Reason.STATUS)


def test_an_asset_that_is_no_longer_stored_is_requested_without_conditions(
    store: LocalStore, clock: StillClock
) -> None:
    fetching = Fetching(store, clock, SETTINGS, a=[image()])
    first = fetching.fetch()
    assert first.asset is not None
    fetching.known["place"] = first
    fetching.assets.delete("t", first.asset.hash)
    validators = Validators(etag='"1"', last_modified="Mon, 23 Nov 2026 00:00:00 GMT", record="place")
    assert outcome(fetching.fetch(validators=validators))[0] is UrlState.FETCHED
    assert outcome(fetching.fetch(validators=Validators(etag='"1"', record="lost")))[0] is UrlState.FETCHED
    assert [one.headers for one in fetching.client.requests[-2:]] == [(), ()]
