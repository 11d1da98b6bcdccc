"""`wavecrawl crawl` and `wavecrawl resume`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from wavecrawl.application.start_settings import is_loopback
from wavecrawl.application.wacz_package import MOST_MB
from wavecrawl.bootstrap.browsers import renders
from wavecrawl.bootstrap.local import require_media
from wavecrawl.cli.console import err, errors_explained, one_line
from wavecrawl.cli.crawl_choice import InterruptedArgument, NamedOption, crawl_to_resume, named
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing, open_folder
from wavecrawl.cli.issue_budgets import issue_budget
from wavecrawl.cli.network_options import CaFileOption, ProxyOption, apply_network
from wavecrawl.cli.options import Media, free_settings, media_groups, settings_from, urls_of
from wavecrawl.cli.run_to_end import RunOptions, run_to_end
from wavecrawl.cli.setting_options import setting_option
from wavecrawl.cli.site_login import (
    AuthFileOption,
    BasicAuthOption,
    ClientCertOption,
    ClientKeyOption,
    CookieOption,
    HeaderOption,
    NoAuthOption,
    apply_login,
    login_of,
)
from wavecrawl.cli.start_url import start_url, start_urls
from wavecrawl.domain.archive.settings import ArchiveContent
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeMode
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.rendering.settings import RenderMode, Screenshots
from wavecrawl.errors import BrowserMissingError, InvalidInputError

JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as one line of JSON.")]
QuietOption = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="Print no progress, notes or summary. Errors and the output of --json are printed."
    ),
]
WorkersOption = Annotated[
    int,
    typer.Option("--workers", "-w", min=0, max=64, help="Number of worker processes; 0 = one per core, at least 2."),
]

WaczOption = Annotated[
    int,
    typer.Option(
        "--wacz-mb",
        min=0,
        help="Maximum MB of crawl.wacz, for replay tools. A larger file is not created; 0 = never create it.",
    ),
]

ResultsOption = Annotated[
    bool,
    typer.Option(
        "--results/--no-results",
        help="Create the results when the crawl ends. With --no-results, `wavecrawl export --rebuild` can create "
        "them later.",
    ),
]

MetricsOption = Annotated[
    Path | None,
    typer.Option("--metrics", help="File to write Prometheus metrics of the crawl to. Not with --no-results."),
]

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="KIND:NUMBER",
        help="Exit with code 1 if the crawl finds more issues of a kind (broken_link:0) or severity (error:0) than "
        "this number, or leaves more known URLs unread because of a limit (unread_url:0). Repeatable. "
        "docs/checks.md lists the kinds.",
    ),
]

JunitOption = Annotated[
    Path | None, typer.Option("--junit", help="File to write the checks of --fail-on to, as JUnit XML.")
]

EnforceOption = Annotated[
    bool,
    typer.Option("--enforce", help="Exit with code 1 if the crawl misses an objective (settings objectives.*)."),
]


def crawl(
    url: Annotated[
        str,
        typer.Argument(
            help="Start URL, or a host such as example.com: https is tried, then http. If it "
            "redirects, the target is the root URL. Default: the demo site."
        ),
    ] = "",
    *,
    data: DataOption = DATA,
    settings_file: Annotated[
        Path | None, typer.Option("--settings", help="TOML or JSON file of settings. Options override it.")
    ] = None,
    discovery: Annotated[Discovery | None, setting_option("discovery")] = None,
    strategy: Annotated[Strategy | None, setting_option("strategy")] = None,
    focus: Annotated[list[str] | None, setting_option("focus.terms")] = None,
    extract: Annotated[list[str] | None, setting_option("extract.rules", "--extract")] = None,
    mode: Annotated[Mode | None, setting_option("mode")] = None,
    url_list: Annotated[
        Path | None,
        typer.Option(
            "--urls",
            help="File with the URLs to crawl, one per line, and no others (discovery list). It may be compressed with "
            "gzip. The site is that of the start URL, or else the origin of the first URL.",
        ),
    ] = None,
    scope: Annotated[ScopeMode | None, setting_option("scope.mode")] = None,
    path_prefix: Annotated[str | None, setting_option("scope.path_prefix")] = None,
    render: Annotated[RenderMode | None, setting_option("render.mode", "--render")] = None,
    screenshots: Annotated[Screenshots | None, setting_option("render.screenshots", "--screenshots")] = None,
    media: Annotated[list[Media] | None, setting_option("media.include", "--media")] = None,
    archive: Annotated[ArchiveContent | None, setting_option("archive.content", "--archive")] = None,
    check_external: Annotated[
        bool | None, setting_option("checks.external", "--check-external/--no-check-external")
    ] = None,
    check_resources: Annotated[
        bool | None, setting_option("checks.resources", "--check-resources/--no-check-resources")
    ] = None,
    include: Annotated[list[str] | None, setting_option("scope.include")] = None,
    exclude: Annotated[list[str] | None, setting_option("scope.exclude")] = None,
    index: Annotated[
        bool | None,
        typer.Option(
            "--index/--no-index",
            help="--index: wait until the texts are indexed for search. --no-index: never index this crawl. Default: "
            "the first search indexes it, or wavecrawl serve in the background.",
            rich_help_panel="Rendering, media, checks and search",
        ),
    ] = None,
    max_pages: Annotated[int | None, setting_option("max_pages")] = None,
    max_tries: Annotated[int | None, setting_option("max_tries")] = None,
    max_depth: Annotated[int | None, setting_option("max_depth")] = None,
    max_seconds: Annotated[float | None, setting_option("max_seconds")] = None,
    max_frontier: Annotated[int | None, setting_option("max_frontier")] = None,
    in_flight: Annotated[int | None, setting_option("polite.in_flight")] = None,
    interval: Annotated[float | None, setting_option("polite.interval")] = None,
    adapt: Annotated[bool | None, setting_option("polite.adapt")] = None,
    robots: Annotated[bool | None, setting_option("polite.obey_robots", "--robots/--ignore-robots")] = None,
    follow_nofollow: Annotated[bool | None, setting_option("follow_nofollow")] = None,
    follow_redirects: Annotated[bool | None, setting_option("follow_redirects")] = None,
    revalidate: Annotated[bool | None, setting_option("revalidate")] = None,
    timeout: Annotated[float | None, setting_option("limits.timeout")] = None,
    max_bytes: Annotated[int | None, setting_option("limits.max_bytes")] = None,
    max_retries: Annotated[int | None, setting_option("max_retries")] = None,
    max_redirects: Annotated[int | None, setting_option("max_redirects")] = None,
    contact: Annotated[str | None, setting_option("contact", envvar="WAVECRAWL_CONTACT")] = None,
    accept_language: Annotated[str | None, setting_option("accept_language")] = None,
    allow_address: Annotated[list[str] | None, setting_option("allowed_addresses")] = None,
    header: HeaderOption = None,
    cookie: CookieOption = None,
    basic_auth: BasicAuthOption = None,
    auth_file: AuthFileOption = None,
    client_cert: ClientCertOption = None,
    client_key: ClientKeyOption = None,
    no_auth: NoAuthOption = False,
    ca_file: CaFileOption = None,
    proxy: ProxyOption = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any setting as name=value, such as waves.batch_size=10. Repeatable."),
    ] = None,
    workers: WorkersOption = 0,
    results: ResultsOption = True,
    wacz_mb: WaczOption = MOST_MB,
    metrics: MetricsOption = None,
    enforce: EnforceOption = False,
    fail_on: FailOnOption = None,
    junit: JunitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Crawl a site and write the results. By default, follow links, then crawl pages that only sitemaps list."""
    options: dict[str, Any] = {
        "discovery": discovery,
        "strategy": strategy,
        "focus.terms": focus,
        "extract.rules": extract,
        "mode": mode,
        "scope.mode": scope,
        "scope.path_prefix": path_prefix,
        "render.mode": render,
        "render.screenshots": screenshots,
        "media.include": media_groups(media or []),
        "archive.content": archive,
        "checks.external": check_external,
        "checks.resources": check_resources,
        "scope.include": include,
        "scope.exclude": exclude,
        "knowledge.enabled": index,
        "max_pages": max_pages,
        "max_tries": max_tries,
        "max_depth": max_depth,
        "max_seconds": max_seconds,
        "max_frontier": max_frontier,
        "polite.in_flight": in_flight,
        "polite.interval": interval,
        "polite.adapt": adapt,
        "polite.obey_robots": robots,
        "follow_nofollow": follow_nofollow,
        "follow_redirects": follow_redirects,
        "revalidate": revalidate,
        "limits.timeout": timeout,
        "limits.max_bytes": max_bytes,
        "max_retries": max_retries,
        "max_redirects": max_redirects,
        "contact": contact,
        "accept_language": accept_language,
        "allowed_addresses": allow_address,
    }
    with errors_explained():
        apply_network(ca_file=ca_file, proxy=proxy)
        run = RunOptions(
            workers=workers,
            results=results,
            wacz_mb=wacz_mb,
            metrics=metrics,
            enforce=enforce,
            budgets=[issue_budget(text) for text in fail_on or ()],
            junit=junit,
            index=bool(index),
            as_json=as_json,
            quiet=quiet,
        )
        login = login_of(
            header or (),
            cookie or (),
            basic_auth,
            auth_file,
            forget=no_auth,
            client_cert=client_cert,
            client_key=client_key,
        )
        if url_list:
            options |= {"urls": list(urls_of(url_list)), "discovery": discovery or Discovery.LIST}
        options = {name: value for name, value in options.items() if value != []} | free_settings(set_ or [])

        def settings_of(start: str) -> CrawlSettings:
            return settings_from(start, options, file=settings_file)

        with start_urls(url, url_list, quiet=quiet) as addresses:
            settings = settings_of(addresses[0])
            if not settings.contact and not is_loopback(addresses[0]) and not quiet:
                err.print("[yellow]note:[/] the User-Agent has no contact for the site's owner; set --contact")
            if settings.focus.terms and settings.strategy is Strategy.BFS and not quiet:
                err.print("[yellow]note:[/] focus terms do not change the order of a crawl with --strategy bfs")
            run.check_budgets(settings)
            _require_browser(settings)
            if settings.media.include:
                require_media()
            if enforce and not settings.objectives.has_target:
                raise InvalidInputError("--enforce needs an objective, such as --set objectives.density=0.6")
            start = start_url(addresses, settings_of, data=data, quiet=quiet)
            store = open_folder(data)
            try:
                apply_login(login, start, settings_of(start), store, quiet=quiet)
                run_to_end(store, store.start(start, settings_of(start)), run)
            finally:
                store.close()


