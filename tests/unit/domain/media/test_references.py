"""References to assets: their URLs, keys and the reasons why they are not requested."""

import pytest

from wavecrawl.domain.archive.settings import ArchiveContent, ArchiveSettings
from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.crawl.record import MediaReference, Reason, ResourceReference
from wavecrawl.domain.crawl.settings import ScopeSettings
from wavecrawl.domain.media import references as module
from wavecrawl.domain.media.kinds import MediaKind, MediaSource, media_key
from wavecrawl.domain.media.references import MediaRules
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.pages.page import Extraction, PageFacts, RawMedia, RawResource
from wavecrawl.domain.urls.scope import Scope
from wavecrawl.domain.urls.url import Identity

IDENTITY = Identity()
ROOT = IDENTITY.page_url("https://site.example/")
BASE = "https://site.example/docs/"


def rules(*include: MediaGroup, exclude: tuple[str, ...] = (), max_length: int = 100) -> MediaRules:
    scope = Scope(ROOT, ScopeSettings(exclude=exclude))
    return MediaRules(scope, IDENTITY, MediaSettings(include=include), max_length=max_length)


def image(url: str, kind: MediaKind = MediaKind.IMAGE) -> RawMedia:
    return RawMedia(url=url, kind=kind, source=MediaSource.IMG, text="alt")


def references(rules: MediaRules, *raw: RawMedia) -> tuple[MediaReference, ...]:
    found = rules.references(Extraction(facts=PageFacts(), base_url=BASE, links=(), media=raw))
    assert found is not None
    return found


def test_references_are_resolved_and_each_url_counts_once() -> None:
    raw = (image("a.png"), image("/docs/a.png#x"), image("a.png?utm_source=y"), image("http://["), image("data:,x"))
    (one,) = references(rules(MediaGroup.IMAGES), *raw)
    assert (one.url, one.kind, one.source, one.text, one.skip) == (
        "https://site.example/docs/a.png", MediaKind.IMAGE, MediaSource.IMG, "alt", Reason.NONE,
    )  # fmt: skip


def test_an_asset_has_another_key_than_the_page_at_its_url() -> None:
    page = IDENTITY.page_url("https://site.example/docs/a.png")
    (one,) = references(rules(MediaGroup.IMAGES), image("a.png"))
    assert one.key == media_key(page.key)
    assert one.key != page.key
    assert len(one.key) == len(page.key) == 32


@pytest.mark.parametrize(
    ("url", "kind", "reason"),
    [
        ("https://cdn.example/a.png", MediaKind.IMAGE, Reason.NONE),  # the scope does not apply
        ("/private/a.png", MediaKind.IMAGE, Reason.EXCLUDED),
        ("/" + "a" * 100, MediaKind.IMAGE, Reason.TOO_LONG),
        ("/a.pdf", MediaKind.DOCUMENT, Reason.MEDIA_KIND),
        ("https://youtu.be/a", MediaKind.EMBED, Reason.EMBED),
        ("/a.mp4", MediaKind.VIDEO, Reason.NONE),
    ],
)
def test_why_an_asset_is_not_requested(url: str, kind: MediaKind, reason: Reason) -> None:
    chosen = rules(MediaGroup.IMAGES, MediaGroup.VIDEOS, exclude=("/private/*",))
    (one,) = references(chosen, image(url, kind))
    assert one.skip is reason


def test_the_references_of_an_earlier_crawl_are_judged_by_the_settings_of_this_one() -> None:
    raw = (image("a.png"), image("b.pdf", MediaKind.DOCUMENT))
    before = references(rules(MediaGroup.IMAGES), *raw)
    assert [one.skip for one in before] == [Reason.NONE, Reason.MEDIA_KIND]
    now = rules(MediaGroup.DOCUMENTS).known_media(before)
    assert [one.skip for one in now] == [Reason.MEDIA_KIND, Reason.NONE]
    assert [(one.url, one.key) for one in now] == [(one.url, one.key) for one in before]


def test_urls_that_are_too_long_are_kept_cut_and_stay_so() -> None:
    chosen = rules(MediaGroup.IMAGES)
    before = references(chosen, image("/" + "a" * 100))
    (one,) = before
    key = IDENTITY.page_url(f"https://site.example/{'a' * 100}").key
    assert one.url == f"https://site.example/{'a' * 79}#cut:121:{key}"
    assert rules(MediaGroup.IMAGES, max_length=2_000).known_media(before) == before
    raw = RawResource(url="/" + "a" * 100, kind=CheckKind.SCRIPT)
    loaded = chosen.resources(Extraction(facts=PageFacts(), base_url=BASE, links=(), resources=(raw,)))
    assert loaded is not None
    assert (loaded[0].url, loaded[0].skip) == (one.url, Reason.TOO_LONG)
    assert rules(max_length=2_000).known_resources(loaded) == loaded
    assert not rules(max_length=2_000).may_check(one.url)
    assert rules(max_length=2_000).may_check("https://other.example/")


