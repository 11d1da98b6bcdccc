"""`wavecrawl diff`: the changes of a site between two of its crawls."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from textwrap import shorten
from typing import Annotated

import msgspec
import typer
from msgspec.structs import asdict

from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err, errors_explained, out, plain, write_json, write_line
from wavecrawl.cli.crawl_choice import NamedOption, named
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing, options_of
from wavecrawl.cli.diff_files import DIFFERENCES, TABLE, TEXTS, differences, text_diffs, write_diff
from wavecrawl.cli.private_files import users_files
from wavecrawl.domain.counts import counted
from wavecrawl.domain.graph.diff_kind import DIFF_TITLES, DiffKind
from wavecrawl.domain.pages.text_diff import DiffLimits
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.errors import InvalidInputError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.results import ChangedValue, DiffCounts, DiffRow

_LONGEST = 100
"""Maximum characters of a value on the terminal."""

SHOWN = 20  # differences of each kind if --kind is not given

_PREPOSITIONS = {DiffKind.MOVED: "to", DiffKind.BROKEN_LINK: "on", DiffKind.MENDED_LINK: "on"}
"""The word between a page and its related page."""


def diff(
    base: Annotated[
        str, typer.Argument(help="ID of the earlier crawl, or its beginning. Default: the one before CRAWL.")
    ] = "",
    later: Annotated[
        str, typer.Argument(metavar="CRAWL", help="ID of the later crawl, or its beginning. Default: the newest.")
    ] = "",
    *,
    crawl: NamedOption = None,
    kind: Annotated[
        DiffKind | None, typer.Option(help="List all differences of this kind. Default: up to 20 of each kind.")
    ] = None,
    text: Annotated[
        bool, typer.Option("--text", help="Show what changed in the main texts of pages, as a unified diff.")
    ] = False,
    context: Annotated[int, typer.Option(min=0, max=100, help="Number of unchanged lines around each change.")] = 1,
    lines: Annotated[int, typer.Option(min=1, help="Maximum number of lines of the diff of one page.")] = 500,
    to: Annotated[
        Path | None,
        typer.Option(
            "--to",
            help="Folder to write diff.csv and diff.json (all differences) and text.diff (all changed texts) to.",
        ),
    ] = None,
    data: DataOption = DATA,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print lines of JSON: first the counts, then all differences, one per line.")
    ] = False,
) -> None:
    """Show what changed on a site between two of its crawls: pages, links and depths.

    To check whether two crawls have the same result, use `wavecrawl compare`.
    """
    with errors_explained():
        store = open_existing(data)
        try:
            old, new = _two_crawls(store, base, named(later, crawl) or "")
            results = store.results
            limits = DiffLimits(context=context, shown=lines)
            counts = results.compare(old.id, new.id)
            if to is not None:
                with users_files():
                    write_diff(results, old.id, new.id, counts, to, limits=limits)
                _note_omissions(store, old, new, counts)
                for name in (TABLE, DIFFERENCES, TEXTS):
                    write_line(str(to / name))
                return
            if text:
                _note_omissions(store, old, new, counts)
                for change in text_diffs(results, old.id, new.id, limits):
                    for line in change.split("\n"):
                        write_line(line)
                return
            kinds = [kind] if kind else [one for one in DiffKind if counts.kinds[one.value]]
            if as_json:
                write_json({"base": old.id.crawl, "crawl": new.id.crawl, **asdict(counts)})
                for row in (row for one in kinds for row in differences(results, old.id, new.id, one)):
                    write_json(msgspec.to_builtins(row))
            else:
                _print_counts(old, new, counts)
                _note_omissions(store, old, new, counts)
                for one in kinds:
                    shown = None if kind else SHOWN
                    _print_kind(one, counts.kinds[one.value], islice(differences(results, old.id, new.id, one), shown))
        finally:
            store.close()


def _two_crawls(store: LocalStore, base: str, later: str) -> tuple[CrawlRow, CrawlRow]:
    """Return the earlier and the later crawl; find each one that is not named."""
    ended = [row for row in store.crawls.newest_first() if row.has_results]
    old = store.find(base) if base else None
    if later:
        new = store.find(later)
    else:
        of_site = (row for row in ended if old is None or row.id.owned_site == old.id.owned_site)
        new = next(of_site, old) or store.find(None)
    if old is None:
        old = next(_before(new, ended), None)
    if old is None or old.id == new.id:
        raise NotFoundError(f"{store.root} has only one finished crawl of {new.start_url}: nothing to compare with")
    if old.id.tenant != new.id.tenant:
        tenants = f"crawl {old.id.crawl} is of tenant {old.id.tenant}, crawl {new.id.crawl} of {new.id.tenant}"
        raise InvalidInputError(f"{tenants}: name two crawls of one tenant")
    if old.id.site != new.id.site:
        raise InvalidInputError(f"crawl {old.id.crawl} is of {old.start_url}, crawl {new.id.crawl} of {new.start_url}")
    return old, new


def _before(new: CrawlRow, rows: Iterable[CrawlRow]) -> Iterator[CrawlRow]:
    """Yield the crawls of the same site that have results and started before a crawl."""
    for row in rows:
        if row.id.owned_site == new.id.owned_site and row.has_results and row.started_at < new.started_at:
            yield row


def _print_counts(old: CrawlRow, new: CrawlRow, counts: DiffCounts) -> None:
    out.print(
        f"[bold]{old.id.crawl} to {new.id.crawl}[/], {new.start_url}: {counted(counts.pages_before, 'page')}, then "
        f"{counts.pages_now:,}; {counted(counts.links_new, 'new link')}, {counts.links_gone:,} removed"
    )
    if not any(counts.kinds.values()):
        limits, skipped = counts.limits_before or counts.limits_now, counts.skipped_before or counts.skipped_now
        is_whole = not (limits or skipped or counts.different_settings)
        out.print("nothing else differs" if is_whole else "no other differences in what both crawls read")


def _note_omissions(store: LocalStore, old: CrawlRow, new: CrawlRow, counts: DiffCounts) -> None:
    """Print what is not compared, because a crawl stopped at a limit, or because its mode skipped known URLs."""
    for which, limits in (("earlier", counts.limits_before), ("later", counts.limits_now)):
        if limits:
            err.print(
                f"[yellow]note:[/] the {which} crawl stopped at a limit ({', '.join(limits)}): URLs that it did not "
                "read are left out, and depths, numbers of links, PageRank and orphans are not compared"
            )
    for crawl, skipped in ((old, counts.skipped_before), (new, counts.skipped_now)):
        if skipped:
            urls = counted(skipped, "known URL")
            err.print(
                f"[yellow]note:[/] not compared: {urls} that crawl {crawl.id.crawl} skipped because of its mode "
                f"({crawl.settings.mode.value}), and all depths, numbers of links, PageRank and orphans"
            )
    if counts.different_settings:
        err.print(
            f"[yellow]note:[/] the crawls have different settings: {', '.join(counts.different_settings)}. URLs that "
            "one of them left out because of these are not compared; if there are any, neither are depths, numbers of "
            "links, PageRank and orphans"
        )
    if counts.unshared_checks:
        names = " and ".join(counts.unshared_checks)
        err.print(
            f"[yellow]note:[/] only one of the crawls has {names}: URLs that only one crawl checked are not compared"
        )
    if counts.skipped_before or counts.skipped_now:
        err.print(_how_to_compare(store, new, counts))


def _how_to_compare(store: LocalStore, new: CrawlRow, counts: DiffCounts) -> str:
    """Return how to compare all pages, if the mode of a crawl skipped some."""
    if counts.skipped_now:
        return "To compare all pages, run another crawl with `--mode full`."
    for row in _before(new, store.crawls.newest_first()):
        if row.settings.mode is Mode.FULL:
            return f"To compare all pages: `wavecrawl diff {row.id.crawl} {plain(options_of(new, store))}`"
    return "No earlier crawl with `--mode full` has results."


def _value_line(value: ChangedValue) -> str:
    """Return a changed value as one short line; a text with as many words as before without its number of words."""
    if value.before == value.now:
        return f"{value.name}: see --text"
    before, now = (shorten(text, _LONGEST, placeholder="...") or "(none)" for text in (value.before, value.now))
    return f"{value.name}: {before} -> {now}"


def _print_kind(kind: DiffKind, total: int, rows: Iterator[DiffRow]) -> None:
    out.print(f"[bold]{DIFF_TITLES[kind]}[/]: {total:,}")
    shown = 0
    for shown, row in enumerate(rows, start=1):  # noqa: B007 - counted
        where = f" {_PREPOSITIONS[kind]} {row.related}" if row.related else ""
        change = "" if row.values else " / ".join(filter(None, (row.before, row.now)))
        write_line(f"  {row.url}{where}" + (f"  ({change})" if change else ""))
        for value in row.values:
            write_line(f"      {_value_line(value)}")
    if shown < total:
        write_line(f"  ... and {total - shown:,} more: --kind {kind.value}")
