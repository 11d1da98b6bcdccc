"""CSS selectors whose cost is known before they are evaluated."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction.selectors import Searches, Selector, shape_of

COMPOUNDS = (
    "div",
    "p",
    "ul",
    ".x",
    ".y",
    "*",
    "i.x",
    "div:not(.x)",
    ":is(.x, p)",
    "p:first-child",
    "b:nth-child(2n + 1)",
)
TREES = st.recursive(
    st.sampled_from(("text", "<!-- a comment -->", "")),
    lambda inside: st.builds(
        lambda tag, name, parts: f"<{tag} class={name}>{' '.join(parts)}</{tag}>",
        st.sampled_from(("div", "p", "ul", "b", "i", "section")),
        st.sampled_from(("x", "y", "z")),
        st.lists(inside, max_size=4),
    ),
    max_leaves=25,
)
COMPLEX = st.builds(
    lambda first, rest: first + "".join(between + compound for between, compound in rest),
    st.sampled_from(COMPOUNDS),
    st.lists(st.tuples(st.sampled_from((" ", "  ", " > ", "~", " + ", ">")), st.sampled_from(COMPOUNDS)), max_size=4),
)


def places(tree: LexborHTMLParser, selector: str) -> list[int]:
    return [node.mem_id for node in Selector(selector).elements(tree)]


@given(html=TREES, alternatives=st.lists(COMPLEX, min_size=1, max_size=3))
def test_a_selector_matches_what_the_parser_matches(html: str, alternatives: list[str]) -> None:
    tree, selector = LexborHTMLParser(html), ", ".join(alternatives)
    assert places(tree, selector) == [node.mem_id for node in tree.css(selector)]


def test_combinators_take_linear_time_whatever_the_page_is_like() -> None:
    deep = LexborHTMLParser("<div>" * 300 + "<p>x</p>" * 50)
    assert places(deep, "main div div div div div p") == []
    assert len(places(deep, "div div div div div p")) == 50
    wide = LexborHTMLParser("<ul>" + "<li>x" * 20_000)
    assert places(wide, "p ~ li ~ li ~ li") == []
    assert len(places(wide, "li ~ li ~ li, ol li li")) == 19_998
    assert len(places(wide, "ul > li ~ li ~ li")) == 19_998


@pytest.mark.parametrize(
    ("selector", "siblings", "lines"),
    [
        (".price", 0, 0),
        ("a[href='x y']", 0, 0),
        (r".a\:b", 0, 0),
        ("a > b + c", 0, 0),
        ("a b", 0, 1),
        ("a b c d", 0, 0),  # evaluated here
        ("a ~ b", 0, 0),
        ("li:first-child", 0, 0),
        ("li:nth-child(2n + 1)", 1, 0),
        ("li:last-of-type", 1, 0),
        ("li:nth-child(n+2):nth-last-child(-n+3)", 1, 0),
        ("li:nth-child(2 of .a)", 2, 0),
        ("div:has(p)", 0, 1),
        ("div:has(> p b)", 0, 2),
        ("div:has(~ p)", 1, 1),
        ("div:has(p:has(b))", 0, 2),
        ("div:not(ul li)", 0, 1),
        ("div:not(p, ul ~ li)", 1, 0),
        ("div:is(:nth-child(2), :nth-child(3))", 2, 0),
        ("p:lexbor-contains('x')", 0, 1),
        ("a, div:has(b), li:nth-child(2)", 0, 1),
        ("div:not(> )", 0, 0),
        ("> a b", 0, 2),
        ("a > > b ~ c", 1, 5),
        ("svg|a b", 0, 1),
        ("a:not(b c", 0, 1),
        ("a:not(b[c d", 0, 1),
        ("a[b=x\\]y] c", 0, 1),
        ("a[b", 0, 0),
        ("a['b", 0, 0),
        (")", 0, 0),
        ("a,, b", 0, 1),
        ("a >, b", 0, 2),
        ("a >", 0, 1),
    ],
)
def test_the_searches_of_a_selector_are_counted(selector: str, siblings: int, lines: int) -> None:
    assert Selector(selector).searches == Searches(siblings, lines)


def test_the_steps_follow_from_the_shape_of_the_page() -> None:
    shape = shape_of(LexborHTMLParser("<head></head><body><ul><li>a</li><li><b>b</b></li><li>c</li></ul></body>"))
    assert shape.steps(Searches()) == 8  # html, head, body, ul, three li, b
    assert shape.steps(Searches(0, 1)) == 0 + 1 + 1 + 2 + 3 * 3 + 4
    assert shape.steps(Searches(1, 0)) == 1 + 4 + 1 + 9 + 1  # of siblings: html; head and body; ul; li; b
    assert shape.steps(Searches(2, 1)) == (1 + 8 + 1 + 27 + 1) * 4
    assert shape.steps(Searches(0, 2)) == (0 + 1 + 1 + 4 + 3 * 9 + 16) // 2
