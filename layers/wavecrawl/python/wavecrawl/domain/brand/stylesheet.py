"""Stylesheets: the rules that say something about colours and fonts."""

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct
from tinycss2 import parse_blocks_contents, parse_stylesheet, serialize
from tinycss2.ast import AtRule, Declaration, Node, QualifiedRule

BACKGROUND: Final = ("background", "background-color", "background-image")
FONT: Final = ("font", "font-family")

_PROPERTIES: Final = {*BACKGROUND, *FONT, "color"}
_GROUPS: Final = {"media", "layer", "supports", "container", "scope"}
_OTHER_MEDIA: Final = re.compile(r"print|speech|prefers-|max-width|max-height|forced-colors", re.IGNORECASE)
_DEEPEST: Final = 8  # nested groups
_DIGITS: Final = re.compile(r"\d{100,}")  # Python refuses numbers of several thousand digits
_IMPORT: Final = re.compile(r"""["'(]\s*([^"'()\s]+)""")


class Style(Struct, frozen=True):
    """One declaration."""

    name: str  # lower case, unless it begins with --
    value: str
    important: bool = False


class Rule(Struct, frozen=True):
    """A rule of a stylesheet."""

    selector: str  # may be a list
    styles: tuple[Style, ...]


class StyleSheet(Struct, frozen=True, kw_only=True):
    """What is read of a stylesheet."""

    rules: tuple[Rule, ...] = ()
    families: tuple[str, ...] = ()  # of @font-face, as written
    imports: tuple[str, ...] = ()  # URLs, as written


def read_stylesheet(css: str) -> StyleSheet:
    """Return the rules of a stylesheet that apply to a screen of any size with the page's default colour scheme."""
    rules: list[Rule] = []
    families: list[str] = []
    imports: list[str] = []
    css = _DIGITS.sub("0", css)
    for node in _nodes(parse_stylesheet(css, skip_comments=True, skip_whitespace=True), _DEEPEST):
        if isinstance(node, QualifiedRule):
            styles = _styles(parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True))
            if styles:
                rules.append(Rule(_text(node.prelude), styles))
        elif node.lower_at_keyword == "theme":  # the variables of Tailwind 4
            rules.append(Rule(":root", read_styles(_text(node.content or ()))))
        elif node.lower_at_keyword == "font-face":
            families += (style.value for style in read_styles(_text(node.content or ())) if style.name == "font-family")
        elif node.lower_at_keyword == "import" and (url := _IMPORT.search(_text(node.prelude))):
            imports.append(url[1])
    return StyleSheet(rules=tuple(rules), families=tuple(families), imports=tuple(imports))


def read_styles(css: str) -> tuple[Style, ...]:
    """Return the declarations of a style attribute."""
    return _styles(parse_blocks_contents(_DIGITS.sub("0", css), skip_comments=True, skip_whitespace=True))


def _nodes(nodes: Sequence[Node], depth: int) -> Iterator[QualifiedRule | AtRule]:
    """Yield the rules in groups too, such as those of a layer."""
    for node in nodes:
        if isinstance(node, QualifiedRule):
            yield node
        elif isinstance(node, AtRule):
            if node.lower_at_keyword not in _GROUPS or node.content is None:
                yield node
            elif depth and not _OTHER_MEDIA.search(_text(node.prelude)):
                inner = parse_blocks_contents(node.content, skip_comments=True, skip_whitespace=True)
                yield from _nodes(inner, depth - 1)


def _styles(nodes: Sequence[Node]) -> tuple[Style, ...]:
    return tuple(
        Style(node.lower_name if node.lower_name in _PROPERTIES else node.name, _text(node.value), node.important)
        for node in nodes
        if isinstance(node, Declaration) and (node.lower_name in _PROPERTIES or node.name.startswith("--"))
    )


def _text(nodes: Sequence[Node]) -> str:
    """Return the text of nodes; "" if they are nested too deeply to be anything but an attack."""
    try:
        return str(serialize(nodes)).strip()
    except RecursionError:
        return ""
