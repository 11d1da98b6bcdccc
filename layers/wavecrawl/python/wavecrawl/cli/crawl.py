"""`wavecrawl crawl` and `wavecrawl resume`."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, NoReturn

import msgspec
import typer

from wavecrawl.application.packing import MOST_MB
from wavecrawl.bootstrap.local import Watchers, run_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit, err, errors_explained, plain, write_line
from wavecrawl.cli.metrics import write_metrics
from wavecrawl.cli.options import free_settings, is_loopback, settings_from, urls_of
from wavecrawl.cli.progress import LiveProgress
from wavecrawl.cli.summary import print_summary
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeMode
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.errors import InvalidInputError, TransientError
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.crawls import CrawlRow

DATA = Path("wavecrawl-data")
_USUAL = CrawlSettings()

DataOption = Annotated[
    Path, typer.Option("--data", help="Folder of the crawls' data and results.", envvar="WAVECRAWL_DATA")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as one line of JSON.")]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no messages.")]
WorkersOption = Annotated[
    int, typer.Option("--workers", "-w", min=0, max=64, help="Worker processes; 0 = one for each core.")
]

WaczOption = Annotated[
    int, typer.Option("--wacz-mb", min=0, help="MB crawl.wacz may have; a larger crawl has none. 0 = never make it.")
]

ResultsOption = Annotated[
    bool,
    typer.Option("--results/--no-results", help="Make the results; without, `export --rebuild` makes them later."),
]

MetricsOption = Annotated[
    Path | None, typer.Option("--metrics", help="File for the crawl's numbers as Prometheus text; needs the results.")
]


def crawl(
    url: Annotated[str, typer.Argument(help="Where the site begins. Left out: the bundled demo site.")] = "",
    *,
    data: DataOption = DATA,
    settings_file: Annotated[
        Path | None, typer.Option("--settings", help="Settings as TOML or JSON; options win over it.")
    ] = None,
    discovery: Annotated[
        Discovery | None, typer.Option(help="How URLs are found.", show_default=str(_USUAL.discovery))
    ] = None,
    url_list: Annotated[
        Path | None, typer.Option("--urls", help="File with one URL a line, for --discovery list.")
    ] = None,
    scope: Annotated[
        ScopeMode | None, typer.Option(help="Which hosts belong to the site.", show_default=str(_USUAL.scope.mode))
    ] = None,
    path_prefix: Annotated[
        str | None, typer.Option(help="Only URLs whose path starts so.", show_default=str(_USUAL.scope.path_prefix))
    ] = None,
    include: Annotated[
        list[str] | None, typer.Option(help="Only URLs that match, such as '/docs/*'. Repeatable.")
    ] = None,
    exclude: Annotated[list[str] | None, typer.Option(help="No URLs that match, such as '*.pdf'. Repeatable.")] = None,
    max_pages: Annotated[
        int | None, typer.Option(help="Fetched pages at most.", show_default=str(_USUAL.max_pages))
    ] = None,
    max_tries: Annotated[
        int | None,
        typer.Option(help="Requests for pages at most; 0 = no limit.", show_default=str(_USUAL.max_tries)),
    ] = None,
    max_depth: Annotated[
        int | None, typer.Option(help="Links from the root at most.", show_default=str(_USUAL.max_depth))
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Wall-clock limit; 0 = none.", show_default=str(_USUAL.max_seconds))
    ] = None,
    max_frontier: Annotated[
        int | None, typer.Option(help="Pending URLs at most.", show_default=str(_USUAL.max_frontier))
    ] = None,
    in_flight: Annotated[
        int | None, typer.Option(help="Requests open at once, per host.", show_default=str(_USUAL.polite.in_flight))
    ] = None,
    interval: Annotated[
        float | None,
        typer.Option(help="Seconds between request starts, per host.", show_default=str(_USUAL.polite.interval)),
    ] = None,
    adapt: Annotated[
        bool | None, typer.Option("--adapt/--no-adapt", help="Slow down where the host shows strain.")
    ] = None,
    robots: Annotated[bool | None, typer.Option("--robots/--ignore-robots", help="Obey robots.txt.")] = None,
    nofollow: Annotated[
        bool | None, typer.Option("--follow-nofollow/--no-follow-nofollow", help="Follow nofollow links.")
    ] = None,
    redirects: Annotated[
        bool | None, typer.Option("--follow-redirects/--no-follow-redirects", help="Follow redirects.")
    ] = None,
    revalidate: Annotated[
        bool | None, typer.Option("--revalidate/--no-revalidate", help="Ask whether known pages changed (ETag).")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for one request in all.", show_default=str(_USUAL.limits.timeout))
    ] = None,
    max_bytes: Annotated[
        int | None,
        typer.Option(help="Bytes of a page at most; more is cut.", show_default=str(_USUAL.limits.max_bytes)),
    ] = None,
    max_retries: Annotated[
        int | None, typer.Option(help="Further tries after a failed one.", show_default=str(_USUAL.max_retries))
    ] = None,
    max_redirects: Annotated[
        int | None, typer.Option(help="Redirects in a row at most.", show_default=str(_USUAL.max_redirects))
    ] = None,
    contact: Annotated[
        str | None, typer.Option(help="URL or address the User-Agent names.", envvar="WAVECRAWL_CONTACT")
    ] = None,
    allow_address: Annotated[
        list[str] | None, typer.Option(help="Network outside the public internet that may be crawled. Repeatable.")
    ] = None,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="Any other setting: name=value, such as waves.batch_size=10.")
    ] = None,
    workers: WorkersOption = 0,
    results: ResultsOption = True,
    wacz_mb: WaczOption = MOST_MB,
    metrics: MetricsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Crawl a site in three phases (links, sitemaps, orphans) and write its results."""
    options: dict[str, Any] = {
        "discovery": discovery,
        "scope.mode": scope,
        "scope.path_prefix": path_prefix,
        "scope.include": include,
        "scope.exclude": exclude,
        "max_pages": max_pages,
        "max_tries": max_tries,
        "max_depth": max_depth,
        "max_seconds": max_seconds,
        "max_frontier": max_frontier,
        "polite.in_flight": in_flight,
        "polite.interval": interval,
        "polite.adapt": adapt,
        "polite.obey_robots": robots,
        "follow_nofollow": nofollow,
        "follow_redirects": redirects,
        "revalidate": revalidate,
        "limits.timeout": timeout,
        "limits.max_bytes": max_bytes,
        "max_retries": max_retries,
        "max_redirects": max_redirects,
        "contact": contact,
        "allowed_addresses": allow_address,
    }
    with errors_explained():
        way = Way(workers=workers, results=results, wacz_mb=wacz_mb, metrics=metrics, as_json=as_json, quiet=quiet)
        if url_list and not url:
            raise InvalidInputError(f"--urls {url_list} lists pages of a site; name the site's URL as well")
        options["urls"] = urls_of(url_list) if url_list else None
        options |= free_settings(set_ or [])
        with _demo_unless(url, quiet=quiet) as start:
            settings = settings_from(start, options, file=settings_file)
            if not settings.contact and not is_loopback(start) and not quiet:
                err.print("[yellow]note:[/] no --contact: the User-Agent names nobody a site's owner could ask")
            store = _store(data)
            try:
                run_to_end(store, store.start(start, settings), way)
            finally:
                store.close()


