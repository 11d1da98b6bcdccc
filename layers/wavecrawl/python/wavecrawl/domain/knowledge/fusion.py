"""The ranks of several searches become one (ADR 28)."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

CONSTANT = 10.0
"""Of reciprocal rank fusion. The larger it is, the less a first place counts against a good place in all rankings."""

Item = TypeVar("Item", bound=Hashable)


def fused(*rankings: tuple[float, Sequence[Item]], constant: float = CONSTANT) -> dict[Item, float]:
    """Return the items of weighted rankings with their scores, best first: reciprocal rank fusion.

    An item's score is the sum of weight / (constant + rank) over the rankings that have it; ranks begin with 1. Items
    with the same score stay in the order in which they are first found.
    Cormack, Clarke and Buettcher: Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning Methods,
    SIGIR 2009.
    """
    scores: dict[Item, float] = {}
    for weight, ranking in rankings:
        for rank, item in enumerate(ranking, 1):
            scores[item] = scores.get(item, 0.0) + weight / (constant + rank)
    return dict(sorted(scores.items(), key=lambda pair: -pair[1]))
