"""How commands take a crawl: by its ID, the beginning of its ID, or a default."""

from typing import Annotated

import typer

from wavecrawl.application.explain_url import Explanation, explain_url
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.errors import InvalidInputError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow

_ID = "ID of the crawl, or its beginning."

CrawlOption = Annotated[str | None, typer.Option("--crawl", help=f"{_ID} Default: the newest.")]
KnowingOption = Annotated[
    str | None, typer.Option("--crawl", help=f"{_ID} Default: the newest crawl that found the URL.")
]
NamedOption = Annotated[str | None, typer.Option("--crawl", help="The same as the argument.")]


def named(argument: str | None, option: str | None) -> str | None:
    """Return the crawl that the argument or `--crawl` names; raise InvalidInputError if both do."""
    if argument and option and argument != option:
        raise InvalidInputError(f"two crawls are named: {argument} and --crawl {option}; name one")
    return argument or option


def crawl_to_resume(store: LocalStore, name: str | None) -> CrawlRow:
    """Return the named crawl; without a name the newest interrupted one, or else the newest."""
    if name is None:
        for row in store.crawls.newest_first():
            if store.is_interrupted(row):
                return row
    return store.find(name)


def explained(url: str, name: str | None, store: LocalStore) -> tuple[CrawlRow, Explanation]:
    """Return what is known of a URL in the named crawl, or in the newest crawl that found it.

    If no crawl found it, return the explanation of the newest crawl of its site, or else of the newest crawl.
    """
    newest = store.find(name)
    if name is not None:
        return newest, explain_url(url, newest, store)
    first: tuple[CrawlRow, Explanation] | None = None
    for row in store.crawls.newest_first():
        found = explain_url(url, row, store)
        if found.ledger is not None:
            return row, found
        if first is None or (_outside(first[1]) and not _outside(found)):
            first = row, found
    if first is None:
        raise NotFoundError(f"no crawl yet in {store.root}")
    return first


def _outside(found: Explanation) -> bool:
    return found.would_be is Reason.OUT_OF_SCOPE