def resume(
    crawl_id: Annotated[str | None, typer.Argument(help="Which crawl; left out: the newest.")] = None,
    *,
    data: DataOption = DATA,
    workers: WorkersOption = 0,
    results: ResultsOption = True,
    wacz_mb: WaczOption = MOST_MB,
    metrics: MetricsOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Go on with a crawl that was interrupted."""
    with errors_explained():
        way = Way(workers=workers, results=results, wacz_mb=wacz_mb, metrics=metrics, as_json=as_json, quiet=quiet)
        store = open_existing(data)
        try:
            row = store.find(crawl_id)
            if row.status is not CrawlStatus.RUNNING:
                raise InvalidInputError(
                    f"crawl {row.id.crawl} is {row.status.value}; only one that was interrupted can be resumed"
                )
            run_to_end(store, row, way)
        finally:
            store.close()


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """How a crawl is run and shown."""

    workers: int  # 0 = the usual number
    results: bool = True
    wacz_mb: int = MOST_MB  # 0 = no crawl.wacz
    metrics: Path | None = None
    as_json: bool
    quiet: bool

    def __post_init__(self) -> None:
        """Refuse what does not go together."""
        if self.metrics is not None and not self.results:
            raise InvalidInputError("--metrics tells what the results say; leave out --no-results")


def run_to_end(store: LocalStore, row: CrawlRow, way: Way) -> None:
    """Crawl from wherever the crawl stands, show how it goes, make and show its results."""
    settings = row.settings
    before = store.pages_so_far(row)
    with (
        LiveProgress(
            quiet=way.quiet, interval=settings.polite.interval, max_pages=settings.max_pages, fetched=before
        ) as live,
        _stoppable(),
    ):
        watchers = Watchers(on_progress=live.on_progress, on_tally=live.on_tally, poll=live.poll)
        try:
            row, summary = run_local_crawl(
                store,
                row,
                workers=way.workers or _usual_workers(),
                watchers=watchers,
                results=way.results,
                wacz_mb=way.wacz_mb,
            )
        except (KeyboardInterrupt, TransientError) as error:
            why = f" ({plain(str(error))})" if isinstance(error, TransientError) else ""
            which = f"{row.id.crawl} --data {store.root}"
            err.print(f"stopped{why}. `wavecrawl resume {which}` goes on where it left off")
            err.print(f"`wavecrawl cancel {which}` ends it, with the results so far")
            raise typer.Exit(Exit.INTERRUPTED) from error
    if summary is not None:
        _show(store, row, summary, way)
    elif way.as_json:
        write_line(json.dumps({"crawl": row.id.crawl, "pages": store.pages_so_far(row)}))


def _show(store: LocalStore, row: CrawlRow, summary: CrawlSummary, way: Way) -> None:
    folder = store.exports(row.id)
    if way.as_json:
        told = {"crawl": row.id.crawl, "results": str(folder), **msgspec.to_builtins(summary)}
        write_line(json.dumps(told, ensure_ascii=False))
    elif not way.quiet:
        print_summary(summary, folder)
    if way.metrics is not None:
        write_metrics(summary, way.metrics)
    if not summary.pages:
        err.print(f"[red]error:[/] not one page could be fetched; `wavecrawl show {row.start_url}` says why")
        raise typer.Exit(Exit.EMPTY)


def _usual_workers() -> int:
    """Return one worker for each core, whose threads wait for each other's answers, and never fewer than two."""
    return max(2, len(os.sched_getaffinity(0)))


@contextmanager
def _demo_unless(url: str, *, quiet: bool) -> Iterator[str]:
    """Yield the URL to crawl: the one given, or that of the demo site, served on loopback meanwhile."""
    if url:
        yield url
        return
    from wavecrawl.demo.demo_site import demo_site  # noqa: PLC0415 - the same
    from wavecrawl.demo.server import SiteServer  # noqa: PLC0415 - only the demo needs a server

    with SiteServer(demo_site()) as server:
        if not quiet:
            err.print(f"no URL given: crawling the bundled demo site, served at {server.url}")
        yield server.url


@contextmanager
def _stoppable() -> Iterator[None]:
    """Let a polite end of the process (SIGTERM) stop the crawl as Ctrl-C does."""

    def stop(_signal: int, _frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _store(data: Path) -> LocalStore:
    if data.exists() and not data.is_dir():
        raise InvalidInputError(f"--data {data} is a file; name a folder")
    try:
        return LocalStore(data)
    except OSError as error:
        raise InvalidInputError(f"--data {data} cannot be used: {error.strerror or error}") from error


def open_existing(data: Path) -> LocalStore:
    """Return the store in a folder; raise InvalidInputError where there is none."""
    if not data.is_dir():
        raise InvalidInputError(f"there is no folder {data}; name the one the crawl was started with, by --data")
    return _store(data)
