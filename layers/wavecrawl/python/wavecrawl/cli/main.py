"""The command line: `wavecrawl crawl | resume | list | open | show | export | diff | serve`, and more.

Only the module of the requested command is imported: importing all of them takes 0.1 s.
"""

import sys
from importlib import import_module
from types import MappingProxyType

import typer

from wavecrawl.cli.console import errors_explained, out
from wavecrawl.cli.private_files import private_files
from wavecrawl.version import __version__

_CRAWLING, _RESULTS, _DATA, _OPERATION = "Crawl", "Results", "Settings and data", "For operators"
"""Panels of the help."""

_COMMANDS = MappingProxyType(
    {
        "crawl": ("crawl", "crawl", _CRAWLING),
        "resume": ("crawl", "resume", _CRAWLING),
        "cancel": ("cancel", "cancel", _CRAWLING),
        "list": ("results", "list_crawls", _RESULTS),
        "open": ("lifecycle", "open_report", _RESULTS),
        "show": ("results", "show", _RESULTS),
        "export": ("export", "export", _RESULTS),
        "diff": ("diff", "diff", _RESULTS),
        "search": ("knowledge", "search", _RESULTS),
        "sql": ("sql", "sql", _RESULTS),
        "serve": ("serve", "serve", _RESULTS),
        "settings": ("settings_list", "settings", _DATA),
        "schema": ("schema", "schema", _DATA),
        "delete": ("lifecycle", "delete", _DATA),
        "prune": ("lifecycle", "prune", _DATA),
        "index": ("knowledge", "index", _DATA),
        "compare": ("compare", "compare", _OPERATION),
        "doctor": ("doctor", "doctor", _OPERATION),
        "redrive": ("cloud", "redrive", _OPERATION),
    }
)
"""Command name -> (module in wavecrawl.cli, function, panel)."""
_GROUPS = MappingProxyType({"admin": ("admin", "admin", _OPERATION)})
"""Group name -> (module in wavecrawl.cli, group of commands, panel)."""

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


def program(command: str = "") -> typer.Typer:
    """Return the command line with one command only, or with all if there is no such command."""
    known = command in _COMMANDS or command in _GROUPS or command in _VERSION
    built = typer.Typer(
        name="wavecrawl",
        help=_HELP,
        epilog=_examples(""),
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback(help=_HELP, epilog=_examples(""))(root)
    for name, (module, function, panel) in _COMMANDS.items():
        if not known or name == command:
            run = getattr(import_module(f"wavecrawl.cli.{module}"), function)
            built.command(name, epilog=_examples(name), rich_help_panel=panel)(run)
    for name, (module, group, panel) in _GROUPS.items():
        if not known or name == command:
            built.add_typer(getattr(import_module(f"wavecrawl.cli.{module}"), group), name=name, rich_help_panel=panel)
    return built


def __getattr__(name: str) -> typer.Typer:
    """Return `app`, the command line with all commands, when it is imported."""
    if name == "app":
        return program()
    raise AttributeError(name)


def main() -> None:
    """Run the command line."""
    program(sys.argv[1] if len(sys.argv) > 1 else "")()


if __name__ == "__main__":
    main()
