"""Tables as Markdown: rows keep their cells, whatever is in them."""

import pytest
from tests.support.page_texts import markdown, text

HEAD = "| a | b |\n| --- | --- |\n"


def table(cell: str) -> str:
    """Return the row of a table with a head that has some HTML in its second cell."""
    written = markdown(f"<table><tr><th>a<th>b<tr><td>c<td>{cell}<tr><td>e<td>f</table>")
    assert written.startswith(HEAD)
    assert written.endswith("\n| e | f |")
    return written.removeprefix(HEAD).removesuffix("\n| e | f |")


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("<ul><li>low<li>high<ul><li>deep</ul></ul>", "| c | - low<br>- high<br>- deep |"),
        ("one<ol><li>low<li>- high</ol>2. two", "| c | one<br>1. low<br>2. \\- high<br>2\\. two |"),
        ("<dl><dt>x<dd>y</dl>", "| c | - x<br>y |"),
        ("<pre>if x:\n\n\treturn `y`|\n</pre>", "| c | `if x:`<br>``     return `y`\\| `` |"),
        ("<ul><li><pre>x\ny</pre></ul>", "| c | - `x`<br>`y` |"),
        ("<pre> </pre>x", "| c | x |"),
        ("<h4>One</h4>two<br>three", "| c | **One**<br>two<br>three |"),
        ("<blockquote>one<p>two</blockquote>", "| c | one<br>two |"),
        ("a | b &lt;br> <code>&lt;br>|</code> &amp;vert; -", "| c | a \\| b \\<br> `<br>\\|` \\&vert; - |"),
        ("<table><tr><th>x<th>y|<tr><td>z<td><b>1</b></table>", "| c | x &vert; y\\|<br>z &vert; **1** |"),
        ("<table><tr><td>x<tr><td>y</table>", "| c | x<br>y |"),
        ("<table><tr><td>x<td>y</table>", "| c | x<br>y |"),
        ("<ul><li><input type=checkbox disabled>x</ul>", "| c | - x |"),
    ],
)
def test_blocks_in_cells(cell: str, expected: str) -> None:
    assert table(cell) == expected


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (
            "<tr><th colspan=2>a<th>b<tr><td>c<td>d<td>e",
            "| a |  | b |\n| --- | --- | --- |\n| c | d | e |",
        ),
        (
            "<tr><th>a<th>b<tr><td rowspan=2>c<td>d<tr><td>e<tr><td>f<td>g",
            f"{HEAD}| c | d |\n|  | e |\n| f | g |",
        ),
        (
            "<tr><th>a<th>b<tr><td>c<td rowspan=3>d<tr><td>e<tr><td>f<tr><td>g<td>h",
            f"{HEAD}| c | d |\n| e |  |\n| f |  |\n| g | h |",
        ),
        (
            "<tr><th>a<th>b<th>x<tr><td rowspan=0 colspan=2>c<td>d<tr><td>e<tr><td>f",
            "| a | b | x |\n| --- | --- | --- |\n| c |  | d |\n|  |  | e |\n|  |  | f |",
        ),
        ("<thead><tr><td>a<td>b<tbody><tr><td>c<td>d", f"{HEAD}| c | d |"),
        ("<caption>t</caption><tr><td>c<td>d<tr><td>e<td>f", "t\n\n|  |  |\n| --- | --- |\n| c | d |\n| e | f |"),
        ("<tr><th>c<td>d<tr><th>e<td>f", "|  |  |\n| --- | --- |\n| c | d |\n| e | f |"),
        ("<tr><td>c<td><ul><li>d</ul><tr><td>e<td>f", "|  |  |\n| --- | --- |\n| c | - d |\n| e | f |"),
    ],
)
def test_spans_and_heads(rows: str, expected: str) -> None:
    assert markdown(f"<table>{rows}</table>") == expected


@pytest.mark.parametrize(
    "attributes_and_rows",
    [
        " role=presentation><tr><th>a<th>b<tr><td>c<td>d",
        "><thead><tr><th>a<th><section>b</section></thead><tr><td>c<td>d",
        "><tr><td>a<td><p>b<ul></ul><tr><td colspan=2>c<p>d<h2></h2>",
        "><tr><td>a<td><ul></ul>b<tr><td>c<tr><td>d",
        "><tr><td>a<td><table><tr><td>b</table><tr><td>c<td>d",
    ],
)
def test_a_table_that_is_there_for_the_layout_is_a_sequence_of_blocks(attributes_and_rows: str) -> None:
    assert markdown(f"<table{attributes_and_rows}</table>") == "a\n\nb\n\nc\n\nd"


def test_a_table_with_a_page_in_a_cell_is_there_for_the_layout() -> None:
    prose = "<p>Words.</p>" + "<p>And a few more words for the page.</p>" * 80
    rows = "<tr><th>a<th>b<tr><td>c<td><p>{}</p><ul><li>d</ul>"
    assert markdown(f"{prose}<table>{rows.format('long ' * 300)}</table>").count("|") > 3
    assert markdown(f"{prose}<table>{rows.format('long ' * 500)}</table>").count("|") == 0
    bare = "<tr><td>a<td>b<tr><td>c<td><p>{}</p><ul><li>d</ul>"
    assert markdown(f"{prose}<table>{bare.format('long ' * 50)}</table>").count("|") > 3
    assert markdown(f"{prose}<table>{bare.format('long ' * 150)}</table>").count("|") == 0


def test_a_table_in_a_list_keeps_the_marker_of_the_list() -> None:
    html = "<ul><li><table><tr><th>a<th>b<tr><td><ul><li>c</ul><td>d</table><li>e</ul>"
    assert markdown(html) == "- | a | b |\n  | --- | --- |\n  | - c | d |\n- e"


def test_cells_that_cover_many_others_cost_no_more_than_the_table() -> None:
    wide = "<tr>" + "<td colspan=1000 rowspan=60000>a" * 50 + "<tr><td>b" * 3_000
    found = text(f"<table><tr><th>x<th>y{wide}</table>")
    assert found.count("\t") < 110_000
    assert (found.count("a"), found.count("b")) == (50, 3_000)


def test_raw_text_with_the_tags_of_tables_loses_no_row() -> None:
    html = "<table><tr><td>a<td><xmp><table><tr><td>b</xmp><tr><td>c<td>d</table><p>e"
    assert [word for word in "abcde" if word in markdown(html)] == [*"abcde"]
