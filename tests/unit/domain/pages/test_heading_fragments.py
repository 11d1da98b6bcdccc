import pytest
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import read_markdown
from wavecrawl.domain.pages.extraction.heading_fragments import heading_fragments

URL = "https://e.example/guide"
TEXT = "<p>The gate is closed before each storm, and opened again when the wind is weak.</p>"


def fragments(body: str) -> dict[str, str]:
    found = read_markdown(f"<body><main>{body}</main></body>", url=URL, encoding="utf-8")
    lines = found.markdown.split("\n")
    return {lines[line]: fragment for line, fragment in found.fragments}


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("<h2 id=fees>Fees</h2>", "fees"),
        ("<section id=fees><h2>Fees</h2></section>", "fees"),
        ("<section id=fees><h2>Fees<a class=headerlink href='#the-fees'>¶</a></h2></section>", "the-fees"),
        ("<div id=FEES><div class=titlepage><div><h2 class=title>Fees</h2></div></div></div>", "FEES"),
        ("<h2><a name=fees></a>Fees</h2>", "fees"),
        ("<a id=fees></a><h2>Fees</h2>", "fees"),
        ("<a id=fees>Text</a><h2>Fees</h2>", None),
        ("<h2><span id=fees>Fees</span></h2>", "fees"),
        ("<h2 id='größe 1'>Fees</h2>", "gr%C3%B6%C3%9Fe%201"),
        ("<h2>Fees</h2>", None),
        ("<h2 id=''>Fees</h2>", None),
        (f"<h2 id={'x' * 301}>Fees</h2>", None),
        (f"<section id=storms>{TEXT}<h2>Fees</h2></section>", None),
        ("<section id=storms>Text <h2>Fees</h2></section>", None),
        (f"<section id=storms>{'<!---->' * 9}<h2>Fees</h2></section>", None),
    ],
)
def test_the_fragment_of_a_heading_is_its_id_or_that_of_the_element_that_begins_with_it(
    heading: str, expected: str | None
) -> None:
    assert fragments(f"{TEXT}{heading}{TEXT}").get("## Fees") == expected


def test_headings_that_the_page_lacks_and_deep_ones_have_no_fragment() -> None:
    deep = "<div>" * 25 + "<h2>Deep</h2>" + "</div>" * 25
    tree = LexborHTMLParser(f"<body><div id=outer>{deep}</div><h2 id=b>Both</h2>")
    same = LexborHTMLParser("<h2 id=a>Fees</h2><h2 id=b>Rules</h2><h2 id=c>Fees</h2>")
    assert heading_fragments(same, "## Rules\n\n## Fees") == ((0, "b"), (2, "c"))
    assert heading_fragments(tree, "# Unknown\n\n#no heading\n\n## Deep\n\n## Both") == ((6, "b"),)


def test_headings_with_the_same_text_have_the_fragments_of_their_places() -> None:
    found = read_markdown(
        f"<nav><h2 id=menu>Options</h2></nav><main>{TEXT}<h2 id=a>Options</h2>{TEXT}<pre>```\n# Options</pre>"
        f"<h3 id=b>The <code>last</code> option</h3>{TEXT}<h2 id=c>Options</h2>{TEXT}</main>",
        url=URL,
        encoding="utf-8",
    )
    lines = found.markdown.split("\n")
    pairs = [(lines[line], fragment) for line, fragment in found.fragments]
    assert [line for line, _ in pairs] == ["## Options", "### The `last` option", "## Options"]
    assert [fragment for _, fragment in pairs] == ["a", "b", "c"]
