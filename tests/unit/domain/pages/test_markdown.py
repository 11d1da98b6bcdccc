"""Each kind of block as Markdown, and its plain text."""

from hashlib import sha256
from importlib import import_module

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract, outline, read_markdown
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.domain.pages.text_choice import TextChoice

PAGE = "https://example.com/docs/page"
MAIN_TEXT = import_module("wavecrawl.domain.pages.extraction.main_text")  # the package has a function of this name


def markdown(html: str) -> str:
    return read_markdown(f"<main>{html}</main>", url=PAGE, encoding="utf-8").markdown


def text(html: str) -> str:
    return extract(f"<main>{html}</main>", url=PAGE).facts.text


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><h3>Two <b>bold</b></h3>", "# One\n\n### Two bold"),
        ("<h2>C#</h2>", "## C\\#"),
        ("<p>one\n  two</p><p>three</p>", "one two\n\nthree"),
        ("<p>one<br>two</p>", "one\\\ntwo"),
        ("<p>one<br><br>two<br></p>", "one\n\ntwo"),
        ("<div>one<p>two</p>three</div>", "one\n\ntwo\n\nthree"),
        ("one<hr>two", "one\n\ntwo"),
        ("<ul><li>one<li><p>two</ul>", "- one\n- two"),
        ("<ol><li>one<li>two</ol>", "1. one\n2. two"),
        ("<ol start=9><li>one<li>two<p>more</ol>", "9. one\n10. two\n\n    more"),
        ("<ul><li>a<ul><li>b<ol><li>c</ol></ul><li>d</ul>", "- a\n  - b\n    1. c\n- d"),
        ("<ul><li>a<p>b</p><p>c</p></ul><p>d", "- a\n\n  b\n\n  c\n\nd"),
        ("<ul><li></ul><ul><li>a</ul>", "- a"),
        ("<ul><li>a<li>b</li><ul><li>c</li><ol><li>d</ol></ul><li>e</ul>f", "- a\n- b\n  - c\n    1. d\n- e\n\nf"),
        ("<ol><li>a</li><ol><li>b</ol><li>c</ol>", "1. a\n   1. b\n2. c"),
        ("<ol><li value=5>a<li>b<li value=x>c</ol>", "5. a\n6. b\n7. c"),
        ("<ul><ul><li>a</ul><li>b</ul>", "- a\n\n- b"),
        ("<li>a", "- a"),
        ("<blockquote><p>a<p>b<ul><li>c</ul></blockquote>d", "> a\n>\n> b\n>\n> - c\n\nd"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "- a\n\n  b\n\n  c\n- d\n\n  e"),
        ("<dl><dd>a</dl>", "- a"),
        ("<pre>a\n  b &lt;c&gt;\n\n</pre>", "```\na\n  b <c>\n```"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<pre class='x language-Py'>a</pre>", "```py\na\n```"),
        ("<pre><code class=lang-js><span>a</span><br>b</code></pre>", "```js\na\nb\n```"),
        ("<div class=highlight-python3><div><pre>a</pre></div></div><pre>b</pre>", "```python3\na\n```\n\n```\nb\n```"),
        ("<pre class=language-none> </pre>a", "a"),
        ("<ul><li>a<pre>b\n\nc</pre></ul>", "- a\n\n  ```\n  b\n\n  c\n  ```"),
        ("<table><tr><th>a<th>b|<tr><td><p>c<p>d<td>e</table>", "| a | b\\| |\n| --- | --- |\n| c<br>d | e |"),
        ("<table><tr><td>a<td>b<tr><td>-<tr></table>", "|  |  |\n| --- | --- |\n| a | b |\n| \\- |  |"),
        ("<table><caption>t</caption><tr><td>a<td>b<br>c<tr><td><td></table>",
         "t\n\n|  |  |\n| --- | --- |\n| a | b<br>c |"),
        ("<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>", "## a\n\nb\n\nc\n\nd"),
        ("<table><tr><td>a<tr><td>b</table>", "a\n\nb"),
        ("<p>a <b>b </b>c<i> d</i> <strong>e</strong><strong>f</strong></p>", "a **b** c *d* **ef**"),
        ("<b><i>a</i> b</b>", "**a b**"),
        ('un<i>break</i>able <b>"a"</b>b', 'unbreakable "a"b'),
        ("un<i>break</i>able", "un*break*able"),
        ("<b>a<p>b</p></b>", "**a**\n\n**b**"),
        ("a <b> </b>b<i></i>", "a b"),
        ("<code>a</code> <code>`b` c</code> <kbd>d <b>e</b></kbd>", "`a` `` `b` c `` `d e`"),
        ("<a href=/x>a</a> <a href='y z'>b</a>", "[a](https://example.com/x) [b](https://example.com/docs/y%20z)"),
        ("<a href='/a(b)&amp;c'>[d]</a>", "[\\[d\\]](https://example.com/a%28b%29&c)"),
        ("<a href='/[b]&lt;c>d\"e?\\*`|'>a</a>", "[a](https://example.com/[b]%3Cc%3Ed%22e?%5C*%60%7C)"),
        ("<a href='/b\nc#ä ö'>a</a>", "[a](https://example.com/bc#%C3%A4%20%C3%B6)"),
        ("<a href='/?b=1&amp;copy;=2&amp;c'>a</a>", "[a](https://example.com/?b=1%26copy;=2&c)"),
        ("<a href=/x><b>a</b> <code>b</code></a>", "[**a** `b`](https://example.com/x)"),
        ("<a href=/x><img src=y></a>a", "a"),
        ("<a href=#x>a</a> <a href=mailto:a@b.example>b</a> <a>c</a> <a href=http://[>d</a>", "a b c d"),
        ("<a href=/x#part>a</a> <a href=http://[#part>b</a>", "[a](https://example.com/x#part) b"),
        ("<h2>a<a href=#x>¶</a></h2>", "## a"),
        ("<a href=/x>a<p>b</p></a>", "[a](https://example.com/x)\n\n[b](https://example.com/x)"),
        ("<p>1. a<p>2) b<p>3.c<p>- d<p>+ e", "1\\. a\n\n2\\) b\n\n3.c\n\n\\- d\n\n\\+ e"),
        ("<p># f<p>#g<p>> h", "\\# f\n\n#g\n\n\\> h"),
        ("<pre>a</pre>", "```\na\n```"),
        ("<ul><li>t<ol start=4><li>x</ol></ul>", "- t\n\n  4. x"),
        ("<table><tr><td>a <td></table><table><tr><td><td><tr><td><td></table>", "a"),
        ("<xmp>a</b></table></td></ul></li><p></xmp><p>b", "a\n\nb"),  # the only raw text in the serialized form
        ("<p>---<p>===<p>| a |<p>~~~", "\\---\n\n\\===\n\n\\| a |\n\n\\~\\~~"),
        ("a*b _c_ d_e `f` [g] \\ &lt;h> &amp;lt; &amp; i", "a\\*b \\_c\\_ d_e \\`f\\` \\[g\\] \\\\ \\<h> \\&lt; & i"),
        ("a&nbsp;&nbsp;b\u3000c", "a b c"),
        ("<my-word>a</my-word>b<script>c</script><!-- <p>d -->e", "abe"),
    ],
)  # fmt: skip
def test_html_as_markdown(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<h1>One</h1><p>a <b>b</b> <a href=/x>[c]</a></p>", "One\n\na b [c]"),
        ("<ul><li>a<ul><li>1. b</ul></ul><ol><li>c</ol>", "a\n1. b\n\nc"),
        ("<blockquote><p>a<pre>  b\n\n> c</pre></blockquote>", "a\n\n  b\n\n> c"),
        ("<ul><li><pre>a</pre><pre>``` b\n  c</pre></ul>", "a\n\n``` b\n  c"),
        ("<table><tr><th>a | b<th><code>c|d</code><tr><td>---<td>e\\</table>", "a | b\tc|d\n---\te\\"),
        ("<p>a<br>b \\<code>`</code> <code>\\*</code>", "a\nb \\` \\*"),
        ("<p>| a |<p># b<p>\\", "| a |\n\n# b\n\n\\"),
        ("<code>a<br>b</code><br>c", "a\nb\nc"),
        ("<h2>a<br>b<a href=#x><b>¶</b></a></h2>", "a b"),
        ("<p><b>a<br></b><br>b", "a\n\nb"),
        ("<pre><a href=/x>a<br><div>b</div><p>c</p></a></pre>", "a\nb\nc"),  # links are read with white space
    ],
)
def test_the_plain_text_is_that_of_the_markdown(html: str, expected: str) -> None:
    assert (text(html), plain_text(markdown(html))) == (expected, expected)


