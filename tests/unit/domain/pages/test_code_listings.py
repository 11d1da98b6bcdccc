"""Code with line numbers and code in rows of tables, as highlighters and code hosts write it."""

import pytest
from tests.support.docs_sites import SITES
from tests.support.page_texts import markdown

from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.plain_text import plain_text

CODE = "def f():\n    pass"
TWO_CELLS = '<table class="{}"><tr><td class="{}"><pre>{}</pre></td><td class="{}"><pre>{}</pre></td></tr></table>'
LINES = [
    '<span class="{0}">1</span>def f():\n<span class="{0}">2</span>    pass\n',
    '<span style="display:flex"><span style="user-select:none">{0}1</span>def f():\n</span>    pass',
]


@pytest.mark.parametrize(
    "html",
    [
        TWO_CELLS.format("highlighttable", "linenos", '<span class="normal">1</span>\n2', "code", CODE),
        TWO_CELLS.format(
            "lntable", "lntd", '<code><span class="lnt">1\n</span><span class="lnt">2\n</span>', "lntd", CODE
        ),
        TWO_CELLS.format("", "gutter", "<span>1</span><br><span>2</span><br>", "code", CODE.replace("\n", "<br>")),
        TWO_CELLS.format("", "x", "9\n10", "y", CODE),
        f"<pre><code>{TWO_CELLS.format('rouge-table', 'rouge-gutter gl', '1<br>2', 'rouge-code', CODE)}</code></pre>",
        *(f"<pre>{LINES[0].format(name)}</pre>" for name in ("linenos", "lineno", "linenumber x", "ln")),
        f"<pre>{LINES[1].format('')}</pre>",
        f'<pre>{CODE}<span aria-hidden="true" class="line-numbers-rows"><span>1</span><span>2</span></span></pre>',
        (
            '<pre><code><table class="hljs-ln"><tr><td class="hljs-ln-numbers"><div data-line-number="1"></div></td>'
            '<td class="hljs-ln-code">def f():</td></tr><tr><td class="hljs-ln-numbers">2</td>'
            '<td class="hljs-ln-code">    pass\n</td></tr></table></code></pre>'
        ),
        (
            '<table class="highlight">\n<tr>\n<td class="blob-num" data-line-number="1"></td>\n<td class="blob-code">'
            '<b>def</b> f():</td></tr><tr><td class="blob-num">2</td><td class="blob-code">    pass</td></tr></table>'
        ),
        (
            '<table><tr><td class="lines-num"></td><td class="lines-code"><code>def f():\n</code></td></tr>'
            '<tr><td class="lines-num">2</td><td class="lines-code"><code>    pass</code></td></tr></table>'
        ),
        (
            '<div class="syntaxhighlighter"><table><tr><td class="gutter"><div class="line">1</div>'
            '<div class="line">2</div></td><td class="code"><div class="container"><div class="line">'
            "<code>def</code> <code>f():</code></div>"
            '<div class="line"><code>&nbsp;&nbsp;&nbsp; </code><code>pass</code></div></div></td></tr></table></div>'
        ),
        f'<div class="line-numbers"><a>1</a><a>2</a></div><pre>{CODE}</pre>',
        (
            '<div class="fragment"><div class="line"><a></a><span class="lineno">    1</span>def f():</div>'
            '<div class="line"><span class="lineno">    2</span>    pass</div></div>'
        ),
    ],
)
def test_line_numbers_are_not_code(html: str) -> None:
    assert markdown(f"<p>Text</p>{html}<p>End</p>") == f"Text\n\n```\n{CODE}\n```\n\nEnd"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>Line <span class=ln>5</span>", "Line 5"),
        ("<div><p>a</p><span class=linenos>1</span></div>", "a\n\n1"),
        ("<pre><span class=linenos>one</span> a</pre>", "```\none a\n```"),
        ("<pre>1\n2</pre>", "```\n1\n2\n```"),
        ("<table><tr><td>1 3<td><pre>a</pre></table>", "1 3\n\n```\na\n```"),
        ("<div><p class=lines-code>a</p>b</div>", "a\n\nb"),
        ("<div>x<div class=crayon-line>a</div></div>", "x\n\na"),
        ("<table><tr><td>a<td><pre>b</pre></table>", "a\n\n```\nb\n```"),
        ("<table><tr><td><td><div><div><div><div><div><div><pre>b</pre></table>", "```\nb\n```"),
        (
            "<div><div class=crayon-line>a</div><div class=crayon-line>b <p class=crayon-line>c</div></div>",
            "```\na\nb c\n```",
        ),
        ("<td class=blob-code>a</td>", "a"),
        (
            "<table><tr><td>1<td><pre>a</pre><tr><td>2<td><pre>b</pre></table>",
            "|  |  |\n| --- | --- |\n| 1 | `a` |\n| 2 | `b` |",
        ),
        ("<table><tr><td>x<td>1 2<td><pre>a</pre></table>", "x\n\n1 2\n\n```\na\n```"),
        ("<table><tr><td>1<td><table><tr><td><pre>a</pre></table></table>", "1\n\n```\na\n```"),
        ("<table><tr><td>x<tr><td class=blob-code>a<table><tr><td class=blob-code>b</table></table>", "x\n\na\n\nb"),
        ("<table><tr><td class=blob-code>a<table><tr><td class=blob-code>b</table></table>", "```\nab\n```"),
        ("<b><i><u><s><a><q><small><span class=ln>1</span></small></q></a></s></u></i></b>", "**1**"),
        ("<table><tr><td><pre>1</pre><td>a</table>", "```\n1\n```\n\na"),
        ("<p class=lines-code>a", "a"),
        ("<table data-tagsearch-lang='Emacs Lisp'><tr><td class=blob-code>a</table>", "```emacs\na\n```"),
        ("<figure class='highlight js'><pre>a</pre></figure>", "```js\na\n```"),
    ],
)
def test_numbers_and_cells_that_belong_to_no_code_stay(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_a_page_that_is_one_listing_with_parts_is_code() -> None:
    (site,) = [site for site in SITES if site.package == "python-django-doc"]
    if not site.there:
        pytest.skip(f"{site.package} is not installed")
    html = (site.folder / "_modules/django/forms/boundfield.html").read_bytes()
    found = read_markdown(html, url="https://e.example/", encoding="utf-8").markdown
    assert found.startswith("```\nimport datetime\nimport re\n")
    assert found.endswith("\n    @property\n    def choice_label(self):\n        return self.data['label']\n```")
    assert extract(html, url="https://e.example/").facts.text == plain_text(found)
