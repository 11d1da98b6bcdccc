"""What a browser loads to show a page, and what a stylesheet loads."""

import pytest

from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.css_urls import loaded_urls
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.page import MediaSearch, RawMedia

URL = "https://site.example/"


def archived(body: str, *, media: bool = False, most: int = 100) -> tuple[RawMedia, ...]:
    search = MediaSearch(media=media, archived=True)
    found = extract(f"<!DOCTYPE html><title>A</title>{body}", url=URL, search=search, max_links=most).media
    assert found is not None
    return found


def test_an_element_with_several_references_is_read_once() -> None:
    body = """<p background=a.png style="background: url(b.png)"><link rel=preload href=c.png imagesrcset="d.png 2x">"""
    assert [one.url for one in archived(body)] == ["a.png", "b.png", "c.png", "d.png"]


def test_what_a_page_loads_is_in_document_order() -> None:
    body = """
      <link rel="preload stylesheet" href=" site.css "><link rel=alternate href=feed.xml><link rel=canonical href=/>
      <link rel="shortcut icon" href=icon.ico><link rel=manifest href=app.json><link rel=modulepreload href=m.js>
      <script src=app.js></script><script>let a = "b.js"</script>
      <style>@import "more.css"; .hero { background: url(hero.jpg) }</style>
      <body background=tile.png>
      <picture><source srcset="c.avif, d.avif 2x"><img src=c.jpg srcset="s.jpg 320w, w.jpg 1600w"></picture>
      <img data-src=lazy.jpg src=data:image/gif;base64,R0lGOD><input type=image src=go.png>
      <svg><use href=sprite.svg#a></use><use href=#b></use><image xlink:href=drawn.png></image></svg>
      <video src=v.mp4 poster=p.jpg><source src=v.webm></video><audio src=a.mp3></audio><iframe src=/frame></iframe>
      <p style="background: url('bg.png')">
    """
    assert [(one.url, one.source) for one in archived(body)] == [
        ("site.css", MediaSource.STYLESHEET),
        ("icon.ico", MediaSource.ICON),
        ("app.json", MediaSource.ICON),
        ("m.js", MediaSource.ICON),
        ("app.js", MediaSource.SCRIPT),
        ("more.css", MediaSource.CSS),
        ("hero.jpg", MediaSource.CSS),
        ("tile.png", MediaSource.BACKGROUND),
        ("c.avif", MediaSource.IMG),
        ("d.avif", MediaSource.IMG),
        ("c.jpg", MediaSource.IMG),
        ("s.jpg", MediaSource.IMG),
        ("w.jpg", MediaSource.IMG),
        ("lazy.jpg", MediaSource.IMG),
        ("go.png", MediaSource.IMG),
        ("sprite.svg#a", MediaSource.IMG),
        ("drawn.png", MediaSource.IMG),
        ("p.jpg", MediaSource.IMG),
        ("bg.png", MediaSource.CSS),
    ]
    assert {one.kind for one in archived(body)} == {MediaKind.RESOURCE}


def test_media_come_before_resources() -> None:
    found = archived("<body><script src=a.js></script><img src=a.png>", media=True)
    assert [(one.url, one.kind) for one in found] == [
        ("a.png", MediaKind.IMAGE),
        ("a.js", MediaKind.RESOURCE),
        ("a.png", MediaKind.RESOURCE),
    ]


def test_the_number_of_resources_of_a_page_is_limited() -> None:
    assert len(archived("<script src=a.js></script>" + "<img srcset='b.png, c.png, d.png'>", most=2)) == 2


@pytest.mark.parametrize(
    ("css", "urls"),
    [
        ("@import 'a.css'; @import \"b.css\" print; @import url(c.css);", ["a.css", "b.css", "c.css"]),
        ("@font-face { src: url(f.woff2) format('woff2'), url( \"g.woff\" ) }", ["f.woff2", "g.woff"]),
        ("a { list-style: url(l.png); cursor: url(c.cur), auto; mask: url(#m) }", ["l.png", "c.cur"]),
        ("/* url(no.png) */ a { content: 'url(no.png)'; background: url(data:image/png;base64,AA) }", []),
        ("@namespace svg url(http://www.w3.org/2000/svg); a { background: url(b.png) }", ["b.png"]),
        (r"a { background: url('a\28 1\29.png') }", ["a(1).png"]),
        ("@import/* x */'a.css';", ["a.css"]),
        ("@important 'a.css'; a { background: url(", []),
    ],
)
def test_a_stylesheet_loads_every_url_and_import(css: str, urls: list[str]) -> None:
    assert list(loaded_urls(css)) == urls
