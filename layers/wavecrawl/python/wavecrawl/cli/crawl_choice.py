"""How commands take a crawl: by its ID, the beginning of its ID, or a default."""

import os
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from wavecrawl.application.absence import LaterCrawl, absence_of
from wavecrawl.application.explain_url import Explanation, explain_url
from wavecrawl.application.start_address import candidates
from wavecrawl.bootstrap.store import DATABASE, LocalStore
from wavecrawl.cli.data_folder import DATA, VARIABLE
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.errors import InvalidInputError, InvalidUrlError, NotFoundError, WavecrawlError
from wavecrawl.ports.crawls import CrawlRow

_ID = "ID of the crawl, or its beginning."


def crawl_ids(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """Return the crawls whose ids begin so, with their start URLs, for the completion of the shell."""
    folder = Path(ctx.params.get("data") or os.environ.get(VARIABLE) or DATA)
    if not (folder / DATABASE).is_file():
        return []
    with suppress(WavecrawlError), closing(LocalStore(folder)) as store:
        rows = store.crawls.newest_first()
        return [(row.id.crawl, row.start_url) for row in rows if row.id.crawl.startswith(incomplete)]
    return []


def _option(text: str) -> Any:
    return typer.Option("--crawl", help=text, autocompletion=crawl_ids)


def _argument(text: str) -> Any:
    return typer.Argument(metavar="[CRAWL]", help=text, autocompletion=crawl_ids)


CrawlOption = Annotated[str | None, _option(f"{_ID} Default: the newest.")]
UnfailedOption = Annotated[str | None, _option(f"{_ID} Default: the newest that has not failed.")]
KnowingOption = Annotated[str | None, _option(f"{_ID} Default: the newest crawl that found the URL.")]
NamedOption = Annotated[str | None, _option("The same as the argument.")]
CrawlArgument = Annotated[str | None, _argument(f"{_ID} Default: the newest.")]
InterruptedArgument = Annotated[
    str | None, _argument(f"{_ID} Default: the newest interrupted crawl, or else the newest.")
]
NamedArgument = Annotated[str, typer.Argument(metavar="CRAWL", help=_ID, autocompletion=crawl_ids)]


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


def crawl_with_results(store: LocalStore, name: str | None) -> CrawlRow:
    """Return the named crawl; without a name the newest one with results, or else the newest."""
    if name is None:
        for row in store.crawls.newest_first():
            if row.has_results:
                return row
    return store.find(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """What is known of a URL in one crawl."""

    crawl: CrawlRow
    found: Explanation


def explained(url: str, name: str | None, store: LocalStore) -> Explained:
    """Return what is known of a URL in the named crawl, or in the newest crawl that found it.

    `found.later` is the newest crawl of the same site if it ended without finding the URL; with a name, a later crawl
    that does not have the page.

    If no crawl found it, return the explanation of the newest crawl of its site, or else of the newest crawl.
    """
    newest = store.find(name)
    if name is not None:
        return Explained(crawl=newest, found=explain_url(_with_scheme(url, newest), newest, store))
    first: Explained | None = None
    without: dict[tuple[str, str], CrawlRow] = {}  # newest crawl by site, of those that did not find the URL
    for row in store.crawls.newest_first():
        found = explain_url(_with_scheme(url, row), row, store, with_absence=False)
        if found.ledger is not None or found.deleted:
            later = without.get(row.id.owned_site)
            if later is not None:
                why = absence_of(later, found.key, None, None, store)
                not_in = LaterCrawl(crawl=later.id.crawl, started_at=later.started_at, absence=why)
                found = replace(found, later=not_in)
            return _with_absence(Explained(crawl=row, found=found), store)
        if row.has_results:
            without.setdefault(row.id.owned_site, row)
        if first is None or (_outside(first.found) and not _outside(found)):
            first = Explained(crawl=row, found=found)
    if first is None:
        raise NotFoundError(f"no crawl yet in {store.root}")
    return _with_absence(first, store)


def _with_absence(shown: Explained, store: LocalStore) -> Explained:
    """Return it with why the crawl did not read the page; what is known of no crawl is not looked up before."""
    found = shown.found
    if found.deleted:
        return shown
    status = found.record.status if found.record else None
    absence = absence_of(shown.crawl, found.key, found.ledger, status, store)
    return replace(shown, found=replace(found, absence=absence))


def _with_scheme(url: str, crawl: CrawlRow) -> str:
    """Return a URL of the crawl's site with its scheme, if it has none; other texts, such as paths, as they are."""
    site = origin_of(crawl.root_url or crawl.start_url)
    with suppress(InvalidUrlError):
        return next((one for one in candidates(url) if origin_of(one) == site), url)
    return url


def _outside(found: Explanation) -> bool:
    return found.would_be is Reason.OUT_OF_SCOPE
