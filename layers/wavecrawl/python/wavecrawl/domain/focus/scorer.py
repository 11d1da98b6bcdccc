"""The scorer: gives a URL its lane and its score when it joins the frontier."""

from wavecrawl.domain.focus.freshness import freshness
from wavecrawl.domain.focus.lane import Lane
from wavecrawl.domain.focus.lanes import Lanes
from wavecrawl.domain.focus.path_weight import path_weight
from wavecrawl.domain.focus.paths import Place, place_of
from wavecrawl.domain.focus.risks import RisksOf, no_risks
from wavecrawl.domain.focus.score import STEPS, Parts, packed_score
from wavecrawl.domain.focus.settings import FocusSettings, WeightSettings
from wavecrawl.domain.focus.topic import Topic
from wavecrawl.domain.focus.vocabulary import Vocabulary
from wavecrawl.domain.focus.words import link_words, path_words, words_of
from wavecrawl.domain.urls.path_numbers import PathNumbers

_POINTS = 1_000
_RISKY = STEPS // 2
_MATCH = STEPS // 2
_FOCUS_SHARE = 85  # percent of the anchor signal that the topic decides, if there is one


class Scorer:
    """Scores the URLs of one crawl, in the fixed order in which they join the frontier."""

    def __init__(
        self, settings: FocusSettings, vocabulary: Vocabulary, *, today: int, risks_of: RisksOf = no_risks
    ) -> None:
        """`today`: the day on which the crawl started, as a proleptic Gregorian ordinal."""
        self._weights = settings.weights
        self._lanes = Lanes(settings.lanes)
        self._path_weights = PathNumbers(settings.path_weights)
        self._topic = Topic(settings.terms)
        self._vocabulary = vocabulary
        self._today = today
        self._risks_of = risks_of

    def learn(self, url: str, text: str) -> None:
        """Add a new link target to the vocabulary of the site."""
        self._vocabulary.add(link_words(url, text))

    def score(self, url: str, text: str = "", *, title: str = "", lastmod: str = "", is_root: bool = False) -> int:
        """Return the lane and the score of a URL as one number.

        `text`: of the link. `title`: of the page with the link. `lastmod`: of the sitemap. The root is in lane `p0`.
        """
        place = place_of(url)
        risks = self._risks_of(url)
        trap_risk = _steps(risks.trap)
        lane = self._lane_of(place, trap_risk, is_root=is_root)
        parts = Parts(
            path_weight=path_weight(place, lane, self._path_weights.of(place.path, place.plain)),
            anchor_signal=self._anchor_signal(url, place.path, text, title),
            freshness=freshness(place.path, lastmod, today=self._today),
            duplication_risk=_steps(risks.duplication),
            trap_risk=trap_risk,
        )
        matches = trap_risk < _RISKY and not place.is_data and self._matches(place.path, text)
        return packed_score(lane, points_of(parts, self._weights), parts, matches=matches)

    def _lane_of(self, place: Place, trap_risk: int, *, is_root: bool) -> Lane:
        """Return the lane. Likely traps are in the last lane, as the score decides only within a lane."""
        if is_root:
            return Lane.P0
        return Lane.P3 if trap_risk >= _RISKY else self._lanes.lane_of(place)

    def _matches(self, path: str, text: str) -> bool:
        """Return whether link text and path together are similar to a focus term.

        The title of the linking page does not count: it is the same for all links of the page, also for its menu.
        """
        return bool(self._topic) and self._topic.similarity((*words_of(text), *path_words(path)), (), ()) >= _MATCH

    def _anchor_signal(self, url: str, path: str, text: str, title: str) -> int:
        """Return the anchor signal: TF-IDF of the words; with focus terms, mostly the similarity to them."""
        signal = self._vocabulary.signal(link_words(url, text))
        if not self._topic:
            return signal
        topic = self._topic.similarity(words_of(text), path_words(path), words_of(title))
        return (_FOCUS_SHARE * topic + (100 - _FOCUS_SHARE) * signal) // 100


def points_of(parts: Parts, weights: WeightSettings) -> int:
    """Return the score in thousandths: the weighted sum of the parts, at least 0 and at most 1."""
    total = (
        weights.path * parts.path_weight
        + weights.anchor * parts.anchor_signal
        + weights.freshness * parts.freshness
        - weights.duplication * parts.duplication_risk
        - weights.trap * parts.trap_risk
    )
    return min(max(round(total * _POINTS / STEPS), 0), _POINTS)


def _steps(risk: float) -> int:
    return min(max(round(risk * STEPS), 0), STEPS)
