"""Pages that are named like files: which skipped URLs are requested after the last page."""

from hashlib import blake2b

import pytest
from msgspec.structs import replace

from wavecrawl.domain.checks.kinds import CheckKind, check_key
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.asset_families import DENIED, EMBEDDED, MOST_PROBES, NOT_FOLLOWED, family_of
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT, FoundUrl
from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.ledger import FoundBy, Phase
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import LinkView, MediaView, RecordView, ResourceView
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.media.kinds import MediaKind, media_key

SITE = "https://example.com"
PNG = "its response is image/png"
PLAIN = CrawlSettings()
CHECKED = CrawlSettings(checks=CheckSettings(resources=True))


def key_of(path: str) -> str:
    return blake2b(path.encode(), digest_size=16).hexdigest()


class Crawl:
    """A crawl whose root is fetched, and links to URLs that are named like files."""

    def __init__(self, *paths: str, denied: str = "", nofollow: str = "", settings: CrawlSettings = PLAIN) -> None:
        self.frontier = Frontier()
        self.gatherer = Gatherer(
            frontier=self.frontier,
            settings=replace(settings, max_depth=2),
            allowed=lambda url: Reason.ROBOTS_RULE if denied and denied in url else Reason.NONE,
            robots_problem=lambda _: "",
        )
        self.find("/", FoundBy.ROOT)
        self.requested = self.request()
        self.link("/", *paths, nofollow=nofollow)

    def find(self, path: str, by: FoundBy, *, skip: Reason = Reason.NONE) -> None:
        self.gatherer.add(
            FoundUrl(
                url=SITE + path,
                key=key_of(path),
                depth=0,
                parent=NO_PARENT,
                found_by=by,
                phase=Phase.BFS,
                wave=1,
                skip=skip,
            )
        )

    def link(self, page: str, *paths: str, nofollow: str = "") -> None:
        links = tuple(
            LinkView(url=SITE + path, key=key_of(path), skip=Reason.ASSET, nofollow=path == nofollow) for path in paths
        )
        record = RecordView(key=key_of(page), url=SITE + page, state=UrlState.FETCHED, status=200, links=links)
        self.gatherer.follow_all([record], phase=Phase.BFS, wave=2)

    def request(self, *pages: str, status: UrlState = UrlState.SKIPPED) -> list[str]:
        """Request what waits: those whose path starts like one of `pages` are pages, the others have `status`."""
        requested: list[str] = []
        while (index := self.frontier.pop("example.com")) is not None:
            path = self.frontier.url(index).removeprefix(SITE)
            requested.append(path)
            is_page = path == "/" or path.startswith(pages or ("?",))
            reason = Reason.NONE if is_page else Reason.ASSET if status is UrlState.SKIPPED else Reason.STATUS
            self.frontier.plan(index, wave=1, batch=0)
            self.frontier.settle(
                index, UrlState.FETCHED if is_page else status, reason=reason, detail="" if is_page else PNG, tries=1
            )
        return requested

    def next(self, *pages: str, status: UrlState = UrlState.SKIPPED) -> list[str]:
        """Request what evidence makes due after the last page."""
        due = self.gatherer.add_pages_named_like_files(phase=Phase.BFS, wave=3)
        requested = self.request(*pages, status=status)
        assert due == bool(requested)
        return requested

    def media(self, path: str, kind: MediaKind = MediaKind.DOCUMENT) -> None:
        """Let a page use a URL as media."""
        one = MediaView(url=SITE + path, key=media_key(key_of(path)), kind=kind)
        self.gatherer.later.add_media([one], wave=2)

    def resource(self, path: str, kind: CheckKind) -> None:
        """Let a page load a URL."""
        one = ResourceView(url=SITE + path, key=check_key(key_of(path)), kind=kind)
        self.gatherer.later.add_resources([one], wave=2)

    def details(self) -> dict[str, str]:
        return {
            row.url.removeprefix(SITE): row.detail for row in self.frontier.ledger({}) if row.reason is Reason.ASSET
        }


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("/blog/a.js", "/blog/b.JS", True),
        ("/blog/a.js", "/blog/b.mjs", False),
        ("/blog/a.js", "/blog/b.js?x=1", False),
        ("/p.pdf?view=1", "/q.pdf?show=2", True),
        ("/2025/01/a.pdf", "/2026/12/b.pdf", True),
        ("/wiki/a.png", "/files/a.png", False),
    ],
)
def test_a_family_is_a_folder_template_with_an_extension(one: str, other: str, *, same: bool) -> None:
    assert (family_of(SITE + one) == family_of(SITE + other)) == same


