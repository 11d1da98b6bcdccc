"""A run of a crawl on the command line: its progress, its results, its end."""

import shlex
import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec
import typer

from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.browsers import missing_browser
from wavecrawl.bootstrap.local import Watchers, default_workers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit, err, one_line, plain, write_json
from wavecrawl.cli.data_folder import options_of
from wavecrawl.cli.issue_budgets import (
    UNREAD,
    CheckedBudget,
    IssueBudget,
    checked_budgets,
    first_issues,
    incomplete,
    unchecked_urls,
    unread_urls,
    write_failure,
    write_junit,
)
from wavecrawl.cli.metrics import write_metrics
from wavecrawl.cli.notes import notes_of
from wavecrawl.cli.private_files import users_files
from wavecrawl.cli.progress import LiveProgress, index_progress
from wavecrawl.cli.summary import print_summary
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.graph.orphans import why_no_orphans
from wavecrawl.domain.rendering.settings import RenderMode
from wavecrawl.errors import InvalidInputError, TransientError, UnwritableError, WavecrawlError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow

_MOST_SHOWN = 5  # issues of a budget that is exceeded


class RunOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Options of one run of a crawl."""

    workers: int  # 0 = the default number
    results: bool = True
    wacz_mb: int = MOST_MB  # 0 = no crawl.wacz
    metrics: Path | None = None
    enforce: bool = False
    budgets: Sequence[IssueBudget] = ()
    junit: Path | None = None
    index: bool = False  # whether to wait until the texts are indexed
    as_json: bool
    quiet: bool

    def __post_init__(self) -> None:
        """Reject options that exclude each other."""
        if self.metrics is not None and not self.results:
            raise InvalidInputError("--metrics needs the results; leave out --no-results")
        if self.enforce and not self.results:
            raise InvalidInputError("--enforce needs the results; leave out --no-results")
        if self.budgets and not self.results:
            raise InvalidInputError("--fail-on needs the results; leave out --no-results")
        if self.index and not self.results:
            raise InvalidInputError("--index needs the results; leave out --no-results")
        if self.junit is not None and not self.budgets:
            raise InvalidInputError("--junit needs checks, such as --fail-on broken_link:0")

    def check_budgets(self, settings: CrawlSettings) -> None:
        """Raise InvalidInputError if a crawl with these settings can never find the issues of a budget."""
        for budget in self.budgets:
            budget.kinds(settings)


def run_to_end(store: LocalStore, row: CrawlRow, run: RunOptions) -> None:
    """Run a new or interrupted crawl to its end; show progress and results."""
    with (
        LiveProgress(
            row.settings,
            quiet=run.quiet,
            fetched=store.pages_so_far(row),
            seconds=row.seconds(store.clock.now()),
        ) as live,
        _sigterm_interrupts(),
    ):
        watchers = Watchers(
            on_progress=live.on_progress,
            on_tally=live.on_tally,
            poll=live.poll,
            on_sitemap_wait=live.on_sitemap_wait,
            on_wait=lambda why: None if run.quiet else err.print(f"[yellow]note:[/] {one_line(why)}"),
        )
        try:
            row, summary = run_local_crawl(
                store,
                row,
                workers=run.workers or default_workers(),
                watchers=watchers,
                results=run.results,
                wacz_mb=run.wacz_mb,
            )
        except (KeyboardInterrupt, TransientError) as error:
            why = f" ({plain(str(error))})" if isinstance(error, TransientError) else ""
            which = plain(options_of(row, store))
            err.print(f"stopped{why}. To continue: `wavecrawl resume {which}`")
            err.print(f"To end it with the results so far: `wavecrawl cancel {which}`")
            raise typer.Exit(Exit.UNWRITABLE if isinstance(error, UnwritableError) else Exit.INTERRUPTED) from error
        except WavecrawlError as error:
            if run.junit is not None:
                with users_files():
                    write_failure(str(error), run.junit, site=row.id.site)
            raise
        if summary is not None and run.index:
            _index(store, row, run)
    if summary is not None:
        _show(store, row, summary, run)
    elif run.as_json:
        write_json({"crawl": row.id.crawl, "pages": store.pages_so_far(row)})


def _index(store: LocalStore, row: CrawlRow, run: RunOptions) -> None:
    """Index the texts of a crawl that has its results, which stay as they are if it fails or is stopped."""
    from wavecrawl.bootstrap.knowledge import index_local_crawl  # noqa: PLC0415 - not in every crawl

    try:
        with index_progress(quiet=run.quiet, pages=store.pages_so_far(row)) as on_progress:
            index_local_crawl(store, store.crawls.read(row.id) or row, on_progress)
    except (KeyboardInterrupt, WavecrawlError) as error:
        why = "stopped" if isinstance(error, KeyboardInterrupt) else plain(str(error))
        which = plain(options_of(row, store))
        err.print(f"[yellow]note:[/] the crawl has its results, but its texts are not indexed: {why}")
        err.print(f"To index them: `wavecrawl index --crawl {which}`")


def _show(store: LocalStore, row: CrawlRow, summary: CrawlSummary, run: RunOptions) -> None:
    folder = store.results_folder(row.id)
    if run.as_json:
        result = {"crawl": row.id.crawl, "results": str(folder), **msgspec.to_builtins(summary)}
        write_json(result)
    elif not run.quiet:
        print_summary(summary, folder)
    if not run.quiet:
        for note in notes_of(store, row, summary):
            err.print(f"[yellow]note:[/] {one_line(note)}")
    if summary.unrendered and not run.quiet:
        _note_shells(row, summary.unrendered)
    if run.metrics is not None:
        with users_files():
            write_metrics(summary, run.metrics)
    _check(store, row, summary, run)


def _check(store: LocalStore, row: CrawlRow, summary: CrawlSummary, run: RunOptions) -> None:
    """Raise Exit if the crawl has no page, or not what the options require of it."""
    results = store.results_folder(row.id)
    unread = unread_urls(summary.reasons)
    unchecked = unchecked_urls(results) if run.budgets and row.settings.checks.enabled else {}
    no_orphans = why_no_orphans(summary.orphans, summary.orphan_evidence)
    checked = checked_budgets(
        run.budgets, summary.issues, row.settings, unread=unread, unchecked=unchecked, no_orphans=no_orphans
    )
    if run.junit is not None:
        with users_files():
            write_junit(checked, run.junit, site=row.id.site, results=results, unread=unread)
    _warn_of_missing(checked, unread)
    if not summary.pages:
        why = next((one.message for one in summary.notices if one.subject == summary.root_url), "")
        if row.settings.discovery is not Discovery.SITEMAP_ONLY or not why:  # else `show` knows nothing of the URL
            command = f"wavecrawl show {shlex.quote(row.start_url)} --crawl {options_of(row, store)}"
            why = f"no page could be fetched; for the reason run `{command}`"
        err.print(f"[red]error:[/] {one_line(why)}")
        raise typer.Exit(Exit.EMPTY)
    missed = [one.name for one in summary.objectives if run.enforce and one.met is False]
    if missed:
        err.print(f"[red]error:[/] the crawl missed its objectives: {', '.join(missed)}")
    exceeded = [one for one in checked if one.exceeded]
    for one in exceeded:
        what = "unread URLs" if one.budget.name == UNREAD else "issues"
        err.print(f"[red]error:[/] too many {what}: {one}")
        for line in first_issues(one, results, most=_MOST_SHOWN):
            err.print(f"  {one_line(line)}")
        if one.kinds:
            err.print(f"  all: {plain(str(results / 'issues.csv'))}")
    if missed or exceeded:
        raise typer.Exit(Exit.NEGATIVE)


def _warn_of_missing(checked: Sequence[CheckedBudget], unread: int) -> None:
    """Print why the issues of budgets may be missing, also with --quiet."""
    if checked and (warning := incomplete(unread)):
        err.print(f"[yellow]warning:[/] {warning}; --fail-on {UNREAD}:0 makes this an error")
    for one in checked:
        if one.unchecked:
            err.print(f"[yellow]warning:[/] {one.budget.name} issues may be missing: {one_line(one.unchecked)}")


def _note_shells(row: CrawlRow, count: int) -> None:
    """Say that pages need a browser, if there was none, and how to get one."""
    if row.settings.render.mode is RenderMode.AUTO and (why := missing_browser()):
        pages = counted(count, "page needs", "pages need")
        err.print(f"[yellow]note:[/] {pages} a browser and could not be rendered: {one_line(why)}")


@contextmanager
def _sigterm_interrupts() -> Iterator[None]:
    """Make SIGTERM stop the crawl as Ctrl-C does."""

    def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
