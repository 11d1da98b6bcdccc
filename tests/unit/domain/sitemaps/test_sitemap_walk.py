import pytest

from wavecrawl.domain.sitemaps.discovery import SitemapFile, SitemapWalk
from wavecrawl.domain.sitemaps.parser import SitemapContent, SitemapEntry, SitemapKind
from wavecrawl.domain.sitemaps.settings import SitemapSettings

SITE = "https://example.com"


def index_of(*urls: str) -> SitemapContent:
    return SitemapContent(kind=SitemapKind.INDEX, children=tuple(SitemapEntry(loc=url) for url in urls))


def list_of(urls: int) -> SitemapContent:
    return SitemapContent(
        kind=SitemapKind.URLSET, entries=tuple(SitemapEntry(loc=f"{SITE}/{number}") for number in range(urls))
    )


def read_all(walk: SitemapWalk, indexes: dict[str, SitemapContent]) -> list[tuple[str, int]]:
    read = []
    while (file := walk.next()) is not None:
        read.append((file.url.removeprefix(SITE), file.depth))
        walk.was_read(indexes.get(file.url))
    return read


def test_named_files_come_before_the_well_known_ones() -> None:
    walk = SitemapWalk(("/b.xml", f"{SITE}/a.xml"), SITE, SitemapSettings())
    assert walk.state.waiting == (
        SitemapFile(url=f"{SITE}/b.xml"),
        SitemapFile(url=f"{SITE}/a.xml"),
        SitemapFile(url=f"{SITE}/sitemap.xml", guessed=True),
        SitemapFile(url=f"{SITE}/sitemap_index.xml", guessed=True),
    )


@pytest.mark.parametrize("content", [list_of(1), index_of(f"{SITE}/a.xml")])
def test_the_second_well_known_file_is_read_only_without_the_first(content: SitemapContent) -> None:
    walk = SitemapWalk((), SITE, SitemapSettings(), feeds=(f"{SITE}/feed",))
    assert [file.url for file in walk.next_files(9)] == [f"{SITE}/sitemap.xml"]
    assert ("/sitemap_index.xml", 0) not in read_all(walk, {f"{SITE}/sitemap.xml": content})
    named = SitemapWalk((f"{SITE}/sitemap_index.xml",), SITE, SitemapSettings())
    assert ("/sitemap_index.xml", 0) in read_all(named, {f"{SITE}/sitemap.xml": content})
    listed = {f"{SITE}/sitemap.xml": index_of(f"{SITE}/sitemap_index.xml")}
    assert ("/sitemap_index.xml", 1) in read_all(SitemapWalk((), SITE, SitemapSettings()), listed)
    whole = SitemapWalk((), SITE, SitemapSettings())
    read_all(whole, {})
    assert whole.next_files(9) == ()
    for nothing in (None, list_of(0)):
        walk = SitemapWalk((), SITE, SitemapSettings())
        walk.was_read(nothing)
        assert walk.next() == SitemapFile(url=f"{SITE}/sitemap_index.xml", guessed=True)


def test_feeds_are_read_whatever_the_limit_of_files_and_lead_to_no_further_files() -> None:
    feeds = (f"{SITE}/feed", f"{SITE}/a.xml", f"{SITE}/other")
    settings = SitemapSettings(max_files=1)
    walk = SitemapWalk((f"{SITE}/a.xml",), SITE, settings, feeds=feeds)
    assert [(file.url, file.feed) for file in walk.state.waiting] == [
        (f"{SITE}/a.xml", False),
        (f"{SITE}/feed", True),
        (f"{SITE}/other", True),
    ]
    walk.was_read(None)
    again = SitemapWalk((), SITE, settings, state=walk.state)
    assert read_all(again, {f"{SITE}/feed": index_of(f"{SITE}/no.xml")}) == [("/feed", 0), ("/other", 0)]
    assert list(again.notices()) == []


def test_feeds_that_a_limit_leaves_out_are_not_reported() -> None:
    walk = SitemapWalk((f"{SITE}/a.xml",), SITE, SitemapSettings(max_listed=1, max_files=1), feeds=(f"{SITE}/feed",))
    walk.was_read(list_of(1))
    assert (walk.next(), list(walk.notices())) == (None, [])


def test_a_well_known_file_that_is_named_is_no_guess() -> None:
    walk = SitemapWalk((f"{SITE}/sitemap.xml",), SITE, SitemapSettings())
    assert walk.next() == SitemapFile(url=f"{SITE}/sitemap.xml", guessed=False)


@pytest.mark.parametrize("written", ["http://[", "ftp://example.com/sitemap.xml", "data:text/xml,<urlset/>"])
def test_what_cannot_be_fetched_is_left_out(written: str) -> None:
    walk = SitemapWalk((written,), SITE, SitemapSettings())
    assert read_all(walk, {}) == [("/sitemap.xml", 0), ("/sitemap_index.xml", 0)]


