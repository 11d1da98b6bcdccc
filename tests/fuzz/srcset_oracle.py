"""The parser of `srcset` as HTML states it (section 4.8.4.2.1), step by step: slow, and easy to compare with HTML."""

import re

_SPACE = "\t\n\f\r "
_INTEGER = re.compile("[0-9]+")
_FLOAT = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")

_LONGEST = 40
"""Characters of a descriptor. The crawler ignores longer ones; HTML has no such limit."""

Candidate = tuple[str, str, float]
"""URL, unit of its descriptor (`w` or `x`), value."""


def candidates_of(srcset: str) -> list[Candidate]:
    """Return the candidates of an attribute."""
    found: list[Candidate] = []
    position = 0
    while True:
        while position < len(srcset) and srcset[position] in f"{_SPACE},":
            position += 1
        if position == len(srcset):
            return found
        start = position
        while position < len(srcset) and srcset[position] not in _SPACE:
            position += 1
        url = srcset[start:position]
        descriptors: list[str] = []
        if url.endswith(","):
            url = url.rstrip(",")
        else:
            descriptors, position = _tokens(srcset, position)
        described = _parsed(descriptors)
        if described is not None:
            found.append((url, *described))


def best_of(candidates: list[Candidate], width: int) -> str:
    """Return the URL of the widest candidate up to `width`, or else the narrowest, or of the highest density."""
    best: Candidate | None = None
    widths = [one for one in candidates if one[1] == "w"]
    for one in widths or candidates:
        if best is None or _is_better(one[2], best[2], width=width if widths else None):
            best = one
    return best[0] if best else ""


def _is_better(value: float, than: float, *, width: int | None) -> bool:
    if width is None or (value <= width and than <= width):
        return value > than
    return value < than


def _tokens(srcset: str, position: int) -> tuple[list[str], int]:
    """Return the descriptors of a candidate, and the position after them."""
    descriptors: list[str] = []
    current, state = "", "in descriptor"
    while position < len(srcset):
        character = srcset[position]
        position += 1
        if state == "in parentheses":
            current += character
            state = "in descriptor" if character == ")" else state
        elif character in _SPACE:
            if current:
                descriptors.append(current)
            current = ""
        elif character == ",":
            break
        else:
            current += character
            state = "in parentheses" if character == "(" else state
    if current:
        descriptors.append(current)
    return descriptors, position


def _parsed(descriptors: list[str]) -> tuple[str, float] | None:
    """Return unit and value of descriptors; None if one is wrong."""
    width: float | None = None
    density: float | None = None
    height: int | None = None
    for one in descriptors:
        number, unit = one[:-1], one[-1]
        if unit in "wx" and len(one) > _LONGEST:
            return None
        if unit == "w" and _INTEGER.fullmatch(number) and width is None and density is None and int(number):
            width = float(int(number))
        elif unit == "x" and _FLOAT.fullmatch(number) and width is density is height is None and float(number) >= 0:
            density = float(number)
        elif unit == "h" and _INTEGER.fullmatch(number) and height is None and density is None and int(number):
            height = int(number)
        else:
            return None
    if height is not None and width is None:
        return None
    return ("w", width) if width is not None else ("x", 1.0 if density is None else density)
