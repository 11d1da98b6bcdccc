"""Scripts, stylesheets and images that a page loads."""

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.resources import resources_of_css
from wavecrawl.domain.pages.page import MediaSearch, RawResource

URL = "https://site.example/"


def resources(body: str, *, media: bool = False, most: int = 100) -> list[tuple[str, str, str]]:
    found = extract(body, url=URL, max_links=most, search=MediaSearch(resources=True, media=media)).resources
    assert found is not None
    return [(one.kind.value, one.url, one.text) for one in found]


def test_scripts_stylesheets_and_images_are_found() -> None:
    body = """
        <link rel=stylesheet href=/a.css><link rel="preload STYLESHEET" href=" /b.css "><link rel=icon href=/i.png>
        <script src=/a.js></script><script>inline()</script><script type=module src=/m.js></script><link rel=stylesheet>
        <img src=/a.png alt=" An  image "><img srcset="/s.png 300w, /l.png 900w">
        <video poster=/p.jpg src=/v.mp4></video>
        <p style="background: url(/bg.png)"><img src=data:image/png;base64,AA><script src=""></script>
    """
    assert resources(body) == [
        ("script", "/a.js", ""),
        ("script", "/m.js", ""),
        ("stylesheet", "/a.css", ""),
        ("stylesheet", "/b.css", ""),
        ("image", "/i.png", ""),
        ("image", "/a.png", "An image"),
        ("image", "/s.png", ""),
        ("image", "/l.png", ""),
        ("image", "/p.jpg", ""),
        ("resource", "/v.mp4", ""),
        ("image", "/bg.png", ""),
    ]


def test_every_candidate_of_an_image_counts() -> None:
    body = """
        <picture><source srcset="/a.avif, /b.avif 2x" src=/no.avif><img src=/a.jpg srcset="/s.jpg 320w, /w.jpg 1600w">
        </picture><img src=data:image/gif;base64,R0lGOD data-src=/lazy.jpg data-srcset="/lazy2.jpg 2x">
        <link rel=preload as=image imagesrcset="/pre.jpg 1x, /pre2.jpg 2x" href=/pre.jpg>
    """
    assert [url for _, url, _ in resources(body)] == [
        "/a.avif", "/b.avif", "/a.jpg", "/s.jpg", "/w.jpg", "/lazy.jpg", "/lazy2.jpg", "/pre.jpg", "/pre2.jpg",
    ]  # fmt: skip


def test_icons_drawings_buttons_and_what_is_preloaded_are_resources() -> None:
    body = """
        <link rel="shortcut icon" href=/i.ico><link rel=apple-touch-icon href=/touch.png><link rel=canonical href=/no>
        <link rel=preload as=style href=/p.css><link rel=preload as=script href=/p.js><link rel=preload href=/no.js>
        <link rel=modulepreload href=/m.js><link rel=prefetch href=/next><input type=image src=/go.png alt=Go>
        <input type=text src=/no.png><table background=/tile.png><tr><td>x</table>
        <svg><use href=/sprite.svg#a></use><use href=#b></use><image xlink:href=/drawn.png href=/new.png></image></svg>
    """
    assert sorted(resources(body)) == [
        ("image", "/go.png", "Go"),
        ("image", "/i.ico", ""),
        ("image", "/new.png", ""),
        ("image", "/sprite.svg#a", ""),
        ("image", "/tile.png", ""),
        ("image", "/touch.png", ""),
        ("script", "/m.js", ""),
        ("script", "/p.js", ""),
        ("stylesheet", "/p.css", ""),
    ]


def test_videos_sound_tracks_and_embedded_objects_are_resources() -> None:
    body = """
        <link rel=manifest href=/app.json><link rel=preload as=font href=/f.woff2><link rel=preload as=Fetch href=/data>
        <video src=/v.mp4><track src=/v.vtt></video><video><source src=/w.webm></video><audio src=/a.mp3></audio>
        <audio><source src=/b.ogg></audio><object data=/o.svg></object><embed src=/e.pdf><object></object><track>
        <source src=/no.mp4>
    """
    assert resources(body) == [
        ("resource", f"/{name}", "")
        for name in ("app.json", "f.woff2", "data", "v.mp4", "v.vtt", "w.webm", "a.mp3", "b.ogg", "o.svg", "e.pdf")
    ]


def test_what_styles_of_the_page_load_are_resources() -> None:
    body = """
        <style>@import "/a.css"; @import url(/b.css) print; li { list-style: url(/li.png) }
          @font-face { font-family: A; src: url(/a.woff2) } p { cursor: url(/c.cur), auto; content: "url(/no.png)" }
        </style><p style="mask: url(/mask.svg#m) no-repeat; --later: url(/no.png); behavior: url(/no.htc)">
    """
    assert resources(body) == [
        ("stylesheet", "/a.css", ""),
        ("stylesheet", "/b.css", ""),
        ("image", "/li.png", ""),
        ("resource", "/a.woff2", ""),
        ("image", "/c.cur", ""),
        ("image", "/mask.svg#m", ""),
    ]


def test_disabled_stylesheets_and_elements_of_the_page_itself_are_no_resources() -> None:
    body = """
        <link rel=stylesheet href=/off.css disabled><link rel=stylesheet href=/off2.css disabled=false>
        <link rel="alternate stylesheet" title=Dark href=/dark.css><link rel=stylesheet href=/print.css media=print>
        <p style="background: url(#gradient)"><style>p { background-image: url("#pattern") }</style>
    """
    assert resources(body) == [("stylesheet", "/dark.css", ""), ("stylesheet", "/print.css", "")]


def test_each_url_counts_once_up_to_the_limit() -> None:
    body = "<script src=/x></script><img src=/x><img src=/y><img src=/z>"
    assert resources(body) == [("script", "/x", ""), ("image", "/y", ""), ("image", "/z", "")]
    assert resources(body, most=2) == [("script", "/x", ""), ("image", "/y", "")]


def test_a_style_sheet_loads_each_url_once_up_to_the_limit() -> None:
    css = "@import 'a.css'; p { background: url(b.png), url(b.png) } q { background: url(c.png) }"
    assert [(one.kind.value, one.url) for one in resources_of_css(css, most=2)] == [
        ("stylesheet", "a.css"), ("image", "b.png"),
    ]  # fmt: skip
    assert len(resources_of_css(css, most=9)) == 3


def test_an_element_that_matches_twice_is_read_once() -> None:
    assert resources("<p background=/a.png style='background: url(/b.png)'>") == [
        ("image", "/a.png", ""),
        ("image", "/b.png", ""),
    ]


def test_media_and_resources_are_searched_only_if_they_are_wanted() -> None:
    body = "<img src=/a.png><script src=/a.js></script>"
    nothing = extract(body, url=URL)
    assert (nothing.media, nothing.resources) == (None, None)
    media = extract(body, url=URL, search=MediaSearch(media=True))
    assert ([one.url for one in media.media or ()], media.resources) == (["/a.png"], None)
    both = extract(body, url=URL, search=MediaSearch(media=True, resources=True))
    assert [one.url for one in both.media or ()] == ["/a.png"]
    assert both.resources == (
        RawResource(url="/a.js", kind=CheckKind.SCRIPT),
        RawResource(url="/a.png", kind=CheckKind.IMAGE),
    )