def test_a_document_that_was_requested_as_a_page_is_a_reference_to_itself() -> None:
    page = IDENTITY.page_url("https://site.example/report")
    assert rules(MediaGroup.DOCUMENTS).document(page).skip is Reason.NONE
    one = rules().document(page)
    assert (one.url, one.key, one.kind, one.skip) == (
        page.url, media_key(page.key), MediaKind.DOCUMENT, Reason.MEDIA_KIND,
    )  # fmt: skip


def test_settings_name_kinds_and_their_largest_sizes() -> None:
    settings = MediaSettings(include=(MediaGroup.IMAGES, MediaGroup.DOCUMENTS), max_video_mb=0.5)
    assert settings.kinds == {MediaKind.IMAGE, MediaKind.DOCUMENT}
    assert [settings.most_bytes(kind) for kind in MediaKind] == [20_000_000, 500_000, 50_000_000] + [20_000_000] * 2
    assert settings.longest == 2 * 60 + 4 * 30


def resources(rules: MediaRules, *raw: RawResource) -> tuple[ResourceReference, ...]:
    found = rules.resources(Extraction(facts=PageFacts(), base_url=BASE, links=(), resources=raw))
    assert found is not None
    return found


def test_resources_are_resolved_and_each_url_counts_once() -> None:
    raw = (
        RawResource(url="a.js", kind=CheckKind.SCRIPT),
        RawResource(url="/docs/a.js#x", kind=CheckKind.IMAGE),
        RawResource(url="https://cdn.example/b.png", kind=CheckKind.IMAGE, text="B"),
        RawResource(url="http://[", kind=CheckKind.SCRIPT),
        RawResource(url="data:,x", kind=CheckKind.SCRIPT),
        RawResource(url="/private/c.css", kind=CheckKind.STYLESHEET),
    )
    found = resources(rules(exclude=("/private/*",)), *raw)
    assert [(one.url, one.kind, one.text, one.skip) for one in found] == [
        ("https://site.example/docs/a.js", CheckKind.SCRIPT, "", Reason.NONE),
        ("https://cdn.example/b.png", CheckKind.IMAGE, "B", Reason.NONE),
        ("https://site.example/private/c.css", CheckKind.STYLESHEET, "", Reason.EXCLUDED),
    ]
    assert found[0].key == IDENTITY.page_url("https://site.example/docs/a.js").key[::-1]


def test_what_was_not_read_has_no_references() -> None:
    nothing = Extraction(facts=PageFacts(), base_url=BASE, links=())
    assert (rules().references(nothing), rules().resources(nothing)) == (None, None)


def test_the_resources_of_an_earlier_crawl_are_judged_by_the_settings_of_this_one() -> None:
    before = resources(rules(), RawResource(url="/private/c.css", kind=CheckKind.STYLESHEET))
    (now,) = rules(exclude=("/private/*",)).known_resources(before)
    assert (before[0].skip, now.skip, now.key) == (Reason.NONE, Reason.EXCLUDED, before[0].key)


def test_urls_of_other_sites_are_checked_unless_they_are_excluded_or_too_long() -> None:
    chosen = rules(exclude=("https://social.example/*",))
    urls = ("https://other.example/", "https://social.example/me", "https://other.example/" + "a" * 100)
    assert [chosen.may_check(url) for url in urls] == [True, False, False]


def test_references_are_left_out_when_their_urls_are_too_long_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_CHARACTERS", 70)
    some = rules(MediaGroup.IMAGES)
    found = references(some, *[image(f"{number}.png") for number in range(9)])
    assert [one.url for one in found] == [f"{BASE}{number}.png" for number in range(3)]
    resources = [RawResource(url=f"{number}.js", kind=CheckKind.SCRIPT) for number in range(9)]
    loaded = some.resources(Extraction(facts=PageFacts(), base_url=BASE, links=(), resources=tuple(resources)))
    assert loaded is not None
    assert len(loaded) == 3
    assert module.are_cut(found, most=100)
    assert module.are_cut(loaded, most=100)
    assert not module.are_cut(found[:2], most=100)
    assert module.are_cut(found[:2], most=2)
    assert not module.are_cut(None, most=0)


