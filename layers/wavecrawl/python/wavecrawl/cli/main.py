"""The command line: `wavecrawl crawl | resume | list | open | show | export | diff | serve`, and more.

Only the module of the requested command is imported, and none for the list of commands: all of them take 0.3 s.
"""

import sys
from importlib import import_module
from os import environ
from types import MappingProxyType
from typing import Any, NamedTuple

import typer

from wavecrawl.cli.console import errors_explained, out
from wavecrawl.cli.private_files import private_files
from wavecrawl.version import __version__

_CRAWLING, _RESULTS, _DATA, _OPERATION = "Crawl", "Results", "Settings and data", "For operators"
"""Panels of the help."""


class _Command(NamedTuple):
    """Where a command is, and how the list of commands shows it."""

    module: str  # in wavecrawl.cli
    name: str  # of the function; or of the group, a Typer
    panel: str
    summary: str  # its module has it too: the help of the program reads no module

    def load(self) -> Any:
        """Import the module of the command; return its function or group."""
        return getattr(import_module(f"wavecrawl.cli.{self.module}"), self.name)


_COMMANDS = MappingProxyType(
    {
        "crawl": _Command(
            "crawl",
            "crawl",
            _CRAWLING,
            "Crawl a site and write the results. By default, follow links, then crawl pages that only sitemaps list.",
        ),
        "resume": _Command(
            "crawl",
            "resume",
            _CRAWLING,
            "Continue an interrupted, failed or cancelled crawl with its own settings.",
        ),
        "cancel": _Command(
            "cancel",
            "cancel",
            _CRAWLING,
            "End a running or interrupted crawl and keep the results so far.",
        ),
        "list": _Command(
            "results",
            "list_crawls",
            _RESULTS,
            "List the crawls of a data folder with their number of pages, duration and errors, newest first.",
        ),
        "open": _Command(
            "lifecycle",
            "open_report",
            _RESULTS,
            "Open the report of a crawl in the browser, by default of the newest crawl with results. Prints its path.",
        ),
        "show": _Command(
            "results",
            "show",
            _RESULTS,
            "Show why a URL is or is not in a crawl, by default in the newest crawl that found it.",
        ),
        "export": _Command(
            "export",
            "export",
            _RESULTS,
            "Copy the results of a crawl to a folder, or print the paths of their files.",
        ),
        "diff": _Command(
            "diff",
            "diff",
            _RESULTS,
            "Show what changed on a site between two of its crawls: pages, links and depths.",
        ),
        "search": _Command(
            "knowledge",
            "search",
            _RESULTS,
            "Find passages in the pages of a site, by words and by meaning.",
        ),
        "sql": _Command(
            "sql",
            "sql",
            _RESULTS,
            "Query the crawls of a data folder with SQL (DuckDB), or those of a stack in AWS (Athena).",
        ),
        "serve": _Command(
            "serve",
            "serve",
            _RESULTS,
            "Serve the dashboard and the REST API: run requested and scheduled crawls, deliver webhooks.",
        ),
        "settings": _Command(
            "settings_list",
            "settings",
            _DATA,
            "List the settings of a crawl with their defaults, ranges and meanings.",
        ),
        "schema": _Command("schema", "schema", _DATA, "Print the JSON Schema of a line of pages.jsonl.gz."),
        "delete": _Command(
            "lifecycle",
            "delete",
            _DATA,
            "Delete a crawl that has ended, with its results, its stored pages, and the passages that were "
            "indexed from it.",
        ),
        "prune": _Command(
            "lifecycle",
            "prune",
            _DATA,
            "Delete old crawls: of each site of each tenant, all that ended before the newest N with "
            "results. Prints IDs.",
        ),
        "index": _Command(
            "knowledge",
            "index",
            _DATA,
            "Index the texts of a crawl for search, as the first search does. Only what has changed is indexed again.",
        ),
        "compare": _Command(
            "compare",
            "compare",
            _OPERATION,
            "Test whether two crawls of an unchanged site agree (exit code 1 if not). For changes, use diff.",
        ),
        "doctor": _Command(
            "doctor",
            "doctor",
            _OPERATION,
            "Check this machine, or with --stack a deployment in AWS. Each line says what is missing and "
            "how to get it.",
        ),
        "redrive": _Command(
            "cloud",
            "redrive",
            _OPERATION,
            "Retry failed batches of a deployment in AWS, after the cause is fixed.",
        ),
        "archive": _Command(
            "archive",
            "archive",
            _RESULTS,
            "Verify that the archive of a crawl replays as the crawl saw the site.",
        ),
        "admin": _Command(
            "admin",
            "admin",
            _OPERATION,
            "Manage tenants and API keys, and set up the keys of a deployment.",
        ),
    }
)
"""Command name -> its command."""

