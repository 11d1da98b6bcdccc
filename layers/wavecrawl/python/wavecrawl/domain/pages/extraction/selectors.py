"""CSS selectors whose cost is known before they are evaluated.

The parser's own search tries all combinations of the elements that the combinators " " and "~" allow: of `a b c d` on
nested elements as many as there are ways to choose ancestors, which is exponential. So a selector with several of them
is evaluated here from left to right, one compound selector at a time, each as a set of elements: in linear time. The
parser searches for the compound selectors, such as `li.new:nth-child(2)`. What these cost is estimated from their
pseudo-classes and the shape of the page.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from math import factorial
from typing import Final

from msgspec import Struct
from selectolax.lexbor import LexborHTMLParser, LexborNode

MOST_NESTED: Final = 4
"""Searches inside each other that a selector may need: `:has()`, combinators inside pseudo-classes, `:nth-child()`."""

_DESCENDANT, _SIBLING = " ", "~"
_COMBINATORS = ">+~"
_SPACE = " \t\n\r\f"
_PSEUDO = re.compile(r":([a-z-]+)(\()?", re.IGNORECASE)
_CLOSING = {"(": ")", "[": "]"}
_COUNTING = ("nth-", "first-of-type", "last-of-type", "only-of-type")  # the parser visits the siblings of each element


class _Alternative(Struct, frozen=True):
    """A complex selector: compound selectors, each but the first with the combinator before it."""

    first: str
    rest: tuple[tuple[str, str], ...]


class Searches(Struct, frozen=True):
    """How many searches inside each other an element needs: among siblings, and among descendants or ancestors."""

    siblings: int = 0
    lines: int = 0

    def __add__(self, other: "Searches") -> "Searches":
        return Searches(self.siblings + other.siblings, self.lines + other.lines)

    @property
    def depth(self) -> int:
        """The number of searches inside each other."""
        return self.siblings + self.lines


class Shape(Struct, frozen=True):
    """What decides the cost of a selector on a page."""

    widths: Counter[int]  # elements by their number of child elements
    depths: Counter[int]  # elements by their number of ancestors

    def steps(self, searches: Searches) -> int:
        """Return an upper bound of the elements that the searches for all elements visit."""
        ways = factorial(searches.lines)
        if not searches.siblings:
            return int(sum(count * depth**searches.lines for depth, count in self.depths.items())) // ways
        siblings = sum(count * width ** (searches.siblings + 1) for width, count in self.widths.items())
        return int(siblings * max(self.depths, default=0) ** searches.lines) // ways


class Selector:
    """A CSS selector."""

    __slots__ = ("_alternatives", "_text", "compounds", "parts", "searches")

    def __init__(self, text: str) -> None:
        self._text = text
        parts = _alternatives(text)
        self._alternatives = parts if parts and any(map(_backtracks, parts)) else ()
        compounds = [one for part in parts or () for one in (part.first, *(name for _, name in part.rest))]
        self.compounds = compounds if self._alternatives else []
        """What the parser searches for in place of the whole selector."""
        self.parts = len(compounds) or len(text)
        """The number of its compound selectors: how often all elements of a page are visited."""
        self.searches = max(map(_searches_in, compounds or [text]), key=lambda found: found.depth)
        """The searches of the part that needs most."""
        if not self._alternatives:
            self.searches += _searches_between(parts) if parts else _unknown(text)

    def elements(self, tree: LexborHTMLParser) -> list[LexborNode]:
        """Return the elements that match, in document order; one that several alternatives match has as many places."""
        if not self._alternatives:
            return tree.css(self._text)
        found = [_matches(tree, one) for one in self._alternatives]
        if len(found) == 1:
            return found[0]
        places: dict[int, int] = {}
        root = tree.root
        for place, node in enumerate(root.traverse() if root is not None else ()):
            places[node.mem_id] = place
        return sorted((node for nodes in found for node in nodes), key=lambda node: places[node.mem_id])


def shape_of(tree: LexborHTMLParser) -> Shape:
    """Return the shape of a page, in linear time."""
    root = tree.root
    depth_of: dict[int, int] = {}
    children: Counter[int] = Counter()
    for node in root.traverse() if root is not None else ():
        parent = node.parent
        above = parent.mem_id if parent is not None else 0
        depth_of[node.mem_id] = depth_of.get(above, -1) + 1
        children[above] += 1
    return Shape(Counter(children.values()), Counter(depth_of.values()))


def _matches(tree: LexborHTMLParser, selector: _Alternative) -> list[LexborNode]:
    nodes = tree.css(selector.first)
    for combinator, compound in selector.rest:
        before = {node.mem_id for node in nodes}
        if not before:
            return []
        is_related = _RELATIONS[combinator](before)
        nodes = [node for node in tree.css(compound) if is_related(node)]
    return nodes


_IsRelated = Callable[[LexborNode], bool]


def _parent_in(known: set[int]) -> _IsRelated:
    return lambda node: (parent := node.parent) is not None and parent.mem_id in known


def _neighbour_in(known: set[int]) -> _IsRelated:
    return lambda node: (before := _before(node)) is not None and before.mem_id in known


def _any_in(known: set[int], step: Callable[[LexborNode], LexborNode | None]) -> _IsRelated:
    """Return whether one of the elements that `step` leads to, one after the other, is known; results are cached."""
    results: dict[int, bool] = {}

    def is_related(node: LexborNode) -> bool:
        passed = []
        other = step(node)
        result = False
        while other is not None:
            address = other.mem_id
            if address in known:
                result = True
                break
            if address in results:
                result = results[address]
                break
            passed.append(address)
            other = step(other)
        for address in passed:
            results[address] = result
        return result

    return is_related


def _before(node: LexborNode) -> LexborNode | None:
    """Return the element before an element with the same parent."""
    other = node.prev
    while other is not None and not other.is_element_node:
        other = other.prev
    return other


_RELATIONS: Final[dict[str, Callable[[set[int]], _IsRelated]]] = {
    _DESCENDANT: lambda known: _any_in(known, lambda node: node.parent),
    ">": _parent_in,
    "+": _neighbour_in,
    _SIBLING: lambda known: _any_in(known, _before),
}


def _backtracks(selector: _Alternative) -> bool:
    combinators = [combinator for combinator, _ in selector.rest]
    return _SIBLING in combinators or combinators.count(_DESCENDANT) > 1


def _searches_between(parts: list[_Alternative]) -> Searches:
    """Return the searches for the combinators of a selector that the parser evaluates."""
    combinators = [combinator for part in parts for combinator, _ in part.rest]
    return Searches(combinators.count(_SIBLING), combinators.count(_DESCENDANT))


def _searches_in(compound: str) -> Searches:
    """Return the searches that the pseudo-classes of a compound selector need."""
    found, counting, nested_until = Searches(), Searches(), 0
    for pseudo in _PSEUDO.finditer(compound):
        name, is_nested = pseudo[1].lower(), pseudo.start() < nested_until
        inside = _inside(compound, pseudo.end()) if pseudo[2] else ""
        if name.startswith(_COUNTING):
            needed = Searches(1 + (" of " in inside), 0)
            if is_nested:
                found += needed
            else:  # one after the other, not inside each other
                counting = max(counting, needed, key=lambda one: one.siblings)
            continue
        if name == "has" or name.endswith("contains"):
            found += Searches(0, 1)
        if pseudo[2]:
            nested_until = max(nested_until, pseudo.end() + len(inside))
            relative = inside.strip()
            parts = _alternatives(relative.lstrip(_COMBINATORS))
            between = _searches_between(parts) if parts else _unknown(inside)
            found += between + Searches(int(relative.startswith(_SIBLING)), 0)
    return found + counting


def _unknown(text: str) -> Searches:
    """Return the most searches that a text may need that is no selector, or one of unknown form."""
    return Searches(text.count(_SIBLING), len(text.split()) - 1 if text.strip() else 0)


def _inside(text: str, begin: int) -> str:
    """Return the text from `begin` to the parenthesis that closes there."""
    end = _end_of_group(text, begin, ")")
    return text[begin : end - 1]


def _alternatives(text: str) -> list[_Alternative] | None:
    """Return the parts of a selector list; None if it has another form, which the parser may know."""
    parts: list[_Alternative] = []
    compounds: list[tuple[str, str]] = []  # with the combinator before each
    combinator = ""
    for kind, start, end in _pieces(text):
        if kind == "compound":
            compounds.append((combinator, text[start:end]))
            combinator = ""
        elif kind in _COMBINATORS or kind == _DESCENDANT:
            if combinator and combinator in _COMBINATORS and kind in _COMBINATORS:
                return None
            combinator = kind if kind in _COMBINATORS else combinator or kind
        elif kind == ",":
            if not compounds or combinator.strip():
                return None
            parts.append(_alternative(compounds))
            compounds, combinator = [], ""
        else:
            return None
    if not compounds or combinator.strip():
        return None
    parts.append(_alternative(compounds))
    return None if any(not one.first for one in parts) else parts


def _alternative(compounds: list[tuple[str, str]]) -> _Alternative:
    combinator, first = compounds[0]
    return _Alternative("" if combinator.strip() else first, tuple(compounds[1:]))


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield kind, beginning and end of each compound selector, combinator and comma; an unknown kind for all else."""
    position, size = 0, len(text)
    while position < size:
        char = text[position]
        if char in _SPACE:
            yield _DESCENDANT, position, position + 1
            position += 1
        elif char in _COMBINATORS or char == ",":
            yield char, position, position + 1
            position += 1
        else:
            end = _end_of_compound(text, position)
            is_known = end > position
            end = end if is_known else size
            yield "compound" if is_known else "?", position, end
            position = end


def _end_of_compound(text: str, position: int) -> int:
    """Return where a compound selector ends; 0 if that cannot be said."""
    while position < len(text):
        char = text[position]
        if char in _SPACE or char in _COMBINATORS or char == ",":
            break
        if char in "|/{}&;":  # namespaces and comments are left to the parser
            return 0
        if char == "\\":
            position += 2
        elif char in _CLOSING:
            position = _end_of_group(text, position + 1, _CLOSING[char])
            if not position:
                return 0
        elif char in "\"')]":
            return 0
        else:
            position += 1
    return position


def _end_of_group(text: str, position: int, closing: str) -> int:
    """Return the position after the bracket that closes a group; 0 if there is none."""
    while position < len(text):
        char = text[position]
        if char == closing:
            return position + 1
        if char == "\\":
            position += 2
        elif char in _CLOSING:
            position = _end_of_group(text, position + 1, _CLOSING[char])
            if not position:
                return 0
        elif text.startswith("/*", position):  # may hide the end of the group
            return 0
        elif char in "\"'":
            end = re.compile(rf"(?:[^{char}\\\n]|\\.)*+{char}", re.DOTALL).match(text, position + 1)
            if end is None:
                return 0
            position = end.end()
        else:
            position += 1
    return 0
