"""The candidates of a `srcset` attribute (HTML, section 4.8.4.2.1), and the best of them."""

import re
from collections.abc import Iterator

_MOST = 1_000  # candidates of one image
_LONGEST = 40  # characters of a descriptor
_LARGEST = 1e9  # width or density
_SPACE = "\t\n\f\r "
_CANDIDATE = re.compile(f"[{_SPACE},]*+([^{_SPACE}]++)")
_PARENTHESES = re.compile(r"\([^)]*\)?")
_WORDS = re.compile(rf"(?:[^{_SPACE}(]|\([^)]*\)?)+")  # white space in parentheses divides nothing
_DESCRIPTOR = re.compile(r"([0-9]+)w|(-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)x")
_HEIGHT = re.compile("0*[1-9][0-9]*h")


def best_candidate(srcset: str, *, width: int) -> str:
    """Return the URL of the widest candidate up to `width` pixels, or else of the narrowest; "" if there is none.

    If the candidates have pixel densities instead of widths, return that of the highest density.
    """
    candidates = list(_candidates(srcset))
    widths = [(value, url) for url, unit, value in candidates if unit == "w"]
    if widths:
        fitting = [one for one in widths if one[0] <= width]
        best = max(fitting or widths, key=lambda one: one[0] if fitting else -one[0])
        return best[1]
    densities = [(value, url) for url, unit, value in candidates if unit == "x"]
    return max(densities, key=lambda one: one[0])[1] if densities else ""


def all_candidates(srcset: str) -> Iterator[str]:
    """Yield the URL of each valid candidate."""
    return (url for url, _, _ in _candidates(srcset))


def _candidates(srcset: str) -> Iterator[tuple[str, str, float]]:
    """Yield each candidate: URL, unit of its descriptor and value. Invalid ones are left out."""
    position = 0
    for _ in range(_MOST):
        match = _CANDIDATE.match(srcset, position)
        if match is None:
            return
        url, position = match[1], match.end()
        bare = url.rstrip(",")
        if bare != url:  # a comma at its end ends the candidate
            yield bare, "x", 1.0
            continue
        end = _end_of_descriptors(srcset, position)
        descriptor = _descriptor(srcset[position:end])
        position = end + 1
        if descriptor is not None:
            yield url, *descriptor


def _end_of_descriptors(srcset: str, start: int) -> int:
    """Return where the descriptors end: at the next comma outside parentheses."""
    position = start
    while position < len(srcset):
        if srcset[position] == ",":
            return position
        inside = _PARENTHESES.match(srcset, position)
        position = inside.end() if inside else position + 1
    return len(srcset)


def _descriptor(text: str) -> tuple[str, float] | None:
    """Return unit and value of the descriptors of a candidate; None if they are invalid."""
    words = _WORDS.findall(text)
    if not words:
        return "x", 1.0
    heights = [word for word in words if _HEIGHT.fullmatch(word)]
    others = [word for word in words if word not in heights]
    found = _DESCRIPTOR.fullmatch(others[0]) if len(others) == 1 and len(heights) <= 1 else None
    if found is None or len(others[0]) > _LONGEST or (heights and found[1] is None):  # a height belongs to a width
        return None
    unit, value = ("w", float(found[1])) if found[1] else ("x", float(found[2]))
    return (unit, value) if 0 <= value < _LARGEST and (value or unit == "x") else None
