"""The names on a page that links can lead to, and its links that lead to a part of a page."""

from zlib import crc32

import pytest

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.fragment_names import fragment_hashes
from wavecrawl.domain.pages.page import Extraction


def _read(html: str | bytes, *, is_dom: bool = False) -> Extraction:
    return extract(html, url="https://example.com/a", is_dom=is_dom)


def _hashes(*names: str) -> tuple[int, ...]:
    return tuple(sorted(crc32(name.encode()) & 0x7FFFFFFF for name in names))


def _found(html: str | bytes) -> list[tuple[str, str]]:
    return [(one.href, one.fragment) for one in _read(html).fragment_links]


def test_names_are_ids_and_the_names_of_anchors() -> None:
    html = '<p id=a><a name="b" id="c"></a><img name="d"><a name=""></a><svg id="e"></svg><i id="\u00fc"></i><b id>x'
    assert _read(html).facts.anchors == _hashes("a", "b", "c", "e", "\u00fc")
    assert _read("<p>none</p>").facts.anchors == ()


def test_names_of_a_page_that_was_cut_or_rewritten_are_not_known() -> None:
    many = "".join(f"<p id=n{number}>" for number in range(20_001))
    assert (_read(many).facts.anchors, _read(many).facts.cut_facts) == (None, ("anchors",))
    nested = "<div id=a>" + "<b>" * 200_000
    assert _read(nested).facts.anchors is None


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ("#a-b_c.1", ("a-b_c.1",)),
        ("#a%20b", ("a%20b", "a b")),
        ("#a b", ("a b", "a%20b")),
        ("#caf\u00e9", ("caf\u00e9", "caf%C3%A9")),
        ("#50%", ("50%",)),
        ("#x:~:text=y", ("x",)),
        (" #x\ny ", ("xy",)),
        ("b#x", ("x",)),
    ],
)
def test_a_fragment_means_names_as_written_encoded_and_decoded(reference: str, names: tuple[str, ...]) -> None:
    (link,) = _read(f'<a href="{reference}">').fragment_links
    assert tuple(sorted(fragment_hashes(link.fragment))) == _hashes(*names)


@pytest.mark.parametrize(
    "reference",
    ["#", "b#", "#top", "b#TOP", "#%74op", "#:~:text=x", "#/route", "b#!route", "javascript:x#y", f"#{'x' * 501}"],
)
def test_a_fragment_that_leads_to_no_named_part_is_left_out(reference: str) -> None:
    assert _found(f'<a href="{reference}">') == []


def test_links_to_parts_are_those_that_visitors_follow_each_once() -> None:
    html = (
        '<link rel="next" href="b#link"><iframe src="b#frame"></iframe><map><area href="b#area"></map>'
        '<a href="b#x"></a><a href="b#x"></a><a href="#own" onclick="open()"></a><a href="b#y" onclick="x()"></a>'
        '<a href="#known"></a><a href="#unknown"></a><p id="known"></p>'
    )
    assert _found(html) == [("b", "area"), ("b", "x"), ("b", "y"), ("", "unknown")]


def test_links_to_parts_have_their_lines() -> None:
    html = (
        "<!doctype html>\n<a href=\"b#one\">1</a>\n\n<a href='b?c&amp;d#two'>2</a>\n<a href=b#three>3</a>\n"
        '<a href=b#four class=x>4</a><a href="b#&#102;ive">5</a>\n<a href="b#six">6</a> <a href="b#x&y">7</a>'
    )
    assert [one.line for one in _read(html).fragment_links] == [2, 4, 5, 6, 0, 7, 7]
    assert [one.line for one in _read(html.replace("\n", "\r\n")).fragment_links] == [2, 4, 5, 6, 0, 7, 7]
    assert [one.line for one in _read(html.replace("\n", "\r")).fragment_links] == [2, 4, 5, 6, 0, 7, 7]


def test_lines_are_not_looked_up_after_many_that_are_not_in_the_source() -> None:
    html = "".join(f'<a href="b#&#120;{number}">' for number in range(25)) + "<a href='b#y'>"
    assert [one.line for one in _read(html).fragment_links] == [0] * 26


def test_too_many_links_to_parts_are_cut() -> None:
    links = "".join(f'<a href="b#n{number}">' for number in range(5_001))
    found = _read(links)
    assert (len(found.fragment_links), found.facts.cut_facts) == (5_000, ("fragment_links",))
    assert _read(links.replace('<a href="b#n5000">', "")).facts.cut_facts == ()


@pytest.mark.parametrize(
    ("script", "may"),
    [
        ("", False),
        ('<script src="/contents.js"></script>', True),
        ("<script>heading.id = 'a'</script>", True),
        ('<script>heading.setAttribute("id", name)</script>', True),
        ("<script>let x = {'id': 1}</script>", True),
        ("<script>document.getElementById('searchbox').style.display = 'block'</script>", False),
        ("<script type='application/json'>{'id': 1}</script>", False),
        ("<script nomodule>heading.id = 'a'</script>", False),
        ("<script>window.dataLayer = []; gtag('js')</script>", False),
    ],
)
def test_scripts_that_may_add_ids(script: str, may: bool) -> None:  # noqa: FBT001 - a parameter of the test
    assert (_read(f"<p id=a>text</p>{script}").facts.id_scripts > 0) is may
    assert _read(f"<p id=a>text</p>{script}", is_dom=True).facts.id_scripts == 0


def test_pages_with_the_same_scripts_have_the_same_hash_of_them() -> None:
    def scripts(html: str, url: str = "https://example.com/a/b") -> int:
        return extract(html, url=url).facts.id_scripts

    inline = "<script>heading.id = 'a'</script>"
    own = scripts(f"<script src=../x.js></script>{inline}<script src='https://[/'></script>")
    assert own == scripts(f"{inline}<p>Other</p><script src=/x.js></script>", "https://example.com/c")
    assert own not in {scripts(inline), scripts("<script src=../x.js></script>"), scripts(f"<script src=x.js>{inline}")}
