"""Selectors of stylesheets, as far as the brand needs them.

Supported are types, classes, ids, attributes with or without a value, `:root`, one `:is()` or `:where()` with a plain
list, and the combinators for descendants and children. A selector with anything else matches nothing here: it is about
a state, such as `:hover`, or a detail. A match takes a time that is linear in the depth of the page, and much less than
with soupsieve, which supports all selectors (ADR 27).
"""

import re
from collections.abc import Iterator
from typing import Final

from bs4 import Tag
from msgspec import Struct

_LONGEST: Final = 2_000  # characters of a list with parentheses
_MOST_CHOICES: Final = 20
_CHOICE: Final = re.compile(r":(?:is|where)\(([^()]*)\)")
_COMMA: Final = re.compile(r",(?![^()]*\))")
_COMBINATOR: Final = re.compile(r"\s*(>)\s*|\s+")
_COMPOUND: Final = re.compile(
    r"(?:\*|(?P<type>[a-zA-Z][\w-]*))?(?P<parts>(?:\.(?:[\w-]|\\.)+|\#[\w-]+|\[[\w-]+(?:=(?:\"[^\"]*\"|'[^']*'|[\w-]+))?\]|:root)*)"
)
_PART: Final = re.compile(r"(?P<kind>[.#\[:])(?P<name>(?:[\w-]|\\.)+)(?:=[\"']?(?P<value>[^\"'\]]*))?")


class _Compound(Struct, frozen=True):
    """What one element must be."""

    type: str
    ids: tuple[str, ...]
    classes: tuple[str, ...]
    attributes: tuple[tuple[str, str | None], ...]  # name, value; None = any value
    is_root: bool

    def matches(self, element: Tag) -> bool:
        """Return whether an element is what this says."""
        if (self.type and element.name != self.type) or (self.is_root and element.name != "html"):
            return False
        if self.ids and any(element.get("id") != one for one in self.ids):
            return False
        if self.classes and not set(self.classes) <= set(element.get_attribute_list("class")):
            return False
        return all(
            element.has_attr(name) if value is None else element.get(name) == value for name, value in self.attributes
        )


class Selector(Struct, frozen=True):
    """A selector without commas."""

    compounds: tuple[_Compound, ...]  # that of the element itself first, then those of elements around it
    is_parent: tuple[bool, ...]  # for each compound but the first: whether only the parent may match it

    @property
    def specificity(self) -> tuple[int, int, int]:
        """The numbers of ids, of classes and the like, and of types."""
        return (
            sum(len(one.ids) for one in self.compounds),
            sum(len(one.classes) + len(one.attributes) + one.is_root for one in self.compounds),
            sum(bool(one.type) for one in self.compounds),
        )

    @property
    def classes(self) -> frozenset[str]:
        """The classes that a page must have."""
        return frozenset(name for one in self.compounds for name in one.classes)

    def matches(self, element: Tag) -> bool:
        """Return whether the selector matches an element. The nearest element around it that fits is taken."""
        if not self.compounds[0].matches(element):
            return False
        around = iter(element.parents)
        for compound, is_parent in zip(self.compounds[1:], self.is_parent, strict=True):
            if is_parent:
                parent = next(around, None)
                if parent is None or not compound.matches(parent):
                    return False
            elif not any(compound.matches(parent) for parent in around):
                return False
        return True


def selectors_of(text: str) -> Iterator[Selector]:
    """Yield the supported selectors of a list."""
    if "(" in text and len(text) > _LONGEST:
        return
    for part in _COMMA.split(text) if "(" in text else text.split(","):
        for one in _choices(part.strip()):
            selector = _selector(one)
            if selector is not None:
                yield selector


def _choices(text: str) -> list[str]:
    """Return a selector without `:is()` and `:where()`: one for each choice of the first of them."""
    found = _CHOICE.search(text)
    if found is None:
        return [text]
    choices = found[1].split(",")[:_MOST_CHOICES]
    return [text[: found.start()] + choice.strip() + text[found.end() :] for choice in choices]


def _selector(text: str) -> Selector | None:
    pieces = _COMBINATOR.split(text)
    compounds = [_compound(piece) for piece in pieces[::2]]
    if not all(compounds):
        return None
    return Selector(
        tuple(one for one in reversed(compounds) if one), tuple(sign == ">" for sign in reversed(pieces[1::2]))
    )


def _compound(text: str) -> _Compound | None:
    found = _COMPOUND.fullmatch(text)
    if found is None or not text:
        return None
    parts = [(part["kind"], part["name"].replace("\\", ""), part["value"]) for part in _PART.finditer(found["parts"])]
    return _Compound(
        type=(found["type"] or "").lower(),
        ids=tuple(name for kind, name, _ in parts if kind == "#"),
        classes=tuple(name for kind, name, _ in parts if kind == "."),
        attributes=tuple((name, value) for kind, name, value in parts if kind == "["),
        is_root=any(kind == ":" for kind, *_ in parts),
    )
