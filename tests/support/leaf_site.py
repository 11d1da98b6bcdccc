"""A static site whose pages are small, most of them without links: entries that a list leads to."""

from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.prose import Prose

_A_LIST = 25  # entries


def leaf_site(pages: int) -> Site:
    """Return a site of `pages` pages: a home page, lists, and entries without links."""
    lists = max(1, round((pages - 1) / (_A_LIST + 1)))
    entries = [f"/entries/{number}.html" for number in range(pages - 1 - lists)]
    made = [_page("/", [f"/lists/{number}.html" for number in range(lists)])]
    made += [_page(f"/lists/{number}.html", entries[number::lists]) for number in range(lists)]
    return Site(pages=(*made, *(_page(entry, []) for entry in entries)), name="Leaves")


def _page(path: str, targets: list[str]) -> Page:
    prose = Prose(path)
    return Page(
        path=path,
        title=prose.title(),
        description=prose.sentence(),
        text=(prose.words(60), prose.words(60)),
        links=tuple(Link(to=target, text=target) for target in targets),
    )