def archive_rules(*include: MediaGroup, content: ArchiveContent = ArchiveContent.FULL) -> MediaRules:
    archive = ArchiveSettings(content=content)
    return MediaRules(
        Scope(ROOT, ScopeSettings(exclude=("*.woff",))),
        IDENTITY,
        MediaSettings(include=include),
        max_length=100,
        archive=archive,
    )


def test_an_image_of_a_full_archive_is_a_resource_unless_the_crawl_stores_images() -> None:
    raw = (image("a.png"), image("a.png", MediaKind.RESOURCE), image("/f.woff", MediaKind.RESOURCE))
    archived = references(archive_rules(MediaGroup.DOCUMENTS), *raw)
    assert [(one.kind, one.skip) for one in archived] == [
        (MediaKind.RESOURCE, Reason.NONE),
        (MediaKind.RESOURCE, Reason.EXCLUDED),
    ]
    assert [one.kind for one in references(archive_rules(MediaGroup.IMAGES), *raw[:2])] == [MediaKind.IMAGE]


def test_a_stylesheet_is_the_base_of_what_it_loads() -> None:
    css = "@import 'b.css'; a { background: url(../i.png) } p { background: url(../i.png) }"
    found = archive_rules().loaded_by(css, "https://cdn.example/css/a.css", most=10)
    assert [one.url for one in found] == ["https://cdn.example/css/b.css", "https://cdn.example/i.png"]
    assert len(archive_rules().loaded_by(css, BASE, most=1)) == 1


def test_what_a_page_requested_joins_its_resources_in_full_archives_only() -> None:
    named = references(archive_rules(), image("a.js", MediaKind.RESOURCE))
    urls = ("https://site.example/docs/a.js", "https://site.example/api", "blob:x")
    joined = archive_rules().with_requested(named, urls)
    assert joined is not None
    assert [(one.url, one.source) for one in joined] == [
        ("https://site.example/docs/a.js", MediaSource.IMG),
        ("https://site.example/api", MediaSource.BROWSER),
    ]
    pages = archive_rules(content=ArchiveContent.PAGES)
    assert (pages.with_requested(None, urls), pages.with_requested(named, urls)) == (None, named)


def test_the_bytes_of_an_archive_are_limited_unless_the_limit_is_zero() -> None:
    assert [ArchiveSettings(max_mb=1).has_room(received) for received in (0, 999_999, 1_000_000)] == [True, True, False]
    assert ArchiveSettings(max_mb=0).has_room(10**12)
    assert ArchiveSettings(max_resource_mb=0.5).most_resource_bytes == 500_000


PAGES, FULL = ArchiveContent.PAGES, ArchiveContent.FULL
IMAGES, DOCUMENTS = (MediaGroup.IMAGES,), (MediaGroup.DOCUMENTS,)
Kept = tuple[ArchiveContent, tuple[MediaGroup, ...]]


@pytest.mark.parametrize(
    ("then", "now", "expected"),
    [
        ((PAGES, IMAGES), (PAGES, DOCUMENTS), True),
        ((PAGES, IMAGES), (FULL, IMAGES), False),
        ((FULL, ()), (FULL, ()), True),
        ((FULL, IMAGES), (FULL, IMAGES), True),
        ((FULL, ()), (FULL, IMAGES), False),  # its images are resources
        ((FULL, ()), (FULL, DOCUMENTS), False),  # it may have documents
        ((FULL, ()), (PAGES, IMAGES), False),
        ((FULL, IMAGES), (PAGES, IMAGES), True),
        ((FULL, IMAGES), (FULL, ()), False),  # its images are no resources
        ((FULL, DOCUMENTS), (PAGES, IMAGES), False),
    ],
)
def test_a_page_of_an_earlier_crawl_is_read_again_if_that_searched_for_less(
    then: Kept, now: Kept, *, expected: bool
) -> None:
    def chosen(kept: Kept) -> MediaRules:
        return archive_rules(*kept[1], content=kept[0])

    images = (image("a.png"),) if then[1] or then[0] is PAGES else ()
    documents = (image("b.pdf", MediaKind.DOCUMENT),) if then[1] else ()
    resources = (image("a.png", MediaKind.RESOURCE), image("c.css", MediaKind.RESOURCE)) if then[0] is FULL else ()
    before = references(chosen(then), *images, *documents, *resources)
    assert chosen(now).covers(before) is expected
    assert not chosen(now).covers(None)


def test_the_resources_of_an_earlier_archive_are_requested_for_an_archive_only() -> None:
    before = references(archive_rules(MediaGroup.IMAGES), image("a.png"), image("c.css", MediaKind.RESOURCE))
    assert archive_rules(MediaGroup.IMAGES).known_media(before) == before
    assert archive_rules(MediaGroup.IMAGES, content=ArchiveContent.PAGES).known_media(before) == before[:1]
