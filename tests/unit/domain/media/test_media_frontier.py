"""Media URLs in the planner: gathered beside the pages, and planned in batches of their own kind."""

from msgspec import structs

from wavecrawl.domain.archive.settings import ArchiveSettings
from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import MediaView, RecordView
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.domain.politeness.pace import Pace

CDN = "https://cdn.example"
ROOT = "https://site.example/"


def key(name: str) -> str:
    return name.encode().hex().rjust(32, "0")


def use(name: str, kind: MediaKind = MediaKind.IMAGE, skip: Reason = Reason.NONE) -> MediaView:
    return MediaView(url=f"{CDN}/{name}", key=key(name), kind=kind, skip=skip)


def page(name: str, *media: MediaView) -> RecordView:
    return RecordView(key=key(name), url=ROOT + name, state=UrlState.FETCHED, media=media)


def gatherer(*pages: str, max_assets: int = 100, max_resources: int = 100) -> Gatherer:
    frontier = Frontier()
    for name in pages:
        frontier.add(
            FoundUrl(
                url=ROOT + name, key=key(name), depth=0, parent=NO_PARENT, found_by=FoundBy.ROOT, phase=Phase.BFS,
                wave=1,
            )
        )  # fmt: skip
    settings = CrawlSettings(
        media=MediaSettings(max_assets=max_assets), archive=ArchiveSettings(max_resources=max_resources)
    )
    return Gatherer(frontier=frontier, settings=settings, allowed=lambda _: Reason.NONE, robots_problem=lambda _: "")


def names(media: Frontier) -> list[str]:
    return [media.url(index).rpartition("/")[2] for index in range(len(media))]


def test_media_join_a_frontier_of_their_own_in_the_order_of_the_pages() -> None:
    one = gatherer("a", "b")
    pages = [
        page("a", use("x.png"), use("y.pdf", MediaKind.DOCUMENT)),
        page("b", use("x.png"), use("z.mp4", MediaKind.VIDEO)),
    ]
    one.follow_all(pages, phase=Phase.BFS, wave=2)
    assert names(one.media) == ["x.png", "y.pdf", "z.mp4"]
    assert [one.media.found_by(index) for index in range(3)] == [FoundBy.IMAGE, FoundBy.DOCUMENT, FoundBy.VIDEO]
    assert len(one.frontier) == 2
    assert one.media.waiting == 3


def test_what_one_page_uses_as_a_resource_and_another_as_an_asset_is_an_asset() -> None:
    one = gatherer("a", "b", "c", max_resources=2)
    one.follow_all(
        [page("a", use("x.png", MediaKind.RESOURCE), use("y.css", MediaKind.RESOURCE))], phase=Phase.BFS, wave=2
    )
    useful = UsefulLinks(one).of(page("b", use("x.png"), use("z.js", MediaKind.RESOURCE)))
    assert [view.url for view in useful.media or ()] == [f"{CDN}/x.png"]  # there is no room for z.js yet
    one.follow_all([useful, page("c", use("z.js", MediaKind.RESOURCE))], phase=Phase.BFS, wave=3)
    assert names(one.media) == ["x.png", "y.css", "z.js"]
    assert [one.media.found_by(index) for index in range(3)] == [FoundBy.IMAGE, FoundBy.RESOURCE, FoundBy.RESOURCE]
    assert (one.later.media_room, one.later.resource_room) == (99, 0)


def test_a_resource_that_is_done_stays_one() -> None:
    one = gatherer("a", "b")
    one.follow_all([page("a", use("x.png", MediaKind.RESOURCE))], phase=Phase.BFS, wave=2)
    one.media.settle(0, UrlState.SKIPPED, reason=Reason.ARCHIVE_FULL, detail="", tries=0)
    assert UsefulLinks(one).of(page("b", use("x.png"))).media == ()
    one.follow_all([page("b", use("x.png"))], phase=Phase.BFS, wave=3)
    assert (one.media.found_by(0), one.media.state(0)) == (FoundBy.RESOURCE, UrlState.SKIPPED)


def test_media_that_are_not_requested_and_those_beyond_the_limit_stay_outside() -> None:
    one = gatherer("a", max_assets=2)
    uses = [use("skipped.png", skip=Reason.EXCLUDED), use("1.png"), use("2.png"), use("3.png")]
    one.follow_all([page("a", *uses)], phase=Phase.BFS, wave=2)
    assert names(one.media) == ["1.png", "2.png"]


def test_only_the_first_reference_to_new_media_is_kept_until_links_are_followed() -> None:
    one = gatherer("a", "b", "c")
    one.follow_all([page("a", use("known.png"))], phase=Phase.BFS, wave=2)
    useful = UsefulLinks(one)
    kept = useful.of(page("b", use("known.png"), use("new.png"), use("no.png", skip=Reason.TOO_LONG)))
    assert [view.url for view in kept.media or ()] == [f"{CDN}/new.png"]
    assert useful.of(page("c", use("new.png"))).media == ()
    unknown = page("unknown", use("new.png"))
    assert useful.of(unknown) == unknown
    assert useful.of(structs.replace(page("c"), media=None)).media == ()