def test_one_page_makes_pages_of_its_family() -> None:
    crawl = Crawl("/blog/a.js", "/blog/b.js", "/blog/c.js", "/x.js")
    assert crawl.next("/blog/") == ["/blog/a.js", "/x.js"]
    assert crawl.next("/blog/") == ["/blog/b.js", "/blog/c.js"]
    crawl.link("/blog/c.js", "/blog/d.js")
    assert crawl.next("/blog/") == ["/blog/d.js"]
    assert crawl.next() == []


def test_one_file_makes_files_of_its_family_and_is_the_evidence() -> None:
    crawl = Crawl("/img/a.png?x=1", "/img/b.png?x=1")
    assert crawl.next() == ["/img/a.png?x=1"]
    assert crawl.next() == []
    assert crawl.details() == {
        "/img/a.png?x=1": PNG,
        "/img/b.png?x=1": f"like {SITE}/img/a.png?x=1: {PNG}",
    }
    crawl.link("/", "/img/c.png?x=1")
    assert crawl.next() == []


def test_a_family_with_pages_and_files_is_left_alone() -> None:
    crawl = Crawl("/a.js", "/b.js", "/c.js")
    assert crawl.next("/a.js") == ["/a.js"]
    assert crawl.next("/b.js") == ["/b.js", "/c.js"]
    crawl.link("/a.js", "/d.js")
    assert crawl.next() == []


def test_few_files_are_requested_and_a_response_that_says_nothing_counts() -> None:
    crawl = Crawl(*(f"/{letter}/{number}.jar" for letter in "abcdefgh" for number in range(3)))
    assert crawl.next() == [f"/{letter}/0.jar" for letter in "abcdefgh"[:MOST_PROBES]]
    assert crawl.next() == []
    broken = Crawl(*(f"/{letter}/x.js" for letter in "abcdefgh"))
    tried = [path for _ in range(9) for path in broken.next(status=UrlState.NOT_FOUND)]
    assert tried == [f"/{letter}/x.js" for letter in "abcdefgh"[:MOST_PROBES]]


def test_urls_of_families_that_are_not_tried_say_so() -> None:
    crawl = Crawl(*(f"/{letter}/{number}.pdf" for letter in "abcdefg" for number in range(2)))
    assert len(crawl.next()) == MOST_PROBES
    untried = {path: detail for path, detail in crawl.details().items() if path[1] in "fg"}
    assert untried == dict.fromkeys(
        ("/f/0.pdf", "/f/1.pdf", "/g/0.pdf", "/g/1.pdf"),
        "not requested: 5 URLs that are named like files were no pages",
    )
    crawl.frontier.changes()
    assert crawl.next() == []
    assert len(crawl.frontier.changes()) == MOST_PROBES  # the other URLs of the tried families have the evidence now
    assert crawl.next() == []
    assert len(crawl.frontier.changes()) == 0
    crawl.find("/f/listed.pdf", FoundBy.SITEMAP)
    assert crawl.request("/f/") == ["/f/listed.pdf"]
    assert crawl.next("/f/") == ["/f/0.pdf", "/f/1.pdf"]


def test_every_family_that_pages_link_to_is_tried() -> None:
    crawl = Crawl("/a.pdf", "/b/c.svg", "/photos/1.jpg", "/photos/2.jpg", "/data/x.zip")
    assert crawl.next("/b/", "/photos/") == ["/a.pdf", "/b/c.svg", "/photos/1.jpg", "/data/x.zip"]
    assert crawl.next("/photos/") == ["/photos/2.jpg"]


def test_families_that_may_have_pages_are_tried_first() -> None:
    many = [f"/photos/{number}.jpg" for number in range(10)]
    crawl = Crawl("/a.pdf", "/b/1.png", "/c/1.zip", *many, "/d.pdf?x", "/e.js", "/f/x.svg")
    assert crawl.next() == ["/a.pdf", "/b/1.png", "/photos/0.jpg", "/d.pdf?x", "/e.js"]  # in crawl order


