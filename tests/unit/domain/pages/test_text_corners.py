"""Main text and Markdown of markup that is rare, or hostile."""

import re

import pytest

from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.extraction.inline_markdown import inline_markdown
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.domain.pages.text_choice import TextChoice

CHECKS = "Each valve is checked twice a year, before and after the storms. " * 8
BEFORE = f"<article><h1>Valves</h1><p>{CHECKS}</p>"
AFTER = "<p>" + "The keeper notes what was seen, and signs the book with a name. " * 8 + "</p></article>"


def markdown_of(html: str) -> str:
    page = html.encode()
    found = read_markdown(page, url="https://e.example/", encoding="utf-8", choice=TextChoice.MAIN).markdown
    assert plain_text(found) == extract(page, url="https://e.example/").facts.text
    return found


def between(html: str) -> list[str]:
    """Return the lines that HTML inside an article becomes."""
    found = markdown_of(BEFORE + html + AFTER).split("\n")
    lines = [line for line in found if line]
    return lines[2:-1]


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ('<p>a <math alttext="x &#8203;"></math> b</p>', ["a $x$ b"]),
        ('<p>a <span class="math">\\(x &#8203;\\)</span> b</p>', ["a $x$ b"]),
        ("<p>write &amp;amp; now &amp; then</p>", ["write \\&amp; now & then"]),
        ("<p>Wow!<a href=/x>see</a></p>", ["Wow\\![see](https://e.example/x)"]),
        ("<pre>a<br class=x>b</pre>", ["```", "a", "b", "```"]),
        ("<h2 id=cookies>Cookies</h2><p>They are small.</p>", ["## Cookies", "They are small."]),
        ("<h3 id=login>Login</h3><p>With a key.</p>", ["### Login", "With a key."]),
        ("<section id=filters><h2>Filters</h2><p>They are many.</p></section>", ["## Filters", "They are many."]),
        ("<ol><li>one<ul class=social><li>x</ul></li><li>two</ol>", ["1. one", "2. two"]),
        (
            "<table><tr><th>a<th>b<tr><td>c<table class=social><tr><td>s</table><td>d<tr><td>e<td>f</table>",
            ["| a | b |", "| --- | --- |", "| c | d |", "| e | f |"],
        ),
    ],
)
def test_rare_markup_keeps_its_words_and_its_form(html: str, lines: list[str]) -> None:
    assert between(html) == lines


def test_a_reference_in_code_is_text() -> None:
    html = "<p><code>a<sup><a href=#f1>1</a></sup></code></p><ol><li id=f1>note <a href=#r>back</a></li></ol>"
    assert between(html)[0] == "`a[1]`"


def test_a_page_about_cookies_is_content() -> None:
    text = "<p>" + "We use cookies to keep you signed in, and for nothing else. " * 20 + "</p>"
    footer = f"<footer>{'Imprint, contact and rules of this place. ' * 5}</footer>"
    found = markdown_of(f"<main><div class=cookie-policy-container><h1>Cookies</h1>{text}</div></main>{footer}")
    assert found.startswith("# Cookies\n\nWe use cookies")
    dialog = f"<div id=onetrust-consent-sdk>{text}</div>"
    assert "We use cookies" not in markdown_of(f"<main>{BEFORE}</main>{dialog}")


@pytest.mark.parametrize(
    "html",
    [
        "<style>.x .a .a .a .a .a .a .a{display:block}</style>" + "<div class=a>" * 60 + "x",
        "<p>" + "".join(f"<a href=/{number}><marquee>" for number in range(400)),
        "<math>" * 100 + "<mi>x</mi>" * 2_000,
        "<p>" + "<sup>" * 300 + "a<i></i>" * 3_000 + "</sup>" * 300 + "</p>",
        ("<div>" * 400 + "a, b, c. " * 1_000 + "</div>" * 400) * 2,
    ],
    ids=["descendants", "links in links", "mathematics in mathematics", "superscripts", "sections in sections"],
)
def test_deeply_nested_markup_is_read(html: str) -> None:
    """If each level were read again for those inside it, this would take longer than anyone waits."""
    assert "Each valve is checked" in markdown_of(BEFORE + html + AFTER)


def test_marks_in_each_other_end() -> None:
    assert inline_markdown("a" + "<S" * 60 + ">S" * 60, []).startswith("a")


@pytest.mark.parametrize("html", ["<plaintext>a <math> b", "<xmp>a <math></math> b</xmp>"])
def test_an_empty_formula_in_raw_text_ends_no_page(html: str) -> None:
    found = read_markdown(html.encode(), url="https://e.example/", encoding="utf-8", choice=TextChoice.MAIN).markdown
    assert {"a", "b"} <= set(re.findall("[a-z]+", found))