def test_no_more_media_are_kept_than_the_limit_allows() -> None:
    one = gatherer("a", "b", max_assets=3)
    one.follow_all([page("a", use("1.png"))], phase=Phase.BFS, wave=2)
    useful = UsefulLinks(one)
    pages = [useful.of(page(name, *(use(f"{name}{number}.png") for number in range(2)))) for name in ("a", "b")]
    assert [[view.url for view in view.media or ()] for view in pages] == [[f"{CDN}/a0.png", f"{CDN}/a1.png"], []]
    one.follow_all(pages, phase=Phase.BFS, wave=3)
    assert names(one.media) == ["1.png", "a0.png", "a1.png"]


def test_media_are_planned_in_small_batches_with_what_they_are_expected_to_be() -> None:
    one = gatherer("a")
    uses = [use(f"{number}.png", MediaKind.VIDEO if number == 1 else MediaKind.IMAGE) for number in range(60)]
    one.follow_all([page("a", *uses)], phase=Phase.BFS, wave=2)
    plan = plan_wave(
        one.media,
        wave=3,
        waves=WaveSettings(),
        room=1_000,
        clock=1.0,
        interval=0.04,
        speed_of=lambda _: Speed(pace=Pace(in_flight=5, interval=0.04)),
    )
    assert [(batch.kind, batch.host) for batch in plan.batches] == [(BatchKind.MEDIA, "cdn.example")] * len(
        plan.batches
    )
    items = [item for batch in plan.batches for item in batch.items]
    assert max(len(batch.items) for batch in plan.batches) == 25
    assert [item.url for item in items] == [view.url for view in uses]
    assert [item.media for item in items[:3]] == [MediaKind.IMAGE, MediaKind.VIDEO, MediaKind.IMAGE]


def script(name: str) -> MediaView:
    return use(name, MediaKind.RESOURCE)


def test_resources_and_media_have_limits_of_their_own() -> None:
    one = gatherer("a", "b", max_assets=1, max_resources=2)
    useful = UsefulLinks(one)
    first = page("a", script("1.js"), use("1.png"), script("2.js"), script("3.js"), use("2.png"))
    views = [useful.of(first), useful.of(page("b", script("1.js"), script("4.js"), use("3.png")))]
    one.follow_all(views, phase=Phase.BFS, wave=2)
    assert names(one.media) == ["1.png", "1.js", "2.js"]
    assert (one.later.media_room, one.later.resource_room) == (0, 0)


def test_a_stylesheet_leads_to_further_resources_of_the_same_frontier() -> None:
    pages = gatherer("a")
    pages.follow_all([page("a", script("a.css"))], phase=Phase.BFS, wave=2)
    later = Gatherer(
        frontier=pages.media,
        media=pages.media,
        settings=pages.settings,
        allowed=lambda _: Reason.NONE,
        robots_problem=lambda _: "",
    )
    pages.media.plan(0, wave=2, batch=0)
    view = RecordView(
        key=key("a.css"), url=f"{CDN}/a.css", state=UrlState.FETCHED, bytes=70, media=(script("b.css"), script("a.css"))
    )
    later.settle([view], tried_in=Phase.MEDIA, clock=1.0)
    later.follow_all([view], phase=Phase.MEDIA, wave=3)
    assert names(pages.media) == ["a.css", "b.css"]
    assert later.counters.resource_bytes == 70
    pages.media.plan(1, wave=3, batch=0)
    unchanged = RecordView(key=key("b.css"), url=f"{CDN}/b.css", state=UrlState.UNCHANGED, bytes=70)
    later.settle([unchanged], tried_in=Phase.MEDIA, clock=2.0)
    assert later.counters.resource_bytes == 70


def test_waiting_resources_are_skipped_without_the_media_beside_them() -> None:
    one = gatherer("a")
    one.follow_all([page("a", use("1.png"), script("1.js"), script("2.js"), script("3.js"))], phase=Phase.BFS, wave=2)
    media = one.media
    media.plan(1, wave=2, batch=0)
    media.settle(1, UrlState.FETCHED, reason=Reason.NONE, detail="", tries=1)
    media.plan(2, wave=2, batch=0)
    media.defer(2, reason=Reason.TIMEOUT, detail="", tries=1, due=5.0, not_before=5.0)
    media.skip_found_by(FoundBy.RESOURCE, Reason.ARCHIVE_FULL)
    assert [media.state(index) for index in range(4)] == [
        UrlState.PENDING, UrlState.FETCHED, UrlState.SKIPPED, UrlState.SKIPPED,
    ]  # fmt: skip
    assert media.next_due() is None
    assert [media.pop("cdn.example"), media.pop("cdn.example")] == [0, None]
