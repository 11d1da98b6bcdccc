"""A picture of the graph: the pages nearest to the root as rings around it, drawn as SVG."""

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from math import cos, log10, pi, sin, sqrt

import msgspec

from wavecrawl.domain.pages.control_characters import shown_line

MOST_NODES = 400
"""Maximum pages in the picture: the nearest to the root, then those with most links to them."""

MOST_LINKS = 1_200
_SIZE = 1_000.0
_MARGIN = 60.0


class Dot(msgspec.Struct, frozen=True, kw_only=True):
    """One page to draw."""

    id: int
    parent: int | None  # in the tree of shortest paths; None = the root or a page without a link to it
    depth: int
    kind: str  # page, redirect, error or orphan: a CSS class
    in_links: int
    label: str


def draw(dots: Sequence[Dot], links: Sequence[tuple[int, int]]) -> str:
    """Return the picture as an SVG element; "" if there are no dots."""
    if not dots:
        return ""
    places = _places(dots)
    tree = {(dot.parent, dot.id) for dot in dots if dot.parent is not None and dot.parent in places}
    lines = [_line(places, pair, "tree") for pair in sorted(tree)]
    faint = [pair for pair in links if pair not in tree and pair[0] in places and pair[1] in places]
    under = [_line(places, pair, "link") for pair in faint[:MOST_LINKS]]
    circles = [_circle(dot, places[dot.id]) for dot in sorted(dots, key=lambda dot: dot.depth, reverse=True)]
    return (
        f'<svg class="graph" viewBox="0 0 {_SIZE:g} {_SIZE:g}" role="img" aria-label="The graph of the site">'
        f"{''.join(under)}{''.join(lines)}{''.join(circles)}</svg>"
    )


def _places(dots: Sequence[Dot]) -> dict[int, tuple[float, float]]:
    """Return the position of each page: its sector lies in its parent's, in proportion to its subtree."""
    known = {dot.id for dot in dots}
    children: dict[int | None, list[Dot]] = {}
    for dot in dots:
        children.setdefault(dot.parent if dot.parent in known else None, []).append(dot)
    weights: dict[int, int] = {}
    for dot in sorted(dots, key=lambda dot: dot.depth, reverse=True):
        weights[dot.id] = max(1, sum(weights.get(child.id, 1) for child in children.get(dot.id, ())))
    radii = _radii(dots)
    places: dict[int, tuple[float, float]] = {}
    waiting: list[tuple[Sequence[Dot], float, float]] = [(children.get(None, []), 0.0, 2 * pi)]
    while waiting:
        siblings, begin, width = waiting.pop()
        total = sum(weights[dot.id] for dot in siblings)
        for dot in siblings:
            if dot.id in places:
                continue
            share = width * weights[dot.id] / total
            angle = begin + share / 2 - pi / 2
            radius = radii[dot.depth]
            places[dot.id] = (_SIZE / 2 + radius * cos(angle), _SIZE / 2 + radius * sin(angle))
            if dot.id in children:
                waiting.append((children[dot.id], begin, share))
            begin += share
    return {dot.id: places.get(dot.id, (_SIZE / 2, _SIZE / 2)) for dot in dots}


def _radii(dots: Sequence[Dot]) -> list[float]:
    """Return the radius of each ring; rings with more pages are wider."""
    counts = Counter(dot.depth for dot in dots)
    steps = [1 + sqrt(counts[depth]) for depth in range(1, max(counts) + 1)]
    scale = (_SIZE / 2 - _MARGIN) / (sum(steps) or 1)
    return [scale * radius for radius in accumulate(steps, initial=0.0)]


def _line(places: Mapping[int, tuple[float, float]], pair: tuple[int, int], kind: str) -> str:
    (x1, y1), (x2, y2) = places[pair[0]], places[pair[1]]
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _circle(dot: Dot, place: tuple[float, float]) -> str:
    x, y = place
    radius = (14.0 if dot.depth == 0 else 4.0) + 2.5 * log10(1 + dot.in_links)
    return (
        f'<circle class="{dot.kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}">'
        f"<title>{escape(shown_line(dot.label))}</title></circle>"
    )
