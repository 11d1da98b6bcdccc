"""The command line: `wavecrawl crawl | resume | cancel | list | show | export | diff | compare | serve`, and more.

Only the module of the requested command is imported: importing all of them takes 0.1 s.
"""

import sys
from importlib import import_module
from types import MappingProxyType

import typer

from wavecrawl.cli.console import out
from wavecrawl.version import __version__

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
        "doctor": ("doctor", "doctor"),
        "redrive": ("cloud", "redrive"),
        "index": ("knowledge", "index"),
        "search": ("knowledge", "search"),
        "serve": ("serve", "serve"),
        "sql": ("sql", "sql"),
    }
)
"""Command name -> (module in wavecrawl.cli, function)."""
_GROUPS = MappingProxyType({"admin": ("admin", "admin")})
"""Group name -> (module in wavecrawl.cli, group of commands)."""


_VERSION = ("--version", "-V")
_HELP = "Crawl a whole website: every page, the links between pages, and orphan pages that no link reaches."


def _version(requested: bool) -> None:  # noqa: FBT001 - typer's callback signature
    if requested:
        out.print(f"wavecrawl {__version__}")
        raise typer.Exit


def root(
    *,
    version: bool = typer.Option(False, *_VERSION, callback=_version, is_eager=True, help="Show the version."),
) -> None:
    """Accept the options that come before a command."""


def program(command: str = "") -> typer.Typer:
    """Return the command line with one command only, or with all if there is no such command."""
    known = command in _COMMANDS or command in _GROUPS or command in _VERSION
    built = typer.Typer(
        name="wavecrawl",
        help=_HELP,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    built.callback(help=_HELP)(root)
    for name, (module, function) in _COMMANDS.items():
        if not known or name == command:
            built.command(name)(getattr(import_module(f"wavecrawl.cli.{module}"), function))
    for name, (module, group) in _GROUPS.items():
        if not known or name == command:
            built.add_typer(getattr(import_module(f"wavecrawl.cli.{module}"), group), name=name)
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
