"""Command-line options for the settings of a crawl."""

from enum import StrEnum
from functools import cache, reduce
from typing import Any, get_type_hints

import typer

from wavecrawl.domain.crawl.settings import CrawlSettings

_DEFAULTS = CrawlSettings()
_PANELS = {
    "Limits": ("max_", "limits."),
    "Politeness": ("polite.", "contact", "allowed_addresses"),
    "Rendering, media, checks and search": ("render.", "media.", "archive.", "checks.", "knowledge."),
}
"""Title of a panel of the help -> how the settings in it begin. All others say what to crawl."""


def setting_option(path: str, *flags: str, envvar: str | None = None) -> Any:
    """Return the option of a setting, which is named by its dotted path: with the setting's description and default."""
    default: Any = reduce(getattr, path.split("."), _DEFAULTS)
    text = description(path).replace("`", "").replace("[", r"\[")  # the help would read it as markup
    repeatable = " Repeatable." if isinstance(default, tuple) else ""
    shown = _shown(default)
    return typer.Option(*flags, help=text + repeatable, show_default=shown, envvar=envvar, rich_help_panel=_panel(path))


def _panel(path: str) -> str:
    """Return the title of the panel of the help that a setting belongs to."""
    return next((title for title, starts in _PANELS.items() if path.startswith(starts)), "What to crawl")


def _shown(default: object) -> str | bool:
    """Return the default as the help shows it; False shows none."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return False if default in ((), "") else str(default)


def description(path: str) -> str:
    """Return what a setting means."""
    hint: Any = CrawlSettings
    for name in path.split("."):
        hint = _hints(hint)[name]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return ". ".join(line.strip(" -.") for line in (hint.__doc__ or "").splitlines() if line.strip()) + "."
    return str(hint.__metadata__[0])


@cache
def _hints(shape: type) -> dict[str, Any]:
    return get_type_hints(shape, include_extras=True)
