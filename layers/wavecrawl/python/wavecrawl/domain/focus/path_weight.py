"""The path weight: how important a URL looks by its path."""

from typing import Final

from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.paths import Place
from wavecrawl.domain.focus.score import STEPS

_LANE: Final = {Lane.P0: 200, Lane.P1: 190, Lane.P2: 170, Lane.P3: 160}
_SEGMENT: Final = 20
_MOST_SEGMENTS: Final = 6
_INDEX: Final = 10
_PARAMETER: Final = 40
_DATA: Final = 60
_MOST_PARAMETERS: Final = 3


def path_weight(place: Place, lane: Lane, start: float | None = None) -> int:
    """Return the weight of a path in steps from 0 to 200.

    - A URL starts with 1.00 in lane `p0`, 0.95 in `p1`, 0.85 in `p2` and 0.80 in `p3`, or with `start`, if given.
    - Each segment of the path after the first takes 0.10, at most 0.60.
    - The index page of a folder gets 0.05.
    - Each query parameter takes 0.20, at most 0.60.
    - The file extension of data, such as `.json`, takes 0.30.
    """
    weight = _LANE[lane] if start is None else round(start * STEPS)
    weight -= _SEGMENT * min(max(place.segments - 1, 0), _MOST_SEGMENTS)
    weight += _INDEX * place.is_index
    weight -= _DATA * place.is_data
    weight -= _PARAMETER * min(place.parameters, _MOST_PARAMETERS)
    return min(max(weight, 0), STEPS)
