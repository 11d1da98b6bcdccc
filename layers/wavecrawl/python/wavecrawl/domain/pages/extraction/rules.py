"""Values that rules extract from a page."""

from collections.abc import Iterator, Sequence
from hashlib import blake2b
from typing import Any
from urllib.parse import urlsplit

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from wavecrawl.domain.pages.extraction.texts import folded
from wavecrawl.domain.pages.extraction_rules import ExtractionRule, ExtractSettings, Result, rules_of
from wavecrawl.domain.urls.patterns import Patterns

_MEMORY = 8 * 1024 * 1024  # bytes of a compiled expression and its matching


class Extractor:
    """The rules of a crawl. Regular expressions are matched in linear time (RE2), as pages may be hostile."""

    def __init__(self, settings: ExtractSettings) -> None:
        """Compile the rules, which must have no problems."""
        self._settings = settings
        self._rules = [
            (rule, Patterns([rule.pages or "*"]), _compiled(rule.expression) if rule.expression else None)
            for rule in rules_of(settings.rules)
        ]
        self.hash = blake2b(repr(settings).encode(), digest_size=8).hexdigest() if self._rules else ""
        """Hash of the rules, 16 hex digits; "" without rules. It differs if they could extract other values."""

    def values(self, tree: LexborHTMLParser, html: str | bytes, url: str) -> tuple[tuple[str, str], ...]:
        """Return the values with the names of their rules, in the order of the rules, then of the page."""
        if not self._rules:
            return ()
        parts = urlsplit(url)
        texts = (url, parts.path, f"{parts.path}?{parts.query}")
        content = html if isinstance(html, str) else html.decode("utf-8", "replace")
        found: list[tuple[str, str]] = []
        for rule, pages, expression in self._rules:
            if pages.match_any(texts):
                found.extend((rule.name, value) for value in self._values(rule, expression, tree, content))
        return tuple(found)

    def _values(self, rule: ExtractionRule, expression: Any, tree: LexborHTMLParser, html: str) -> list[str]:
        most = self._settings.max_characters
        sources = _matches(expression, html) if expression else _elements(rule, tree)
        if rule.result is not Result.VALUES:
            found = sum(1 for _ in expression.finditer(html)) if expression else sum(s is not None for s in sources)
            return [str(found) if rule.result is Result.COUNT else str(found > 0).lower()]
        values: list[str] = []
        for source in sources:
            value = folded(source, most)
            if value:
                values.append(value)
            if len(values) == self._settings.max_values:
                break
        return values


def rule_problems(rules: Sequence[ExtractionRule]) -> Iterator[str]:
    """Yield what is wrong with the selectors and expressions of rules."""
    import re2  # noqa: PLC0415 - few crawls have rules with expressions

    for rule in rules:
        try:
            if rule.expression:
                _compiled(rule.expression)
            else:
                LexborHTMLParser("<p>").css(rule.selector)
        except re2.error as error:
            why = error.args[0].decode("utf-8", "replace") if isinstance(error.args[0], bytes) else str(error)
            yield f"extract.rules: {rule.name} has an expression that RE2 cannot compile: {why}"
        except SelectolaxError:
            yield f"extract.rules: {rule.name} has no valid CSS selector: {rule.selector!r}"


def _compiled(expression: str) -> Any:
    import re2  # noqa: PLC0415 - as above

    options = re2.Options()
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile(expression, options)


def _matches(expression: Any, html: str) -> Iterator[str | None]:
    for match in expression.finditer(html):
        yield match.group(1) if expression.groups else match.group()


def _elements(rule: ExtractionRule, tree: LexborHTMLParser) -> Iterator[str | None]:
    for node in tree.css(rule.selector):
        yield node.attributes.get(rule.attribute) if rule.attribute else node.text(separator=" ")
