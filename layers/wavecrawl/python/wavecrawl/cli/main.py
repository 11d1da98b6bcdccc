"""The command line: `wavecrawl crawl | resume | cancel | list | show | export | diff | compare | serve`, and more.

A command is loaded when it is asked for: what all of them need together takes a tenth of a second to load, which a
crawl would spend before its first request.
"""

import sys
from importlib import import_module
from types import MappingProxyType

import typer

from wavecrawl import __version__
from wavecrawl.cli.console import out

_COMMANDS = MappingProxyType(
    {
        "crawl": ("crawl", "crawl"),
        "resume": ("crawl", "resume"),
        "cancel": ("cancel", "cancel"),
        "list": ("results", "list_crawls"),
        "show": ("results", "show"),
        "export": ("results", "export"),
        "compare": ("compare", "compare"),
        "diff": ("diff", "diff"),
        "redrive": ("cloud", "redrive"),
        "serve": ("serve", "serve"),
    }
)
"""By name: the module of wavecrawl.cli, and the function in it."""
_GROUPS = MappingProxyType({"admin": ("admin", "admin")})
"""Likewise, with the group of commands in it."""


_VERSION = "--version"


def _version(asked: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if asked:
        out.print(f"wavecrawl {__version__}")
        raise typer.Exit


def root(
    *,
    version: bool = typer.Option(False, _VERSION, callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Crawl a whole website: every page, the graph between them, the orphans no link reaches."""


def program(asked: str = "") -> typer.Typer:
    """Return the command line with the command that is asked for alone, or with all where there is no such command."""
    known = asked in _COMMANDS or asked in _GROUPS or asked == _VERSION
    built = typer.Typer(
        name="wavecrawl",
        help="Crawl a whole website: every page, the graph between them, the orphans no link reaches.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback()(root)
    for name, (module, function) in _COMMANDS.items():
        if not known or name == asked:
            built.command(name)(getattr(import_module(f"wavecrawl.cli.{module}"), function))
    for name, (module, group) in _GROUPS.items():
        if not known or name == asked:
            built.add_typer(getattr(import_module(f"wavecrawl.cli.{module}"), group), name=name)
    return built


def __getattr__(name: str) -> typer.Typer:
    """Make `app`, the command line with all commands, for whoever imports it."""
    if name == "app":
        return program()
    raise AttributeError(name)


def main() -> None:
    """Run the command line."""
    program(sys.argv[1] if len(sys.argv) > 1 else "")()


if __name__ == "__main__":
    main()