def test_files_of_an_index_are_read_once_and_after_it() -> None:
    indexes = {
        f"{SITE}/i.xml": index_of(f"{SITE}/a.xml", f"{SITE}/sitemap.xml", f"{SITE}/i.xml", f"{SITE}/b.xml"),
        f"{SITE}/b.xml": index_of(f"{SITE}/a.xml", f"{SITE}/c.xml"),
    }
    assert read_all(SitemapWalk(("/i.xml",), SITE, SitemapSettings()), indexes) == [
        ("/i.xml", 0),
        ("/sitemap.xml", 0),
        ("/sitemap_index.xml", 0),
        ("/a.xml", 1),
        ("/b.xml", 1),
        ("/c.xml", 2),
    ]


@pytest.mark.parametrize(("most", "deepest"), [(0, 0), (1, 1), (3, 3)])
def test_indexes_nest_to_the_depth_of_the_settings(most: int, deepest: int) -> None:
    indexes = {f"{SITE}/{n}.xml": index_of(f"{SITE}/{n + 1}.xml") for n in range(9)}
    read = read_all(SitemapWalk(("/0.xml",), SITE, SitemapSettings(max_depth=most)), indexes)
    assert max(depth for _, depth in read) == deepest


@pytest.mark.parametrize(("most", "read"), [(0, []), (1, [("/sitemap.xml", 0)])])
def test_no_more_files_are_read_than_the_settings_allow(most: int, read: list[tuple[str, int]]) -> None:
    assert read_all(SitemapWalk((), SITE, SitemapSettings(max_files=most)), {}) == read


def test_a_walk_continues_from_its_saved_state() -> None:
    indexes = {f"{SITE}/i.xml": index_of(f"{SITE}/a.xml", f"{SITE}/b.xml"), f"{SITE}/b.xml": index_of(f"{SITE}/c.xml")}
    whole = read_all(SitemapWalk(("/i.xml",), SITE, SitemapSettings()), indexes)
    walk = SitemapWalk(("/i.xml",), SITE, SitemapSettings())
    in_turns = []
    while (file := walk.next()) is not None:
        in_turns.append((file.url.removeprefix(SITE), file.depth))
        walk.was_read(indexes.get(file.url))
        walk = SitemapWalk((), SITE, SitemapSettings(), state=walk.state)
    assert len(whole) == 6
    assert in_turns == whole


def test_no_more_files_wait_than_may_be_read() -> None:
    walk = SitemapWalk(("/i.xml",), SITE, SitemapSettings(max_files=4))
    walk.was_read(index_of(*(f"{SITE}/{number}.xml" for number in range(1_000))))
    assert [file.url.removeprefix(SITE) for file in walk.state.waiting] == [
        "/sitemap.xml",
        "/sitemap_index.xml",
        "/0.xml",
    ]


def test_no_further_file_is_read_once_enough_urls_are_listed() -> None:
    contents = {f"{SITE}/{name}.xml": list_of(3) for name in "abcd"}
    walk = SitemapWalk(("/a.xml", "/b.xml", "/c.xml", "/d.xml"), SITE, SitemapSettings(max_listed=6))
    assert read_all(walk, contents) == [("/a.xml", 0), ("/b.xml", 0)]
    continued = SitemapWalk((), SITE, SitemapSettings(max_listed=6), state=walk.state)
    assert continued.next() is None
    assert [(notice.subject, notice.message.partition(";")[0]) for notice in continued.notices()] == [
        ("sitemaps.max_listed", "2 sitemap files were not read, as the files before list 6 URLs")
    ]


def test_one_file_that_was_not_read_is_one() -> None:
    walk = SitemapWalk(("/a.xml", "/b.xml"), SITE, SitemapSettings(max_listed=1))
    read_all(walk, {f"{SITE}/a.xml": list_of(1)})
    (notice,) = walk.notices()
    assert notice.message.startswith("1 sitemap file was not read")


def test_a_limit_that_left_out_no_file_of_the_site_has_no_notice() -> None:
    walk = SitemapWalk(("/a.xml",), SITE, SitemapSettings(max_listed=1, max_files=2))
    assert read_all(walk, {f"{SITE}/a.xml": list_of(1)}) == [("/a.xml", 0)]
    assert list(walk.notices()) == []


def test_files_beyond_the_limit_have_a_notice_also_after_a_pause() -> None:
    walk = SitemapWalk(("/i.xml",), SITE, SitemapSettings(max_files=4))
    walk.was_read(index_of(*(f"{SITE}/{number}.xml" for number in range(9))))
    continued = SitemapWalk((), SITE, SitemapSettings(max_files=4), state=walk.state)
    assert len(read_all(continued, {})) == 3
    assert [notice.subject for notice in continued.notices()] == ["sitemaps.max_files"]
