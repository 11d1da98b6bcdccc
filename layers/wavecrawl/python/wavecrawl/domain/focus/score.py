"""The lane and the score of a URL, and the one number in which the frontier keeps both."""

from msgspec import Struct

from wavecrawl.domain.focus.lane import Lane

STEPS = 200
"""Steps of a part of the score from 0 to 1, so that a part is one byte."""

_POINTS = 1_000  # steps of the score from 0 to 1
_LANE_BITS = 12  # of the score below the lane
_PARTS_BITS = 40  # of the five parts below the lane and the score
_MATCH = 1 << 15  # above the lane: the URL matches the focus terms


LANES = tuple(Lane)
_LANE_NUMBER = {lane: number for number, lane in enumerate(LANES, 1)}  # 0: the URL never joined the frontier


class Parts(Struct, frozen=True, kw_only=True, gc=False):
    """The parts of a score, each in steps of 1/200 from 0 to 200."""

    path_weight: int = 0
    anchor_signal: int = 0
    freshness: int = 0
    duplication_risk: int = 0
    trap_risk: int = 0


class ScoreColumns(Struct, frozen=True, kw_only=True, gc=False):
    """The lane and the score as results have them, from 0 to 1. None: the URL never joined the frontier."""

    lane: Lane | None = None
    score: float | None = None
    path_weight: float | None = None
    anchor_signal: float | None = None
    freshness: float | None = None
    duplication_risk: float | None = None
    trap_risk: float | None = None


UNSCORED = 0
"""The number of a URL that never joined the frontier."""


def packed_score(lane: Lane, points: int, parts: Parts, *, matches: bool = False) -> int:
    """Return a lane, a score in thousandths and its parts as one number of 64 bits.

    `matches`: whether the URL matches the focus terms, so that it comes before all others.
    """
    number = _MATCH * matches | _LANE_NUMBER[lane] << _LANE_BITS | _POINTS - points
    for part in (
        parts.path_weight, parts.anchor_signal, parts.freshness, parts.duplication_risk, parts.trap_risk,
    ):  # fmt: skip
        number = number << 8 | part
    return number


def rank_of(packed: int) -> int:
    """Return the place of a URL in the order `best_first`; smaller is earlier.

    URLs that match the focus terms come first, by score. All others follow, by lane, then by score.
    """
    rank = packed >> _PARTS_BITS
    return _points_below(rank) if rank & _MATCH else rank


def columns_of(packed: int) -> ScoreColumns:
    """Return the lane, the score and its parts that a number stands for."""
    if packed == UNSCORED:
        return ScoreColumns()
    rank = packed >> _PARTS_BITS & _MATCH - 1
    path_weight, anchor_signal, freshness, duplication_risk, trap_risk = (
        part / STEPS for part in (packed & (1 << _PARTS_BITS) - 1).to_bytes(_PARTS_BITS // 8, "big")
    )
    return ScoreColumns(
        lane=LANES[(rank >> _LANE_BITS) - 1],
        score=(_POINTS - _points_below(rank)) / _POINTS,
        path_weight=path_weight,
        anchor_signal=anchor_signal,
        freshness=freshness,
        duplication_risk=duplication_risk,
        trap_risk=trap_risk,
    )


def matches_focus(packed: int) -> bool:
    """Return whether a number says that its URL matches the focus terms."""
    return bool(packed >> _PARTS_BITS & _MATCH)


def _points_below(rank: int) -> int:
    """Return how far a score is below 1, in thousandths."""
    return rank & (1 << _LANE_BITS) - 1
