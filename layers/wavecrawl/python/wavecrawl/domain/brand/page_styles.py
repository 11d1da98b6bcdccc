"""The styles that the stylesheets of a page give to its elements."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from bs4 import BeautifulSoup, Tag
from msgspec import Struct

from wavecrawl.domain.brand.colour import Colour, colour_of, first_colour
from wavecrawl.domain.brand.selector import Selector, selectors_of
from wavecrawl.domain.brand.stylesheet import BACKGROUND, FONT, Style, StyleSheet, read_styles
from wavecrawl.domain.brand.tailwind import named_colour

_MOST_RULES: Final = 50_000  # of a page, for one selector each; large frameworks have 5,000
_MOST_MATCHES: Final = 200_000  # of a selector with an element
_MOST_STEPS: Final = 50  # variables that a value may refer to, directly or not
_LONGEST: Final = 2_000  # characters of a value
_VARIABLE: Final = re.compile(r"var\(\s*(--[^\s,()]+)\s*(?:,([^()]*(?:\([^()]*\)[^()]*)*))?\)")
_OF_LINKS: Final = ("a", "a:link", "a:any-link")
_INLINE: Final = (1_000, 0, 0)  # higher than the specificity of a selector


class _Rule(Struct, frozen=True):
    selector: Selector
    position: int
    styles: tuple[Style, ...]


class PageStyles:
    """The styles of one page. Elements must be of the same document."""

    def __init__(self, page: BeautifulSoup, sheets: Iterable[StyleSheet]) -> None:
        classes = {name for element in page.find_all(class_=True) for name in names_of(element)}
        self._rules: dict[str, list[_Rule]] = defaultdict(list)  # by a class, else the type of the element; "" = others
        self._of_links: list[Style] = []
        for position, (selector, styles) in enumerate(_plain_rules(sheets)):
            if classes >= selector.classes:
                own = selector.compounds[0]
                key = f".{own.classes[0]}" if own.classes else own.type
                self._rules[key].append(_Rule(selector, position, styles))
        for sheet in sheets:
            self._of_links += (style for rule in sheet.rules if rule.selector in _OF_LINKS for style in rule.styles)
        self._left = _MOST_MATCHES
        self._found: dict[int, tuple[Style, ...]] = {}
        top = [element for element in (page.html, page.body) if element is not None]
        self._global = {style.name: style.value for element in top for style in self._variables(element)}

    @property
    def variables(self) -> Iterable[str]:
        """The names of the custom properties of the page."""
        return self._global

    def variable(self, name: str) -> str:
        """Return the value of a custom property of the page."""
        return _resolved(self._global[name], self._global)

    def background(self, element: Tag) -> Colour | None:
        """Return the background colour of an element; None if it has none, or a mostly transparent one."""
        value = self._value(element, BACKGROUND)
        return first_colour(value) if value else self._of_class(element, ("bg", "from"))

    def colour(self, element: Tag) -> Colour | None:
        """Return the text colour that is set for an element."""
        value = self._value(element, ("color",))
        return first_colour(value) if value else self._of_class(element, ("text",))

    def font(self, element: Tag) -> str:
        """Return the font or the list of font families that is set for an element, "" if there is none."""
        return self._value(element, FONT)

    def link_colour(self) -> Colour | None:
        """Return the colour of links."""
        values = [style.value for style in self._of_links if style.name == "color"]
        return first_colour(_resolved(values[-1], self._global)) if values else None

    def _value(self, element: Tag, names: tuple[str, ...]) -> str:
        variables = {**self._global, **{style.name: style.value for style in self._variables(element)}}
        found = ""
        for style in self._styles(element):
            if style.name in names:
                value = _resolved(style.value, variables)
                is_picture = style.name == "background-image" and not first_colour(value)
                found = found if is_picture or value in ("", "inherit") else value
        return found

    def _variables(self, element: Tag) -> Iterator[Style]:
        return (style for style in self._styles(element) if style.name.startswith("--"))

    def _styles(self, element: Tag) -> tuple[Style, ...]:
        """Return the declarations for an element; the last one of a property applies."""
        key = id(element)
        if key not in self._found:
            found = [
                (style.important, rule.selector.specificity, rule.position, style)
                for rule in self._matching(element)
                for style in rule.styles
            ]
            inline = read_styles(str(element.get("style", "")))
            found += ((style.important, _INLINE, 0, style) for style in inline)
            found.sort(key=lambda one: one[:3])
            self._found[key] = tuple(style for *_, style in found)
        return self._found[key]

    def _matching(self, element: Tag) -> Iterator[_Rule]:
        for key in ("", element.name, *(f".{name}" for name in names_of(element))):
            for rule in self._rules.get(key, ()):
                self._left -= 1
                if self._left < 0:
                    return
                if rule.selector.matches(element):
                    yield rule

    def _of_class(self, element: Tag, prefixes: tuple[str, ...]) -> Colour | None:
        """Return the colour of a utility class: `bg-indigo-600`, or `bg-primary` for the variable `--primary`."""
        for name in names_of(element):
            prefix, _, rest = name.partition("-")
            if prefix in prefixes and rest:
                plain = rest.partition("/")[0]
                value = self._global.get(f"--color-{plain}") or self._global.get(f"--{plain}", "")
                colour = named_colour(rest) or colour_of(_resolved(value, self._global))
                if colour is not None:
                    return colour
        return None


def names_of(element: Tag) -> list[str]:
    """Return the classes of an element."""
    return [str(name) for name in element.get_attribute_list("class") if name]


def _plain_rules(sheets: Iterable[StyleSheet]) -> Iterator[tuple[Selector, tuple[Style, ...]]]:
    left = _MOST_RULES
    for rule in (rule for sheet in sheets for rule in sheet.rules):
        for selector in selectors_of(rule.selector):
            if left == 0:
                return
            left -= 1
            yield selector, rule.styles


def _resolved(value: str, variables: Mapping[str, str]) -> str:
    """Return a value with the values of the variables in it; "" if one has none."""
    for _ in range(_MOST_STEPS):
        if len(value) > _LONGEST:
            break
        found = _VARIABLE.search(value)
        if found is None:
            return value.strip()
        inner: str | None = variables.get(found[1], found[2])
        if inner is None:
            break
        value = f"{value[: found.start()]} {inner} {value[found.end() :]}"
    return ""
