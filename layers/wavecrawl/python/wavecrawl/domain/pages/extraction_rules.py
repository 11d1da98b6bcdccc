r"""Rules that extract values of a site's own from its pages, each one line of text.

| rule | takes |
|---|---|
| `price = .price` | the text of each element that a CSS selector matches |
| `image = .hero img::attr(src)` | an attribute of these elements, as it is written |
| `sku = /SKU-(\d+)/` | each match of a regular expression in the HTML: its first group, or all of it |
| `cart = has("add to cart")` | `true` or `false`: whether the HTML has this text, ignoring case |
| `ads = count(/adsbygoogle/)` | the number of matches; `has` and `count` take all sources above, and texts |
| `price [/products/*] = .price` | the same, from pages whose path or URL matches a pattern only |
"""

import re
from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

MOST_RULES: Final = 50
_LONGEST = 1_000  # characters of a rule
_FORM = re.compile(r"(?P<name>[a-z][a-z0-9_]{0,39})\s*(?:\[(?P<pages>[^\]]+)\]\s*)?=\s*(?P<source>\S.*)", re.DOTALL)
_ENDING = re.compile(r"(?P<selector>.*?)\s*::(?:text|attr\((?P<attribute>[A-Za-z_][\w:.-]*)\))", re.DOTALL)
_SEARCH = re.compile(r"(?P<result>has|count)\(\s*(?P<source>.*\S)\s*\)", re.DOTALL)
_TEXT = re.compile(r'"(?P<text>.+)"', re.DOTALL)
_SLASHES = 2  # around a regular expression


class ExtractSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Values that are extracted from each HTML page by rules of your own."""

    rules: Annotated[
        tuple[str, ...],
        "Rules: `price = .price` extracts the text of the elements that a CSS selector matches, "
        "`image = img::attr(src)` an attribute, `sku = /SKU-([0-9]+)/` what a regular expression (RE2) matches in the "
        "HTML: its first group, or the whole match. `price [/products/*] = .price` is for pages whose path or URL "
        "matches the pattern only. `cart = has(/add to cart/)` is true or false, and `ads = count(.ad)` a number. At "
        "most 50 rules.",
    ] = ()
    max_values: Annotated[int, "Maximum number of values that a rule extracts from one page."] = 20
    max_characters: Annotated[
        int, "Maximum number of characters of a value. Longer ones are cut, and end with `…`."
    ] = 1_000


class Result(StrEnum):
    """What a rule returns."""

    VALUES = "values"
    HAS = "has"  # true or false: whether there are any
    COUNT = "count"  # their number


class ExtractionRule(msgspec.Struct, frozen=True, kw_only=True):
    """A rule in its parts. It has either a selector or an expression."""

    name: str
    pages: str = ""  # pattern of paths or URLs; "" = all pages
    selector: str = ""
    attribute: str = ""  # "" = the text of the elements
    expression: str = ""
    is_text: bool = False  # whether the expression is a text, ignoring case
    result: Result = Result.VALUES


def rule_of(text: str) -> ExtractionRule | None:
    """Return the parts of a rule; None if it has another form."""
    form = _FORM.fullmatch(text.strip())
    if form is None or len(text) > _LONGEST:
        return None
    name, pages, source = form["name"], (form["pages"] or "").strip(), form["source"]
    search = _SEARCH.fullmatch(source)
    if search is None:
        return _with_source(ExtractionRule(name=name, pages=pages), source)
    rule = ExtractionRule(name=name, pages=pages, result=Result(search["result"]))
    quoted = _TEXT.fullmatch(search["source"])
    if quoted is not None:
        return replace(rule, expression=f"(?i){re.escape(quoted['text'])}", is_text=True)
    return _with_source(rule, search["source"])


def _with_source(rule: ExtractionRule, source: str) -> ExtractionRule | None:
    if source.startswith("/") and source.endswith("/") and len(source) > _SLASHES:
        return replace(rule, expression=source[1:-1])
    ending = _ENDING.fullmatch(source)
    if ending is None:
        return replace(rule, selector=source)
    if not ending["selector"]:
        return None
    return replace(rule, selector=ending["selector"], attribute=(ending["attribute"] or "").lower())


def rules_of(texts: Iterable[str]) -> list[ExtractionRule]:
    """Return the rules that have the right form."""
    return [rule for rule in map(rule_of, texts) if rule is not None]


def form_problems(texts: tuple[str, ...]) -> Iterator[str]:
    """Yield what is wrong with the form of rules. Selectors and expressions are not checked."""
    if len(texts) > MOST_RULES:
        yield f"extract.rules may have at most {MOST_RULES} rules; it has {len(texts)}"
    names = set()
    for text in texts:
        rule = rule_of(text)
        if rule is None:
            yield (
                "extract.rules must be 'name = selector', 'name = selector::attr(attribute)', 'name = /expression/' or "
                "'name = has(...)' with one of them or a \"text\", "
                f"with a name of lower-case letters, digits and '_', at most {_LONGEST:,} characters: {text[:200]!r}"
            )
        elif rule.name in names:
            yield f"extract.rules has two rules of the name {rule.name!r}"
        else:
            names.add(rule.name)


def values_by_rule(extracted: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the values of a page by the name of their rule."""
    found: dict[str, list[str]] = {}
    for name, value in extracted:
        found.setdefault(name, []).append(value)
    return found
