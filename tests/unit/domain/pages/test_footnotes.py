"""Footnotes, task lists and admonitions have forms of their own in Markdown."""

import pytest
from tests.support.page_texts import PAGE, markdown, text

from wavecrawl.domain.pages.extraction import outline, read_markdown

REFERENCE = '<p>word<sup><a href="#n1" id="r1">1</a></sup>.</p>'


@pytest.mark.parametrize(
    "html",
    [
        f'{REFERENCE}<ol><li id="n1"><p>The note. <a href="#r1">\u21a9\ufe0e</a></li></ol>',
        f"{REFERENCE}<div id=n1><span>[1]</span> The note.</div>",
        f'{REFERENCE}<p><a id=n1 href="#r1">1</a>. The note.',
        f'{REFERENCE}<dl><dt id=n1>1</dt> <dd>The note. <a class=footnote-backref href="#r1">back</a></dl>',
        '<p>word<a href="#n1"><sup>[1]</sup></a>.</p><p id=n1> The note.',
        (
            '<p>word<a class=footnote-reference role=doc-noteref href="#n1"><span>[</span>1<span>]</span></a>.</p>'
            '<aside class=footnote id=n1><span class=label>[<a role=doc-backlink href="#r1">1</a>]</span>'
            "<p>The note.</aside>"
        ),
        (
            '<p>word<sup class=reference><a href="#n1">[1]</a></sup>.</p><ol><li id=n1><span class=mw-cite-backlink>'
            '<a href="#r1">Jump up</a></span> <span>The note.</span></ol>'
        ),
    ],
)
def test_a_footnote_has_its_reference_and_its_text(html: str) -> None:
    assert markdown(html) == "word[^1].\n\n[^1]: The note."
    assert text(html) == "word[1].\n\nThe note."


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            f'{REFERENCE}<p>more<sup><a href="#n1">1</a></sup> <a href="#n1"><sup>1</sup></a>.<p id=n1>a',
            "word[^1].\n\nmore[^1] [^1].\n\n[^1]: a",
        ),
        (
            f"{REFERENCE}<ol><li id=n1><p>a<pre>b\n\nc</pre></ol>",
            "word[^1].\n\n[^1]: a\n\n    ```\n    b\n\n    c\n    ```",
        ),
        (f"{REFERENCE}<p>no note", "word^1.\n\nno note"),
        (f"{REFERENCE}<h2 id=n1>a</h2>", "word^1.\n\n## a"),
        (f"{REFERENCE}<p>a <b id=n1>b</b>", "word^1.\n\na **b**"),
        (f"{REFERENCE}<dl><dt id=n1>1</dl>", "word^1.\n\n- 1"),
        (f"{REFERENCE}<p id=n1> <b>1</b> a", "word[^1].\n\n[^1]: a"),
        (f"<div id=n1>{REFERENCE}</div>", "word^1."),
        ('<p>a<sup><a href="#n1">see</a></sup><p id=n1>b', "a[^see]\n\n[^see]: b"),
        ('<p>a<sup><a href="#n1">*</a></sup><p id=n1>b', "a\n\nb"),
        (
            '<p>a<sup><a href="#n1">1</a>, <a href="#n2">1</a></sup><p id=n1><i>x</i> b<p id=n2>c',
            "a[^1], 1\n\n[^1]: *x* b\n\nc",
        ),
        ("<p>a[^1] b<p>[^1]: c", "a\\[^1\\] b\n\n\\[^1\\]: c"),
        (f"{REFERENCE}<p id=n1>a<p wavecrawl-note='x y'>b", "word[^1].\n\n[^1]: a\n- b"),
    ],
)
def test_references_and_other_links_in_superscripts(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("10<sup>5</sup> m<sup>2</sup> (a)<sup>-3</sup> x<sup><i>2</i></sup>", "10^5 m^2 (a)^-3 x^*2*"),
        ("<b>10</b><sup>5</sup>", "**10**^5"),
        ("1<sup>st</sup> a <sup>2</sup> b<br><sup>3</sup>", "1st a 2 b\\\n3"),
        ("<sup>4</sup> H<sub>2</sub>O<sup></sup>", "4 H2O"),
        ("<sup>a<p>b</sup>", "a\n\nb"),
    ],
)
def test_powers_are_not_glued_to_numbers(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ul><li><input type=checkbox disabled checked> a<li><input type=checkbox disabled>b", "- [x] a\n- [ ] b"),
        ("<ul><li class=task-list-item> <p><input type=checkbox> a", "- [ ] a"),
        ("<ul class=task-list><li><label><input type=checkbox>a</label>", "- [ ] a"),
        ("<ul><li><input type=checkbox class=task-list-item-checkbox>a", "- [ ] a"),
        ("<ol><li><input type=checkbox disabled>a", "1. [ ] a"),
        ("<ul><li>[x] a", "- \\[x\\] a"),
        ("<ul><li><input type=text disabled> checkbox", "- checkbox"),
        ("<ul><li><label><input type=checkbox>Red</label>", "- Red"),
        ("<ul><li>a <input type=checkbox disabled> b", "- a b"),
        ("<input type=checkbox disabled> a", "a"),
        ("<ul><li class=task>" + "<input type=checkbox> " * 30 + "a", "- [ ] a"),
        ("<b><i><u><s><input type=checkbox disabled> a", "**a**"),
    ],
)
def test_task_lists(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (
            "<div class='admonition note'><p class=admonition-title>Note<p>a <b>b</b><ul><li>c</ul></div>d",
            "> **Note**\n>\n> a **b**\n>\n> - c\n\nd",
        ),
        ("<div class=markdown-alert><p class=markdown-alert-title><svg></svg>Tip</p><p>a</div>", "> **Tip**\n>\n> a"),
        ("<b><div class='tip custom-block'><p class=custom-block-title>TIP</p>a</div></b>", "> **TIP**\n>\n> **a**"),
        ("<div class=theme-admonition><div>note</div><p>a</div>", "> note\n>\n> a"),
        ("<p>a</p><aside class=starlight-aside><p>b</aside>", "a\n\n> b"),
        ("<div class=WARNING><p>a</div>", "> a"),
        ("<div class='note x'><p>a</div>", "a"),
        ("<div class=no-admonition><p>a</div>", "a"),
        ("<p class=x>a</p>", "a"),
    ],
)
def test_admonitions_are_quotes(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_task_below_the_deepest_list_that_is_shown_has_no_mark() -> None:
    deep = "<ul><li>a" * 20 + "<ul><li><input type=checkbox disabled>b"
    assert markdown(deep).endswith("a\n\n" + " " * 16 + "b")


def test_an_admonition_in_a_page_that_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    html = "<body><main><div class=admonition><p>a<p>b"
    monkeypatch.setattr(outline, "_MAX_HTML", len("<body><main><div class='admonition'><p>a</p>"))
    assert read_markdown(html, url=PAGE, encoding="utf-8").markdown == "> a"