_EXAMPLES = MappingProxyType(
    {
        "": ("crawl example.com", "open", "show https://example.com/about", "export csv --to out", "diff"),
        "crawl": (
            "crawl example.com --max-pages 5000",
            "crawl example.com/docs --path-prefix /docs/ --exclude '*.pdf'",
            "crawl --urls urls.txt",
            "crawl example.com --settings wavecrawl.toml --json",
        ),
        "resume": ("resume", "resume 20261122-14"),
        "show": ("show https://example.com/about", "show /about --crawl 20261122-14"),
        "export": ("export csv --to out", "export markdown --to out --crawl 20261122-14"),
        "diff": ("diff", "diff 20261122-14 20261129-14 --kind broken_link"),
        "prune": ("prune --keep 10 --dry-run", "prune --keep 10"),
        "settings": ("settings polite", "settings --toml > wavecrawl.toml"),
    }
)
"""Command -> examples at the end of its help; "" is the whole program."""

_VERSION = ("--version", "-V")
_HELP = "Crawl a whole website: every page, the links between pages, and orphan pages that no link reaches."


def _version(requested: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if requested:
        out.print(f"wavecrawl {__version__}")
        raise typer.Exit


def root(
    ctx: typer.Context,
    *,
    version: bool = typer.Option(False, *_VERSION, callback=_version, is_eager=True, help="Show the version."),  # noqa: ARG001 - the callback uses it
) -> None:
    """Accept the options that come before a command. The files of the command are private."""
    with errors_explained():
        ctx.with_resource(private_files())


def _examples(command: str) -> str | None:
    """Return the examples as the end of a help text, in which an empty line begins a new line."""
    lines = [f"wavecrawl {one}" for one in _EXAMPLES.get(command, ())]
    return "\n\n".join(("Examples:", *lines)) if lines else None


def program(*requested: str) -> typer.Typer:
    """Return the command line. Commands other than the requested ones have their place in the help only."""
    built = typer.Typer(
        name="wavecrawl",
        help=_HELP,
        epilog=_examples(""),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback(help=_HELP, epilog=_examples(""))(root)
    for name, command in _COMMANDS.items():
        run = command.load() if name in requested else _not_loaded
        if isinstance(run, typer.Typer):
            built.add_typer(run, name=name, rich_help_panel=command.panel)
        else:
            built.command(name, short_help=command.summary, epilog=_examples(name), rich_help_panel=command.panel)(run)
    return built


def _not_loaded() -> None:
    """Take the place of a command that was not requested."""
    raise AssertionError("the requested command is loaded")


def __getattr__(name: str) -> typer.Typer:
    """Return `app`, the command line with all commands, when it is imported."""
    if name == "app":
        return program(*_COMMANDS)
    raise AttributeError(name)


def main() -> None:
    """Run the command line."""
    if "_WAVECRAWL_COMPLETE" in environ:  # the shell asks for the options of any command
        program(*_COMMANDS)()
    program(next((one for one in sys.argv[1:] if one in _COMMANDS), ""))()


if __name__ == "__main__":
    main()