def test_the_text_of_the_body_has_everything_and_without_text_the_whole_page_is_hashed() -> None:
    html = "<nav><a href=/x>Menu</a></nav><main><p>Text"
    body = extract(html, url=PAGE, choice=TextChoice.BODY).facts
    assert (body.text, body.word_count) == ("Menu\n\nText", 2)
    written = read_markdown(html, url=PAGE, encoding="utf-8", choice=TextChoice.BODY).markdown
    assert written == "[Menu](https://example.com/x)\n\nText"
    none = extract(html, url=PAGE, choice=TextChoice.NONE).facts
    assert (none.text, none.word_count, none.simhash, none.word_sketch) == ("", 0, 0, b"")
    assert none.text_hash == sha256(html.encode()).hexdigest()
    assert read_markdown(html, url=PAGE, encoding="utf-8", choice=TextChoice.NONE).markdown == ""
    assert extract("", url=PAGE).facts.text_hash == ""


def test_deep_lists_and_quotes_are_not_indented_further() -> None:
    html = "<ul><li>a" * 300 + "<blockquote>b"
    lines = markdown(html).split("\n")
    assert len(lines) > 300
    assert max(map(len, lines)) < 20


def test_the_row_of_a_table_that_is_cut_keeps_its_last_characters() -> None:
    assert plain_text("| a | bcd") == "a\tbcd"
    assert plain_text("| a | b\\|") == "a\tb|"


def test_a_broken_fence_does_not_end_the_plain_text() -> None:
    assert plain_text("a\n\n```\nb") == "a\n\nb"