def resume(
    crawl_id: InterruptedArgument = None,
    *,
    crawl: NamedOption = None,
    data: DataOption = DATA,
    ca_file: CaFileOption = None,
    proxy: ProxyOption = None,
    workers: WorkersOption = 0,
    results: ResultsOption = True,
    wacz_mb: WaczOption = MOST_MB,
    metrics: MetricsOption = None,
    enforce: EnforceOption = False,
    fail_on: FailOnOption = None,
    junit: JunitOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Continue an interrupted, failed or cancelled crawl with its own settings."""
    with errors_explained():
        apply_network(ca_file=ca_file, proxy=proxy)
        run = RunOptions(
            workers=workers,
            results=results,
            wacz_mb=wacz_mb,
            metrics=metrics,
            enforce=enforce,
            budgets=[issue_budget(text) for text in fail_on or ()],
            junit=junit,
            as_json=as_json,
            quiet=quiet,
        )
        store = open_existing(data)
        try:
            row = crawl_to_resume(store, named(crawl_id, crawl))
            run.check_budgets(row.settings)
            row = store.resume(row)
            if not quiet:
                err.print(f"resuming crawl {row.id.crawl} of {one_line(row.start_url)}")
            run_to_end(store, row, run)
        finally:
            store.close()


def _require_browser(settings: CrawlSettings) -> None:
    """Start a browser if the crawl cannot do without. Raise BrowserMissingError if there is none that starts."""
    if not (renders(settings) and settings.render.needs_browser):
        return
    from wavecrawl.bootstrap.machine_checks import browser_finding  # noqa: PLC0415 - few crawls need it

    if problem := browser_finding().problem:
        raise BrowserMissingError(f"rendering all pages, or screenshots, need a browser: {problem}")
