"""The media that a page uses."""

import pytest

from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.extraction import extract, read_media
from wavecrawl.domain.pages.page import MediaSearch, RawMedia

URL = "https://site.example/"


def media(body: str, *, width: int = 1920, most: int = 100) -> tuple[RawMedia, ...]:
    search = MediaSearch(media=True, image_width=width)
    found = extract(f"<!DOCTYPE html><title>A</title><body>{body}", url=URL, search=search, max_links=most).media
    assert found is not None
    return found


def urls(body: str, *, width: int = 1920) -> list[str]:
    return [one.url for one in media(body, width=width)]


def test_media_are_not_read_unless_images_of_some_width_are_wanted() -> None:
    assert extract("<img src=a.png>", url=URL).media is None


def test_media_are_in_document_order_with_their_kind_and_text() -> None:
    body = """
      <style>.hero { background: #fff url("hero.jpg") }</style>
      <img src=a.png alt=" A
        picture ">
      <div style="background-image: url('b.png')"><a href="/price list.pdf?x=1#p2"><b>Price</b> list</a></div>
      <video src=v.mp4 poster=p.jpg><source src=v.webm></video>
      <iframe src=https://www.youtube-nocookie.com/embed/abc title=Tour></iframe>
      <picture><source srcset="c.avif"><img src=c.jpg></picture>
    """
    assert [(one.url, one.kind, one.source, one.text) for one in media(body)] == [
        ("hero.jpg", MediaKind.IMAGE, MediaSource.BACKGROUND, ""),
        ("a.png", MediaKind.IMAGE, MediaSource.IMG, "A picture"),
        ("b.png", MediaKind.IMAGE, MediaSource.BACKGROUND, ""),
        ("/price list.pdf?x=1#p2", MediaKind.DOCUMENT, MediaSource.LINK, "Price list"),
        ("p.jpg", MediaKind.IMAGE, MediaSource.POSTER, ""),
        ("v.mp4", MediaKind.VIDEO, MediaSource.VIDEO, ""),
        ("v.webm", MediaKind.VIDEO, MediaSource.VIDEO, ""),
        ("https://www.youtube-nocookie.com/embed/abc", MediaKind.EMBED, MediaSource.FRAME, "Tour"),
        ("c.avif", MediaKind.IMAGE, MediaSource.PICTURE, ""),
        ("c.jpg", MediaKind.IMAGE, MediaSource.IMG, ""),
    ]


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        ("src=a.png srcset='s.png 480w, m.png 1920w, l.png 3840w'", "m.png"),  # the widest up to the width
        ("src=a.png srcset='l.png 3840w, m.png 2400w'", "m.png"),  # all are wider: the narrowest
        ("src=a.png srcset='one.png, two.png 2x, half.png 1.5x'", "two.png"),
        ("srcset='one.png'", "one.png"),
        ("srcset='a,b.png 100w,c.png 50w'", "a,b.png"),  # a comma inside a URL
        ("srcset='data:,x 1x, two.png 2x'", "two.png"),
        ("src=a.png srcset='b.png 100q, c.png -5w, d.png wide'", "a.png"),  # invalid descriptors
        ("src=a.png srcset=''", "a.png"),
        ("srcset='b.png 100w 50h'", "b.png"),
        ("srcset='a.png calc(1,2), b.png 2x'", "b.png"),
        ("src=a.png srcset='b.png 9.5w, c.png 1e3w, d.png +3x, e.png 1.x, f.png 2X, g.png 1_0w, h.png -1x'", "a.png"),
        (
            "src=a.png srcset='b.png 100w 100w, c.png 1x 2x, d.png 100w 1x, e.png 50h, f.png 1x 50h, g.png 9w 0h'",
            "a.png",
        ),
        ("src=a.png srcset='b.png 0w, c.png 9w 5h 5h, d.png 9w (x)'", "a.png"),
        ("srcset='a.png .5x, b.png 1e1x, c.png 9.5x'", "b.png"),
        ("srcset='a.png 0x'", "a.png"),
        ("srcset='a.png (x, y 3x), b.png 2x'", "b.png"),  # a comma in parentheses
        ("srcset='a.png 2x,,, , b.png 3x,'", "b.png"),
        ("srcset='a.png,,,b.png 2x'", "a.png,,,b.png"),  # a URL ends at white space alone
        ("srcset='a.png\u00a02x'", "a.png\u00a02x"),  # no white space of HTML
        ("srcset='a.png\x0b2x'", "a.png\x0b2x"),
        ("src=a.png data-src=b.png", "a.png"),
        ("data-src=b.png", "b.png"),
        ("src='data:image/gif;base64,R0' data-src=b.png", "b.png"),
        ("src='DATA:image/gif;base64,R0' data-srcset='s.png 1x, l.png 2x' data-src=b.png", "l.png"),
        ("src=' a.png\n'", "a.png"),
    ],
)
def test_one_candidate_of_an_image_counts(image: str, expected: str) -> None:
    assert urls(f"<img {image}>") == [expected]