def test_families_without_any_response_are_tried_before_others() -> None:
    crawl = Crawl("/a/1.js", "/a/2.js", "/b/1.js", "/b/2.js")
    assert crawl.next(status=UrlState.NOT_FOUND) == ["/a/1.js", "/b/1.js"]
    crawl.link("/", "/c/1.zip", "/d/1.zip")
    assert crawl.next(status=UrlState.NOT_FOUND) == ["/a/2.js", "/c/1.zip", "/d/1.zip"]


def test_families_of_pages_do_not_count() -> None:
    crawl = Crawl(*(f"/{letter}/{number}.js" for letter in "abcdefg" for number in range(9)), "/x.jar")
    assert crawl.next("/") == [f"/{letter}/0.js" for letter in "abcde"]
    assert len(crawl.next("/")) == 5 * 8 + 3
    assert len(crawl.next("/")) == 2 * 8
    crawl.link("/", "/y/1.js")
    assert crawl.next() == ["/y/1.js"]


def test_each_family_is_tried_if_the_try_is_the_check_of_its_url() -> None:
    paths = [f"/{letter}/{number}.pdf" for letter in "abcdefgh" for number in range(2)]
    crawl = Crawl(*paths, settings=CHECKED)
    assert crawl.next("/h/") == [f"/{letter}/0.pdf" for letter in "abcdefgh"]
    assert crawl.next("/h/") == ["/h/1.pdf"]
    assert crawl.next() == []
    few = CheckSettings(resources=True, max_urls=7)
    assert len(Crawl(*paths, settings=CrawlSettings(checks=few)).next()) == 7


def test_a_family_whose_responses_say_nothing_is_given_up() -> None:
    crawl = Crawl(*(f"/a/{number}.pdf" for number in range(9)), settings=CHECKED)
    tried = [path for _ in range(9) for path in crawl.next(status=UrlState.NOT_FOUND)]
    assert tried == [f"/a/{number}.pdf" for number in range(MOST_PROBES)]


def test_what_pages_show_or_load_is_not_tried() -> None:
    crawl = Crawl("/a/1.jpg", "/a/2.jpg", "/b/1.js", "/b/2.js", settings=CHECKED)
    for path in ("/a/1.jpg", "/a/2.jpg"):
        crawl.media(path, MediaKind.IMAGE)
    crawl.resource("/b/1.js", CheckKind.SCRIPT)
    assert crawl.next() == ["/b/2.js"]
    assert crawl.next() == []
    assert crawl.details() == {
        "/a/1.jpg": EMBEDDED,
        "/a/2.jpg": EMBEDDED,
        "/b/1.js": f"like {SITE}/b/2.js: {PNG}",
        "/b/2.js": PNG,
    }
    crawl.link("/", "/a/3.jpg")
    assert crawl.next("/a/") == ["/a/3.jpg"]
    assert crawl.next("/a/") == ["/a/1.jpg", "/a/2.jpg"]


def test_what_a_sitemap_lists_is_requested_and_is_evidence() -> None:
    crawl = Crawl("/blog/a.js", "/blog/b.js")
    crawl.find("/blog/listed.js", FoundBy.SITEMAP)
    assert crawl.request("/blog/") == ["/blog/listed.js"]
    assert crawl.next("/blog/") == ["/blog/a.js", "/blog/b.js"]


def test_files_that_only_a_list_skips_are_not_tried() -> None:
    crawl = Crawl()
    crawl.find("/a.js", FoundBy.LIST, skip=Reason.ASSET)
    assert crawl.next() == []


def test_robots_and_nofollow_are_obeyed() -> None:
    crawl = Crawl("/no/a.js", "/spam.jar", denied="/no/", nofollow="/spam.jar")
    assert crawl.next() == []
    assert crawl.details() == {"/no/a.js": DENIED, "/spam.jar": NOT_FOLLOWED}


def test_urls_that_robots_txt_denies_take_no_place_of_others() -> None:
    crawl = Crawl(*(f"/no/{number}/{letter}.js" for number in range(9) for letter in "ab"), "/no-2/a.js", denied="/no/")
    crawl.link("/", "/ok.pdf")
    assert crawl.next() == ["/no-2/a.js", "/ok.pdf"]


def test_without_such_links_nothing_is_tried() -> None:
    assert Crawl().next() == []
