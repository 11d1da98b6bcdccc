"""The site of the benchmarks: many pages of the same size, all reachable, without special cases.

So no path looks like one of a series, a calendar or a session, whose first waves are small (`traps.first_urls`).
"""

from random import Random

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.prose import Prose
from wavecrawl.domain.pages.page import Region

_BRANCHING = 4  # 2,000 pages are six levels deep
_MARKUP = 75  # bytes of tags around each link, on average
_FRAME = 700  # bytes of a page besides text and links
_SECTIONS = 8  # links of the navigation


def plain_site(pages: int = 2000, body_bytes: int = 8192, links_per_page: int = 30, seed: int = 0) -> Site:
    """Return a site of `pages` pages of about `body_bytes` bytes each, with about `links_per_page` links each."""
    random = Random(seed)
    levels = _levels(pages)
    paths = _paths(levels)
    titles = [Prose(f"{seed} {path}").title() for path in paths]
    made: list[Page] = []
    for number, path in enumerate(paths):
        horizon = levels[number + 1 if number + 1 < pages else number][1]  # the start of the next level
        near = [random.randrange(horizon) for _ in range(max(0, links_per_page - _SECTIONS - _BRANCHING - 2))]
        targets = [*_children(number, pages), *near]
        links = [Link(to=paths[target], text=titles[target]) for target in dict.fromkeys(targets)]
        size = max(200, body_bytes - _FRAME - _MARKUP * (len(links) + _SECTIONS))
        prose = Prose(f"{seed}/{path}")
        texts = [text for part in range(4) for text in (f"## {prose.title()}", prose.words(size // 4 - 30))]
        made.append(
            Page(
                path=path,
                title=titles[number],
                description=prose.sentence(),
                text=tuple(texts[1:]),
                links=(*_navigation(paths), *links, *_footer(number, paths, titles)),
            )
        )
    return Site(pages=tuple(made), name="Plain")


def _levels(pages: int) -> list[tuple[int, int]]:
    """Return for each page its depth in the tree, and the number of pages that are no deeper."""
    depths: list[int] = []
    depth, width = 0, 1
    while len(depths) < pages:
        depths.extend([depth] * min(width, pages - len(depths)))
        depth, width = depth + 1, width * _BRANCHING
    ends = {depth: end + 1 for end, depth in enumerate(depths)}
    return [(depth, ends[depth]) for depth in depths]


def _paths(levels: list[tuple[int, int]]) -> list[str]:
    return ["/" if not number else f"/level-{depth}/item-{number}.html" for number, (depth, _) in enumerate(levels)]


def _children(number: int, pages: int) -> range:
    first = number * _BRANCHING + 1
    return range(first, min(first + _BRANCHING, pages))


def _navigation(paths: list[str]) -> tuple[Link, ...]:
    return tuple(
        Link(to=path, text=f"Section {number}" if number else "Home", region=Region.NAV)
        for number, path in enumerate(paths[: _BRANCHING + 1])
    )


def _footer(number: int, paths: list[str], titles: list[str]) -> tuple[Link, ...]:
    """Return links to the parent page and to the previous page."""
    others = {(number - 1) // _BRANCHING if number else 0, max(0, number - 1)}
    return tuple(Link(to=paths[other], text=titles[other], region=Region.FOOTER) for other in sorted(others))