TEXTS = st.text(st.sampled_from("ab 1.)-+*_`[]()#>|\\<&;~=:/$^\n\té文"), max_size=12)
ESCAPED = TEXTS.map(lambda text: text.replace("&", "&amp;").replace("<", "&lt;"))
INLINE = st.recursive(
    ESCAPED,
    lambda inner: st.tuples(st.sampled_from("b i code a em".split()), st.lists(inner, max_size=3)).map(
        lambda part: f"<{part[0]} href=/x>{''.join(part[1])}</{part[0]}>"
    ) | st.just("<br>"),
    max_leaves=6,
)  # fmt: skip
RUN = st.lists(INLINE, max_size=4).map("".join)
BLOCKS = st.recursive(
    st.tuples(st.sampled_from("p h1 h3 pre div".split()), RUN).map(lambda part: f"<{part[0]}>{part[1]}</{part[0]}>"),
    lambda inner: st.tuples(
        st.sampled_from(
            (
                "<ul><li>{}</li></ul>",
                "<ol><li>{}</li><li>x</li></ol>",
                "<blockquote>{}</blockquote>",
                "<dl><dt>t</dt><dd>{}</dd></dl>",
                "<table><tr><td>{}</td><td>y</td></tr><tr><td>z</td></tr></table>",
                "<table><tr><th>{}</th><td>y</td></tr><tr><td colspan=2>z</td></tr></table>",
                "<ul><li>x</li><ol>{}<li>y</li></ol></ul>",
            )
        ),
        st.lists(inner, max_size=3).map("".join),
    ).map(lambda part: part[0].format(part[1].replace("{", ""))),
    max_leaves=6,
)
PAGES = st.lists(BLOCKS, max_size=4).map("".join)


@given(PAGES)
def test_a_markdown_parser_reads_the_same_words(html: str) -> None:
    written = markdown(html)
    assume("| - " not in written and "<br>" not in written and "&vert;" not in written)  # see the tests of tables
    assert words_of(written) == "".join(plain_text(written).split())


def words_of(written: str) -> str:
    """Return the text that an independent Markdown parser sees, without white space."""
    parts = []
    for token in MarkdownIt("commonmark").enable("table").parse(written):
        if token.type == "fence":
            parts.append(token.content)
        for child in token.children or []:
            assert child.type != "html_inline"
            parts.append(child.content if child.type in ("text", "code_inline") else "")
    return "".join("".join(parts).split())


@given(PAGES)
def test_the_plain_text_of_any_page_is_that_of_its_markdown(html: str) -> None:
    assert text(html) == plain_text(markdown(html))


@given(PAGES)
def test_no_word_of_a_page_is_lost(html: str) -> None:
    body = LexborHTMLParser(html).body
    assert body is not None
    assert "".join(plain_text(markdown(html)).split()) == "".join(body.text().split())


def test_lists_that_are_nested_deeper_than_shown_end_where_they_end() -> None:
    html = "<ul><li>a" * 20 + "</ul>" * 19 + "<li>b</ul><p>c"
    assert markdown(html).split("\n")[-3:] == ["- b", "", "c"]
    assert markdown("<blockquote>" * 20 + "a" + "</blockquote>" * 20 + "<p>b").endswith("a\n\nb")


def test_short_rows_below_a_very_long_one_have_no_empty_cells() -> None:
    lines = markdown("<table><tr>" + "<th>a" * 500 + "<tr><td>b" * 500 + "</table>").split("\n")
    assert (len(lines), lines[0].count("a"), lines[1].count("---"), lines[-1]) == (502, 500, 500, "| b |")
    lines = markdown("<table><tr><th>a<tr>" + "<td>b" * 500 + "<tr><td>c" * 500 + "</table>").split("\n")
    assert (lines[0].count("|"), lines[1].count("---"), lines[2].count("b"), lines[3]) == (501, 500, 500, "| c |")
    assert markdown("<table><tr><td>a<td>b<tr><td>c</table>").endswith("| c |  |")


def test_links_are_shown_until_their_urls_are_too_long_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MAIN_TEXT, "MOST_CHARACTERS", 60)
    assert markdown("<a href=/one>one</a> <a href=/two>two</a> <a href=/three>three</a>") == (
        "[one](https://example.com/one) [two](https://example.com/two"
    )
    assert markdown("<p><a href=/one>one</a><p>two<p>three") == "[one](https://example.com/one)\n\ntwo\n\nthree"


def test_a_text_with_more_blocks_than_fit_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MAIN_TEXT, "MOST_CHARACTERS", 10)
    blocks = "<p>word</p>" * 5
    found = extract(f"<main>{blocks}</main>", url=PAGE).facts
    assert (found.text, found.cut_facts) == ("word\n\nword", ("text",))
    assert markdown(blocks) == "word\n\nword"
    assert extract("<main><p>word<p>word</main>", url=PAGE).facts.cut_facts == ()


def test_a_body_that_is_longer_than_what_is_read_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outline, "_MAX_HTML", 30)
    assert extract("<p>one<p>two<p>three<p>four", url=PAGE).facts.cut_facts == ("text",)
