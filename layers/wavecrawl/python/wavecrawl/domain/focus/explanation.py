"""A score in plain words."""

from collections.abc import Iterator
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.score import ScoreColumns
from wavecrawl.domain.focus.settings import FocusSettings

LANE_NAMES: Final = MappingProxyType(
    {
        Lane.P0: "critical",
        Lane.P1: "documentation",
        Lane.P2: "blog and news",
        Lane.P3: "everything else, data and likely traps",
    }
)


class ScorePart(Struct, frozen=True, kw_only=True):
    """One part of a score."""

    name: str  # such as `path_weight`
    value: float  # 0 to 1
    weight: float  # negative for risks
    meaning: str

    @property
    def text(self) -> str:
        """The part with what it adds to the score."""
        return f"{self.value:.3f} x {self.weight:.2f} = {self.value * self.weight + 0.0:+.3f}: {self.meaning}"


def score_parts(found: ScoreColumns, settings: FocusSettings) -> Iterator[ScorePart]:
    """Yield the parts of a score; none if the URL never joined the frontier."""
    if found.lane is None:
        return
    weights = settings.weights
    anchor = (
        "how similar the link text, the path and the title of the linking page are to the focus terms"
        if settings.terms
        else "how rare the words of the link text and the path are on this site"
    )
    for name, value, weight, meaning in (
        ("path_weight", found.path_weight, weights.path, "lane, depth of the path, query parameters"),
        ("anchor_signal", found.anchor_signal, weights.anchor, anchor),
        ("freshness", found.freshness, weights.freshness, "date in the sitemap or the path; 0.5 if there is none"),
        (
            "duplication_risk",
            found.duplication_risk,
            -weights.duplication,
            "share of near-duplicates among the fetched pages with the same path template",
        ),
        ("trap_risk", found.trap_risk, -weights.trap, "how likely the URL leads into a trap"),
    ):
        yield ScorePart(name=name, value=value or 0.0, weight=weight, meaning=meaning)
