"""Values that rules extract from a page."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from itertools import islice
from typing import Any, Final

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from wavecrawl.domain.pages.extraction.selectors import MOST_NESTED, Selector, Shape, shape_of
from wavecrawl.domain.pages.extraction.texts import folded
from wavecrawl.domain.pages.extraction_rules import ExtractionRule, ExtractSettings, Result, rules_of
from wavecrawl.domain.urls.patterns import Patterns, texts_of

MOST_STEPS: Final = 100_000_000
"""Elements that the selectors of a page's rules may visit together: about a second."""

MOST_MATCHES: Final = 100_000
"""Matches of a rule in one page that are read."""

MOST_CHARACTERS: Final = 50_000_000
"""Characters of the elements that the rules of a page may read together, those inside each other each time."""

_FEW_PARTS = 8  # of selectors, which together take about a second on a page of 1 MiB
_MEMORY = 8 * 1024 * 1024  # bytes of a compiled expression and its matching
_TOO_MANY_STEPS = f"the selectors of this and earlier rules would visit more than {MOST_STEPS:,} elements of this page"
_TOO_LONG = f"the elements that the rules of this page match have more than {MOST_CHARACTERS:,} characters together"
_TOO_MANY_MATCHES = f"only the first {MOST_MATCHES:,} matches were read"


class Found(Struct, frozen=True, kw_only=True, gc=False):
    """What rules found in a page."""

    values: tuple[tuple[str, str], ...] = ()  # (name of a rule, value), in the order of the rules, then of the page
    problems: tuple[str, ...] = ()  # why rules have no value, or not all: `name: reason`
    cut: bool = False  # whether a rule has more values on the page


class Extractor:
    """The rules of a crawl. Regular expressions are matched in linear time (RE2), as pages may be hostile."""

    def __init__(self, settings: ExtractSettings) -> None:
        """Compile the rules, which must have no problems."""
        self._settings = settings
        self._rules = [(rule, Patterns([rule.pages or "*"]), _search_of(rule)) for rule in rules_of(settings.rules)]
        self.hash = blake2b(repr(settings).encode(), digest_size=8).hexdigest() if self._rules else ""
        """Hash of the rules, 16 hex digits; "" without rules. It differs if they could extract other values."""
        parts = sum(search.parts if isinstance(search, Selector) else 1 for _, _, search in self._rules)
        is_linear = all(rule.is_text or not rule.expression for rule, _, _ in self._rules)
        self.is_bounded = is_linear and parts <= _FEW_PARTS
        """Whether the size of a page bounds what its rules cost. One match of an expression takes linear time, all of
        them do not."""

    def found_in(self, tree: LexborHTMLParser, html: str | bytes, url: str) -> Found:
        """Return what the rules find in a page."""
        if not self._rules:
            return _NOTHING
        page = _Page(tree, html, self._settings)
        texts = texts_of(url)
        for rule, pages, search in self._rules:
            if pages.match_any(texts):
                page.apply(rule, search)
        return Found(values=tuple(page.values), problems=tuple(page.problems), cut=page.cut)


_NOTHING: Final = Found()


class _Page:
    """One page, and what its rules have found so far."""

    def __init__(self, tree: LexborHTMLParser, html: str | bytes, settings: ExtractSettings) -> None:
        self.values: list[tuple[str, str]] = []
        self.problems: list[str] = []
        self.cut = False
        self._tree = tree
        self._html = html
        self._settings = settings
        self._steps = 0
        self._characters = 0
        self._text: str | None = None
        self._shape: Shape | None = None

    def apply(self, rule: ExtractionRule, search: Any) -> None:
        """Add what a rule finds."""
        matches = self._elements(rule, search) if isinstance(search, Selector) else self._matches(rule, search)
        if matches is None:
            self.problems.append(f"{rule.name}: {_TOO_MANY_STEPS}")
        elif rule.result is Result.HAS:
            self.values.append((rule.name, str(any(one is not None for one in matches)).lower()))
        elif rule.result is Result.COUNT:
            self.values.append((rule.name, str(sum(one is not None for one in self._first(rule, matches)))))
        else:
            self._add_values(rule, matches)

    def _add_values(self, rule: ExtractionRule, matches: Iterator[str | None]) -> None:
        most, added = self._settings.max_values, 0
        for source in self._first(rule, matches):
            self._characters += len(source or "")
            if self._characters > MOST_CHARACTERS:
                self.problems.append(f"{rule.name}: {_TOO_LONG}")
                break
            value = folded(source, self._settings.max_characters)
            if value and added == most:
                self.cut = True
                break
            if value:
                self.values.append((rule.name, value))
                added += 1

    def _first(self, rule: ExtractionRule, matches: Iterator[str | None]) -> Iterator[str | None]:
        """Yield the matches that are read."""
        yield from islice(matches, MOST_MATCHES)
        if next(matches, _END) is not _END:
            self.problems.append(f"{rule.name}: {_TOO_MANY_MATCHES}")

    def _matches(self, rule: ExtractionRule, expression: Any) -> Iterator[str | None]:
        if self._text is None:
            self._text = self._html if isinstance(self._html, str) else self._html.decode("utf-8", "replace")
        found = expression.finditer(self._text)
        if rule.result is not Result.VALUES:
            return ("" for _ in found)
        return (match.group(1) if expression.groups else match.group() for match in found)

    def _elements(self, rule: ExtractionRule, selector: Selector) -> Iterator[str | None] | None:
        """Return the text or attribute of each element; None if too many would be visited."""
        if selector.searches.depth:
            if self._shape is None:
                self._shape = shape_of(self._tree)
            steps = self._steps + self._shape.steps(selector.searches)
            if steps > MOST_STEPS:
                return None
            self._steps = steps
        nodes = selector.elements(self._tree)
        if rule.attribute:
            return (node.attributes.get(rule.attribute) for node in nodes)
        if rule.result is not Result.VALUES:
            return ("" for _ in nodes)
        return (node.text(separator=" ") for node in nodes)


_END: Final = object()


def rule_problems(rules: Sequence[ExtractionRule]) -> Iterator[str]:
    """Yield what is wrong with the selectors and expressions of rules."""
    import re2  # noqa: PLC0415 - few crawls have rules with expressions

    for rule in rules:
        try:
            if rule.expression:
                _compiled(rule.expression)
                continue
            page, selector = LexborHTMLParser("<p>"), Selector(rule.selector)
            for searched in (rule.selector, *selector.compounds):
                page.css(searched)
            if selector.searches.depth > MOST_NESTED:
                yield (
                    f"extract.rules: {rule.name} has a selector with more than {MOST_NESTED} searches inside each "
                    f"other (:has(), :nth-child(), combinators inside :has(), :not() or :is()): {rule.selector!r}"
                )
        except re2.error as error:
            why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
            yield f"extract.rules: {rule.name} has an expression that RE2 cannot compile: {why}"
        except SelectolaxError:
            yield f"extract.rules: {rule.name} has no valid CSS selector: {rule.selector!r}"


def _search_of(rule: ExtractionRule) -> Any:
    """Return what finds the matches of a rule."""
    return _compiled(rule.expression) if rule.expression else Selector(rule.selector)


def _compiled(expression: str) -> Any:
    import re2  # noqa: PLC0415 - as above

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile(expression, options)
