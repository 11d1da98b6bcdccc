"""Cutting the site's name off titles: `About Us | MySite` -> `About Us`, learned from the site (spec [9])."""

from collections import Counter
from collections.abc import Iterable

SEPARATORS = tuple(
    f" {mark} " for mark in ("|", "-", "\u2013", "\u2014", "\u00b7", "\u2022", "\u00bb", "\u203a", "::", ":")
)
FEWEST_PAGES = 3
"""A name must end the titles of so many pages before it counts as one."""

SHARE = 0.5
"""... and those of so large a share of all pages that have a title."""

MOST_NAMES = 3
"""Names may follow each other (`Models | Handbook | MySite`); so many are cut at most."""


def learn_endings(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the endings to cut, the last one of a title first, each with its separator (` | MySite`)."""
    total = 0
    waiting: Counter[str] = Counter()
    for title in titles:
        if title:
            total += 1
            waiting[title] += 1
    endings: list[str] = []
    while len(endings) < MOST_NAMES:
        counts: Counter[str] = Counter()
        for title, pages in waiting.items():
            ending = last_part(title)
            if ending:
                counts[ending] += pages
        if not counts:
            break
        ending, pages = min(counts.items(), key=lambda item: (-item[1], item[0]))
        if pages < FEWEST_PAGES or pages < SHARE * total:
            break
        endings.append(ending)
        cut: Counter[str] = Counter()
        for title, count in waiting.items():
            cut[cut_title(title, (ending,))] += count
        waiting = cut
    return tuple(endings)


def cut_title(title: str, endings: tuple[str, ...]) -> str:
    """Return a title without the endings that `learn_endings` found; a title is never cut to nothing."""
    for ending in endings:
        title = title.removesuffix(ending).rstrip() or title
    return title


def last_part(title: str) -> str:
    """Return the last part of a title with the separator before it; "" where it has one part only."""
    start = max(title.rfind(separator) for separator in SEPARATORS)
    return title[start:] if start > 0 else ""