@pytest.mark.parametrize(
    "element",
    [
        "<img>",
        "<img src=''>",
        "<img src='data:image/gif;base64,R0'>",
        "<source src=a.mp4>",
        "<audio><source src=a.mp3></audio>",
        "<iframe src=/inside></iframe>",
        "<iframe src=https://www.youtube.com/watch></iframe>",
        "<iframe src=https://player.vimeo.com/></iframe>",
        "<iframe src='https://[/'></iframe>",
        "<a href=/page.html>x</a>",
        "<a href=/pdf>x</a>",
        "<a href='/page?of=a.pdf'>x</a>",
        "<a href=/a.pdf/page>x</a>",
        "<a>x</a>",
        "<template><img src=a.png></template>",
        "<!-- <img src=a.png> -->",
        "<script>'<img src=a.png>'</script>",
        "<p style='color: red'>x</p>",
        "<p style='cursor: url(a.cur)'>x</p>",
    ],
)
def test_other_elements_are_no_media(element: str) -> None:
    assert urls(element) == []


@pytest.mark.parametrize(
    "player",
    [
        "https://www.youtube.com/embed/a?autoplay=1",
        "https://youtube.com/embed/a",
        "//www.youtube-nocookie.com/embed/a",
        "https://youtu.be/a",
        "https://player.vimeo.com/video/1",
    ],
)
def test_players_of_youtube_and_vimeo_are_embeds(player: str) -> None:
    (one,) = media(f"<iframe data-src='{player}'></iframe>")
    assert (one.url, one.kind) == (player, MediaKind.EMBED)


@pytest.mark.parametrize("name", ["a.pdf", "a.PDF", "a.docx", "a.odp", "a.xls", "a.epub", "a.pdf?b=1", "a.rtf#page=2"])
def test_links_to_documents_are_media(name: str) -> None:
    (one,) = media(f"<a href='{name}'>A</a>")
    assert (one.url, one.kind, one.text) == (name, MediaKind.DOCUMENT, "A")


def test_each_url_counts_once_and_only_the_first_ones_are_read() -> None:
    body = "".join(f"<img src={number % 5}.png>" for number in range(20))
    assert [one.url for one in media(body)] == ["0.png", "1.png", "2.png", "3.png", "4.png"]
    assert [one.url for one in media(body, most=2)] == ["0.png", "1.png"]
    assert len(media("<style>" + "".join(f".a{n}{{background:url({n})}}" for n in range(20)) + "</style>", most=7)) == 7


def test_an_element_with_a_source_and_a_background_counts_with_both() -> None:
    assert urls("<img src=a.png style='background: url(b.png)'>") == ["a.png", "b.png"]


def test_only_media_and_the_base_url_of_a_page_can_be_read_again() -> None:
    html = "<base href=/images/><img src=a.png>"
    search = MediaSearch(media=True)
    found = read_media(html.encode(), url=URL, encoding="utf-8", max_links=10, search=search)
    assert ([one.url for one in found.media or ()], found.base_url) == (["a.png"], f"{URL}images/")
    assert read_media(html, url=URL, encoding="utf-8", max_links=10, search=search) == found
    found = read_media("<img src='a?\u0431'>", url=URL, encoding="koi8-r", max_links=10, search=search)
    assert [one.url for one in found.media or ()] == ["a?%C2"]
