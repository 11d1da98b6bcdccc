"""`wavecrawl settings`: all settings of a crawl, with their defaults, ranges and meanings."""

import json
from collections.abc import Iterator
from textwrap import wrap
from typing import Annotated, Any

import msgspec
import typer

from wavecrawl.cli.console import Exit, err, plain, write_line
from wavecrawl.cli.setting_options import description
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import RANGES

_WIDTH = 100  # columns
_HEAD = "Settings of `wavecrawl crawl URL --settings FILE`. Remove the # before a setting to change its default."


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """A setting."""

    path: str  # dotted
    default: object

    @property
    def value(self) -> str:
        """The default as a value of TOML."""
        return json.dumps(self.default, ensure_ascii=False)

    @property
    def text(self) -> str:
        """The meaning and the range."""
        low, high = RANGES.get(self.path, (None, None))
        between = "" if low is None else f" From {low:,} to {high:,}."
        return description(self.path) + between


def settings(
    name: Annotated[str, typer.Argument(help="Show only this setting or group, such as polite.")] = "",
    *,
    toml: Annotated[
        bool, typer.Option("--toml", help="Print a file for --settings, with all settings as comments.")
    ] = False,
) -> None:
    """List the settings of a crawl with their defaults, ranges and meanings.

    `wavecrawl settings --toml > wavecrawl.toml` makes a file to start from: `wavecrawl crawl URL --settings
    wavecrawl.toml`.
    """
    found = [one for one in all_settings() if not name or one.path == name or one.path.startswith(f"{name}.")]
    if not found:
        err.print(f"[red]error:[/] {plain(name)} is not a setting; `wavecrawl settings` lists all")
        raise typer.Exit(Exit.NOT_FOUND)
    for line in toml_lines(found) if toml else _lines(found):
        write_line(line)


def all_settings() -> list[Setting]:
    """Return all settings: those outside groups first, so that they can stand in a TOML file in this order."""
    return sorted(_settings_of(CrawlSettings(), ""), key=lambda one: one.path.rpartition(".")[0])


def toml_lines(found: list[Setting]) -> Iterator[str]:
    """Yield the lines of a TOML file with the settings as comments."""
    yield f"# {_HEAD}"
    group = ""
    for one in found:
        table, _, name = one.path.rpartition(".")
        if table != group:
            yield from ("", f"[{table}]")
            group = table
        yield ""
        yield from (f"# {line}" for line in wrap(one.text, _WIDTH - 2))
        yield f"#{name} = {one.value}"


def _lines(found: list[Setting]) -> Iterator[str]:
    for one in found:
        yield f"{one.path} = {one.value}"
        yield from (f"    {line}" for line in wrap(one.text, _WIDTH - 4))


def _settings_of(group: Any, prefix: str) -> Iterator[Setting]:
    for name in group.__struct_fields__:
        value = getattr(group, name)
        if isinstance(value, msgspec.Struct):
            yield from _settings_of(value, f"{prefix}{name}.")
        else:
            yield Setting(path=prefix + name, default=value)
