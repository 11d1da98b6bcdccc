"""The frontier of URLs that are requested after the last page: what joins it, in which order, up to which limits."""

from collections.abc import Iterable

from msgspec.structs import replace

from wavecrawl.domain.checks.kinds import CheckKind, check_key
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.batching import Speed
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.later_urls import LaterUrls, batch_kind
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.plan import plan_wave
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import MediaView, RecordView, ResourceView
from wavecrawl.domain.crawl.settings import CrawlSettings, WaveSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.crawl.useful_links import UsefulLinks
from wavecrawl.domain.media.kinds import MediaKind, media_key
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.politeness.pace import Pace

CDN = "https://cdn.example"
CHECKS = CrawlSettings(checks=CheckSettings(external=True, resources=True))


def key(name: str) -> str:
    return name.encode().hex().rjust(32, "0")


def resource(name: str, kind: CheckKind = CheckKind.SCRIPT, skip: Reason = Reason.NONE) -> ResourceView:
    return ResourceView(url=f"{CDN}/{name}", key=key(name), kind=kind, skip=skip)


def names(frontier: Frontier) -> list[str]:
    return [frontier.url(index).rpartition("/")[2] for index in range(len(frontier))]


def pages(*found: tuple[str, FoundBy, Reason]) -> Frontier:
    frontier = Frontier()
    for name, found_by, skip in found:
        frontier.add(
            FoundUrl(
                url=f"{CDN}/{name}", key=key(name), depth=1, parent=NO_PARENT, found_by=found_by, phase=Phase.BFS,
                wave=1, skip=skip,
            )
        )  # fmt: skip
    return frontier


def test_the_key_of_a_check_is_that_of_the_url_backwards() -> None:
    assert check_key("0123456789abcdef0123456789abcdef") == "fedcba9876543210fedcba9876543210"


def test_links_to_other_sites_join_in_order_of_discovery_and_only_once() -> None:
    frontier = Frontier()
    later = LaterUrls(frontier, CHECKS)
    known = pages(
        ("root", FoundBy.ROOT, Reason.NONE),
        ("a", FoundBy.LINK, Reason.OUT_OF_SCOPE),
        ("listed", FoundBy.SITEMAP, Reason.OUT_OF_SCOPE),
        ("deep", FoundBy.LINK, Reason.MAX_DEPTH),
        ("b", FoundBy.REDIRECT, Reason.OUT_OF_SCOPE),
        ("c", FoundBy.LINK, Reason.OUT_OF_SCOPE),
    )
    for _ in range(2):
        later.add_links(known, lambda url: not url.endswith("c"), wave=3)
    assert names(frontier) == ["a", "b"]
    assert frontier.find(check_key(key("a"))) == 0
    assert frontier.found_by(0) is FoundBy.CHECKED_LINK


def test_files_of_the_site_join_before_other_sites_unless_they_are_requested_as_media() -> None:
    known = pages(
        ("other", FoundBy.LINK, Reason.OUT_OF_SCOPE),
        ("a.pdf", FoundBy.LINK, Reason.ASSET),
        ("stored.pdf", FoundBy.LINK, Reason.ASSET),
        ("listed.pdf", FoundBy.SITEMAP, Reason.ASSET),
        ("no.zip", FoundBy.LINK, Reason.ASSET),
        ("b.zip", FoundBy.REDIRECT, Reason.ASSET),
    )
    frontier = Frontier()
    later = LaterUrls(frontier, CHECKS)
    stored = MediaView(url=f"{CDN}/stored.pdf", key=media_key(key("stored.pdf")), kind=MediaKind.DOCUMENT)
    later.add_media([stored], wave=1)
    later.add_links(known, lambda url: not url.endswith("no.zip"), wave=3)
    assert names(frontier) == ["stored.pdf", "a.pdf", "b.zip", "other"]
    assert frontier.found_by(1) is FoundBy.CHECKED_FILE


def test_each_setting_adds_its_own_links() -> None:
    known = pages(("other", FoundBy.LINK, Reason.OUT_OF_SCOPE), ("a.pdf", FoundBy.LINK, Reason.ASSET))
    for settings, expected in ((CheckSettings(external=True), ["other"]), (CheckSettings(resources=True), ["a.pdf"])):
        frontier = Frontier()
        LaterUrls(frontier, CrawlSettings(checks=settings)).add_links(known, lambda _: True, wave=3)
        assert names(frontier) == expected


