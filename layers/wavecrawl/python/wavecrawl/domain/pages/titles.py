"""Removal of the site's name from titles (`About Us | MySite` -> `About Us`); the name is learned from all titles."""

from collections import Counter
from collections.abc import Iterable

SEPARATORS = tuple(
    f" {mark} " for mark in ("|", "-", "\u2013", "\u2014", "\u00b7", "\u2022", "\u00bb", "\u203a", "::", ":")
)
FEWEST_PAGES = 3
"""Minimum number of pages whose titles end with a name."""

SHARE = 0.5
"""Minimum share of the pages with a title whose titles end with a name."""

MOST_NAMES = 3
"""Maximum number of names that are removed from a title (`Models | Handbook | MySite`)."""


def learn_endings(titles: Iterable[str]) -> tuple[str, ...]:
    """Return the endings to remove, outermost first, each with its separator (` | MySite`)."""
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
    """Return a title without the endings from `learn_endings`; never return an empty title."""
    for ending in endings:
        title = title.removesuffix(ending).rstrip() or title
    return title


def last_part(title: str) -> str:
    """Return the last part of a title with the separator before it; "" if it has only one part."""
    start = max(title.rfind(separator) for separator in SEPARATORS)
    return title[start:] if start > 0 else ""
