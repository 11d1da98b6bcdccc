"""Rules that extract values of a site's own."""

import pytest
from selectolax.lexbor import LexborHTMLParser

from wavecrawl.domain.pages.extraction import extract
from wavecrawl.domain.pages.extraction.rules import Extractor, rule_problems
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
        ('ad = has("a b")', ExtractionRule(name="ad", expression="(?i)a\\ b", result=Result.HAS)),
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
    assert Extractor(ExtractSettings()).values(LexborHTMLParser(HTML), HTML, URL) == ()


def test_bytes_are_read_as_utf_8() -> None:
    extractor = Extractor(ExtractSettings(rules=("name = /n=(\\w+)/",)))
    assert extractor.values(LexborHTMLParser(b"<p>"), "<p>n=caf\u00e9".encode(), URL) == (("name", "caf"),)
    extractor = Extractor(ExtractSettings(rules=("name = /n=([^<]+)/",)))
    assert extractor.values(LexborHTMLParser(b"<p>"), "<p>n=caf\u00e9".encode(), URL) == (("name", "caf\u00e9"),)


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
