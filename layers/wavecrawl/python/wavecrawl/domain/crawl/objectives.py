"""Objectives: the figures that a crawl is judged by, and whether it meets them."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import msgspec

DAY = 86_400.0
"""Seconds."""


class ObjectiveName(StrEnum):
    """A figure that a crawl is judged by.

    - `density`: share of the words of all fetched pages, in their main texts, that are on pages worth having: HTML,
      indexable, no duplicate, enough words
    - `coverage`: share of the URLs of lane `p1`, documentation, that were requested and did not fail, without traps
      and URLs that are barred: robots.txt or the settings exclude them
    - `staleness`: mean number of days since the known pages of the site were requested
    - `discard_rate`: share of requested URLs that returned no page or a duplicate
    - `change_yield`: share of the pages that earlier crawls read and this one requested whose main text has changed
    """

    DENSITY = "density"
    COVERAGE = "coverage"
    STALENESS = "staleness"
    DISCARD_RATE = "discard_rate"
    CHANGE_YIELD = "change_yield"


class ObjectiveSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Targets for the figures that a crawl is judged by. The summary reports which targets are met."""

    density: Annotated[
        float,
        "Minimum share of the words of all fetched pages, in their main texts, that are on pages worth having: HTML, "
        "indexable, no duplicate, with at least `objectives.min_words` words. 0: no objective.",
    ] = 0.0
    coverage: Annotated[
        float, "Minimum share of the URLs of lane `p1`, documentation, that are requested and do not fail. Traps and "
        "URLs that robots.txt or the settings exclude do not count. Not measured if there are no such URLs. "
        "0: no objective."
    ] = 0.0  # fmt: skip
    staleness: Annotated[
        float, "Maximum mean number of days since the known pages of the site were requested. 0: no objective."
    ] = 0.0
    discard_rate: Annotated[
        float, "Maximum share of requested URLs that return no page or a duplicate. 1: no objective."
    ] = 1.0
    change_yield: Annotated[
        float,
        "Minimum share of the pages that earlier crawls read and this one requests whose main text has changed. "
        "0: no objective.",
    ] = 0.0
    min_words: Annotated[int, "Minimum number of words of a page that is worth having."] = 50

    @property
    def has_target(self) -> bool:
        """Whether any objective is set."""
        return bool(self.density or self.coverage or self.staleness or self.discard_rate < 1 or self.change_yield)


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What was counted. None: unknown, as in a site's first crawl."""

    requested: int  # URLs
    fetched: int  # pages, unchanged ones included
    words: int | None  # of the main texts of the fetched pages; None if these were not read
    content_words: int  # of these, words of pages worth having
    duplicates: int  # of the fetched pages
    important: int  # URLs of lane p1 that could be requested
    covered: int  # of these, requested with a result: another request may help only if it failed
    again: int = 0  # pages that earlier crawls read, requested in this crawl
    changed: int | None = None  # of these, pages with another main text
    age: float | None = None  # mean seconds since the known pages of the site were requested


class Objective(msgspec.Struct, frozen=True, kw_only=True):
    """A figure, its target, and whether it is met."""

    name: ObjectiveName
    value: float | None  # None: not measured
    target: float | None  # None: no objective
    met: bool | None  # None: no objective, or not measured


def judged(figures: Figures, settings: ObjectiveSettings) -> tuple[Objective, ...]:
    """Return all objectives of a crawl."""
    return tuple(_judged(figures, settings))


def _judged(figures: Figures, settings: ObjectiveSettings) -> Iterator[Objective]:
    read = figures.fetched
    days = None if figures.age is None else round(max(0.0, figures.age) / DAY, 2)
    discarded = figures.requested - read + figures.duplicates
    yield _least(ObjectiveName.DENSITY, _share(figures.content_words, figures.words or 0), settings.density)
    yield _least(ObjectiveName.COVERAGE, _share(figures.covered, figures.important), settings.coverage)
    yield _most(ObjectiveName.STALENESS, days, settings.staleness or None)
    most = settings.discard_rate if settings.discard_rate < 1 else None
    yield _most(ObjectiveName.DISCARD_RATE, _share(discarded, figures.requested), most)
    yield _least(ObjectiveName.CHANGE_YIELD, _share(figures.changed, figures.again), settings.change_yield)


def _share(part: int | None, whole: int) -> float | None:
    return None if part is None or not whole else round(part / whole, 4)


def _least(name: ObjectiveName, value: float | None, target: float) -> Objective:
    met = None if value is None or not target else value >= target
    return Objective(name=name, value=value, target=target or None, met=met)


def _most(name: ObjectiveName, value: float | None, target: float | None) -> Objective:
    met = None if value is None or target is None else value <= target
    return Objective(name=name, value=value, target=target, met=met)
