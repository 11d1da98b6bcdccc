"""Rules that extract values of a site's own."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.rules import Extractor, Found, rule_problems
from wavecrawl.domain.pages.extraction_rules import (
    ExtractionRule,
    ExtractSettings,
    Result,
    form_problems,
    rule_of,
    rules_of,
    values_by_rule,
)

URL = "https://shop.example/products/lamp?colour=red"
HTML = """<html><head><title>Lamp</title></head><body><main>
<p class="price">12.50 <b>EUR</b></p><p class="price old"> 15
 EUR</p><img class="hero" src="lamp.jpg"><img class="hero"><i class="price"></i>
<script>track("SKU-17"); track("SKU-18")</script></main></body></html>"""


def extracted(*rules: str, html: str = HTML, url: str = URL, **limits: int) -> dict[str, list[str]]:
    extractor = Extractor(ExtractSettings(rules=rules, **limits))
    return values_by_rule(extract(html, url=url, extractor=extractor).facts.extracted)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("price = .price", ExtractionRule(name="price", selector=".price")),
        (" price=.price ::text ", ExtractionRule(name="price", selector=".price")),
        ("image = .hero img::attr(SRC)", ExtractionRule(name="image", selector=".hero img", attribute="src")),
        ("sku = /SKU-([0-9]+)/", ExtractionRule(name="sku", expression="SKU-([0-9]+)")),
        ("p2 [/products/*] = p", ExtractionRule(name="p2", pages="/products/*", selector="p")),
        ("link = a[href='/x=1']", ExtractionRule(name="link", selector="a[href='/x=1']")),
        ("cart = has( .cart )", ExtractionRule(name="cart", selector=".cart", result=Result.HAS)),
        ("ids = count(/id=(a)?/)", ExtractionRule(name="ids", expression="id=(a)?", result=Result.COUNT)),
        ('ad = has("a b")', ExtractionRule(name="ad", expression="(?i)a\\ b", is_text=True, result=Result.HAS)),
        ("none = has(::attr(src))", None),
        ("Price = .price", None),
        ("price .price", None),
        ("price =", None),
        ("price = ::attr(src)", None),
        ("= .price", None),
        ("long = " + "p" * 1_000, None),
    ],
)
def test_a_rule_is_read_in_its_parts(text: str, rule: ExtractionRule | None) -> None:
    assert rule_of(text) == rule
    assert rules_of([text]) == ([] if rule is None else [rule])


def test_a_search_returns_whether_and_how_often_a_page_contains_something() -> None:
    rules = (
        'sold = has("TRACK(")', 'gone = has("sold out")', 'lamps = count("lamp")', "prices = count(.price)",
        "sources = count(img::attr(src))", "skus = count(/SKU-(9)?/)", "old [/products/*] = has(.old)",
        "cart [/cart/*] = has(.old)",
    )  # fmt: skip
    assert extracted(*rules, max_values=1) == {
        "sold": ["true"], "gone": ["false"], "lamps": ["2"], "prices": ["3"], "sources": ["1"], "skus": ["2"],
        "old": ["true"],
    }  # fmt: skip


def test_texts_attributes_and_expressions_are_extracted_in_order() -> None:
    rules = ("price = .price", "image = .hero::attr(src)", "sku = /SKU-([0-9]+)/", "tracked = /track\\(/", "none = h6")
    assert extracted(*rules) == {
        "price": ["12.50 EUR", "15 EUR"],
        "image": ["lamp.jpg"],
        "sku": ["17", "18"],
        "tracked": ["track(", "track("],
    }


@pytest.mark.parametrize(
    ("pages", "applies"),
    [
        ("/products/*", True),
        ("/products/lamp", True),
        ("*colour=red", True),
        ("https://shop.example/*", True),
        ("/", False),
    ],
)
def test_a_rule_applies_to_pages_that_match_its_pattern(pages: str, applies: bool) -> None:  # noqa: FBT001 - a case
    assert extracted(f"price [{pages}] = .old") == ({"price": ["15 EUR"]} if applies else {})


def test_values_are_limited_in_number_and_length() -> None:
    html = "<p>" + "</p><p>".join(["abcdef"] * 5)
    assert extracted("p = p", html=html, max_values=2, max_characters=3) == {"p": ["ab…", "ab…"]}


def test_an_expression_that_could_backtrack_is_matched_in_linear_time() -> None:
    assert extracted("trap = /(a+)+$/", html="<p>" + "a" * 100_000 + "!") == {}


def test_the_hash_differs_if_the_values_could() -> None:
    one, two = (Extractor(ExtractSettings(rules=(rule,))).hash for rule in ("p = p", "p = b"))
    cut = Extractor(ExtractSettings(rules=("p = p",), max_values=1)).hash
    assert len({one, two, cut, Extractor(ExtractSettings()).hash}) == 4
    assert Extractor(ExtractSettings()).hash == ""
    assert Extractor(ExtractSettings()).found_in(LexborHTMLParser(HTML), HTML, URL) == Found()


def test_bytes_are_read_as_utf_8() -> None:
    extractor = Extractor(ExtractSettings(rules=("name = /n=(\\w+)/",)))
    assert extractor.found_in(LexborHTMLParser(b"<p>"), "<p>n=caf\u00e9".encode(), URL).values == (("name", "caf"),)
    extractor = Extractor(ExtractSettings(rules=("name = /n=([^<]+)/",)))
    found = extractor.found_in(LexborHTMLParser(b"<p>"), "<p>n=caf\u00e9".encode(), URL)
    assert found.values == (("name", "caf\u00e9"),)


def test_what_is_wrong_with_rules_is_named() -> None:
    assert list(form_problems(("a = p", "b = p"))) == []
    assert "must be 'name = selector'" in next(form_problems(("nothing",)))
    assert list(form_problems(("a = p", "a = b"))) == ["extract.rules has two rules of the name 'a'"]
    assert list(form_problems(tuple(f"r{n} = p" for n in range(51)))) == [
        "extract.rules may have at most 50 rules; it has 51"
    ]
    problems = list(rule_problems(rules_of(("a = p >", "b = /(/", "c = p", "d = /x/"))))
    assert problems == [
        "extract.rules: a has no valid CSS selector: 'p >'",
        "extract.rules: b has an expression that RE2 cannot compile: missing ): (",
    ]


def problems(*rules: str, html: str, **limits: int) -> tuple[str, ...]:
    extractor = Extractor(ExtractSettings(rules=rules, **limits))
    return extract(html, url=URL, extractor=extractor).facts.rule_problems


def test_a_selector_that_would_visit_too_many_elements_has_a_problem_instead_of_values() -> None:
    wide = "<ul>" + "<li>x</li>" * 20_000 + "</ul><b>y</b>"
    rules = (
        "odd = li:nth-last-child(2n+1)",
        "number = count(li:nth-child(2))",
        "bold = b",
        "any = has(li:nth-child(2))",
    )
    why = "the selectors of this and earlier rules would visit more than 100,000,000 elements of this page"
    assert problems(*rules, html=wide) == (f"odd: {why}", f"number: {why}", f"any: {why}")
    assert extracted(*rules, html=wide) == {"bold": ["y"]}
    assert problems(*rules, html="<ul><li>x</ul>") == ()


def test_the_steps_of_all_rules_of_a_page_count_together() -> None:
    html = "<ul>" + "<li>x</li>" * 6_000 + "</ul>"
    rules = tuple(f"r{number} = count(li:nth-child(2n+{number}))" for number in range(4))
    assert [problem[:3] for problem in problems(*rules, html=html)] == ["r2:", "r3:"]
    assert extracted(*rules, html=html) == {"r0": ["3000"], "r1": ["3000"]}


def test_the_matches_of_a_rule_are_limited() -> None:
    html = "<p>" + "a" * 100_001
    assert extracted("n = count(/a/)", "any = has(/a/)", "a = /b?/", html=html) == {"n": ["100000"], "any": ["true"]}
    why = "only the first 100,000 matches were read"
    assert problems("n = count(/a/)", "any = has(/a/)", "a = /b?/", html=html) == (f"n: {why}", f"a: {why}")
    assert problems("n = count(/a/)", html=html[:-4]) == ()


def test_values_beyond_the_limit_are_named() -> None:
    def cut(html: str) -> tuple[str, ...]:
        return extract(
            html, url=URL, extractor=Extractor(ExtractSettings(rules=("p = p",), max_values=2))
        ).facts.cut_facts

    assert (cut("<p>a<p>b<p>"), cut("<p>a<p>b<p>c")) == ((), ("extracted",))


@pytest.mark.parametrize(
    ("rule", "bounded"),
    [
        ("a = .price", True),
        ("a = li:nth-child(2) ~ li", True),
        ('a = has("add to cart")', True),
        ("a = /SKU-[0-9]+/", False),
        ("a = count(/x/)", False),
        ("a = " + ", ".join(["p b"] * 4), True),
        ("a = " + ", ".join(["p b"] * 5), False),
    ],
)
def test_the_size_of_a_page_bounds_what_selectors_and_texts_cost(rule: str, bounded: bool) -> None:  # noqa: FBT001 - a case
    assert Extractor(ExtractSettings(rules=(rule,))).is_bounded is bounded


def test_a_selector_with_too_many_searches_inside_each_other_is_refused() -> None:
    found = list(rule_problems(rules_of(("a = a:has(p:has(b:has(i:has(u:has(s)))))", "b = a:has(p:has(b:has(i)))"))))
    assert len(found) == 1
    assert found[0].startswith("extract.rules: a has a selector with more than 4 searches inside each other (:has(),")
    assert found[0].endswith("'a:has(p:has(b:has(i:has(u:has(s)))))'")


@pytest.mark.parametrize(
    ("selector", "accepted"),
    [
        ("[data-x/*='a'], p ~ b:has(> a[href])", False),
        ("p [x/*] ~ b ~ i", False),
        ("p:not(a/*) ~ b ~ i", False),
        ("[data-x/*='a'], b", True),
        ("p [x/* ] */]", True),
        (":is(p/* ) */) > b", False),
        ("[href*='/*'] ~ b ~ i", True),
    ],
)
def test_a_comment_in_a_selector_is_left_to_the_parser(selector: str, accepted: bool) -> None:  # noqa: FBT001 - a case
    """CSS Syntax 3, 4.3.2: an open comment reaches the end. If such a selector may be expensive, it is refused."""
    html = "<p x data-x=a href='/*'>a<b>b<i>c</i></b></p><b><a href=/>d</a></b><i>e</i><u>f</u>"
    assert (not list(rule_problems(rules_of((f"r = {selector}",))))) is accepted
    if accepted:
        expected = [node.text(separator=" ") for node in LexborHTMLParser(html).css(selector)]
        assert extracted(f"r = {selector}", html=html).get("r", []) == expected


def test_the_characters_that_all_rules_of_a_page_read_are_limited() -> None:
    html = "<section>" * 3 + "a" * 10_000_000
    rules = ("one = section", "two = section")
    why = "the elements that the rules of this page match have more than 50,000,000 characters together"
    assert problems(*rules, html=html) == (f"two: {why}",)
    assert extracted(*rules, html=html, max_characters=3) == {"one": ["aa…"] * 3, "two": ["aa…"] * 2}