def test_each_limit_counts_its_own_urls_also_after_a_restart() -> None:
    settings = CrawlSettings(checks=CheckSettings(resources=True, max_urls=2), media=MediaSettings(max_assets=1))
    frontier = Frontier()
    later = LaterUrls(frontier, settings)
    later.add_resources([resource("1"), resource("1")], wave=1)
    later.add_media([MediaView(url=f"{CDN}/m", key=key("m"), kind=MediaKind.IMAGE)] * 2, wave=1)
    again = LaterUrls(frontier, settings)
    assert (again.check_room, again.media_room) == (1, 0)
    again.add_resources([resource("2"), resource("3")], wave=1)
    again.add_media([MediaView(url=f"{CDN}/n", key=key("n"), kind=MediaKind.IMAGE)], wave=1)
    assert names(frontier) == ["1", "m", "2"]


def test_images_that_the_crawl_stores_and_excluded_resources_are_not_checked() -> None:
    images = [resource("a", CheckKind.IMAGE), resource("b"), resource("c", skip=Reason.EXCLUDED)]
    images[0] = replace(images[0], key=check_key(key("a")))
    frontier = Frontier()
    later = LaterUrls(frontier, CrawlSettings(media=MediaSettings(include=(MediaGroup.IMAGES,))))
    later.add_media([MediaView(url=f"{CDN}/a", key=media_key(key("a")), kind=MediaKind.IMAGE)], wave=1)
    later.add_resources([*images, resource("a-small", CheckKind.IMAGE)], wave=1)
    assert names(frontier) == ["a", "b", "a-small"]
    other = Frontier()
    LaterUrls(other, CHECKS).add_resources(images, wave=1)
    assert names(other) == ["a", "b"]


def test_checks_are_planned_before_media_in_batches_of_their_own() -> None:
    frontier = Frontier()
    later = LaterUrls(frontier, CHECKS)
    later.add_media([MediaView(url=f"{CDN}/m", key=key("m"), kind=MediaKind.IMAGE)], wave=1)
    later.add_resources([resource("a"), resource("b", CheckKind.STYLESHEET)], wave=1)
    plan = plan_wave(
        frontier,
        wave=2,
        waves=WaveSettings(),
        room=100,
        clock=1.0,
        interval=0.04,
        speed_of=lambda _: Speed(pace=Pace(in_flight=5, interval=0.04)),
    )
    assert [(batch.kind, _names(item.url for item in batch.items)) for batch in plan.batches] == [
        (BatchKind.CHECK, ["a", "b"]),
        (BatchKind.MEDIA, ["m"]),
    ]


def _names(urls: Iterable[str]) -> list[str]:
    return [url.rpartition("/")[2] for url in urls]


def test_every_way_to_find_a_url_has_a_kind_of_batches() -> None:
    kinds = {found_by: batch_kind(found_by) for found_by in FoundBy}
    assert [found_by for found_by, kind in kinds.items() if kind is BatchKind.CHECK] == [
        FoundBy.CHECKED_LINK, FoundBy.CHECKED_IMAGE, FoundBy.CHECKED_SCRIPT, FoundBy.CHECKED_STYLESHEET,
        FoundBy.CHECKED_FILE, FoundBy.CHECKED_RESOURCE,
    ]  # fmt: skip
    assert kinds[FoundBy.IMAGE] is BatchKind.MEDIA
    assert kinds[FoundBy.LINK] is BatchKind.FETCH


def test_only_the_first_reference_to_a_new_resource_is_kept_until_links_are_followed() -> None:
    known = pages(("p", FoundBy.ROOT, Reason.NONE), ("q", FoundBy.LINK, Reason.NONE))
    gatherer = Gatherer(frontier=known, settings=CHECKS, allowed=lambda _: Reason.NONE, robots_problem=lambda _: "")
    useful = UsefulLinks(gatherer)
    records = [
        RecordView(key=key(name), url=f"{CDN}/{name}", state=UrlState.FETCHED, resources=(resource("a"), resource("b")))
        for name in ("p", "q")
    ]
    kept = [useful.of(record) for record in records]
    assert [_names(one.url for one in record.resources or ()) for record in kept] == [["a", "b"], []]
    gatherer.follow_all(kept, phase=Phase.BFS, wave=2)
    assert names(gatherer.media) == ["a", "b"]


def test_a_check_can_take_two_requests() -> None:
    assert CheckSettings(timeout=7.0).longest == 14.0
