"""llms.txt: the pages of a site for language models (https://llmstxt.org)."""

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

import msgspec

from wavecrawl.domain.pages.control_characters import without_controls

OPTIONAL: Final = "Optional"
"""The section that readers may skip if they need a shorter text."""

_LONGEST_TITLE: Final = 200  # characters
_LONGEST_DESCRIPTION: Final = 300  # characters
_MARKS: Final = re.compile(r"[\[\]\\`*_<>]")  # of Markdown
_ENCODED: Final = str.maketrans({"(": "%28", ")": "%29", "<": "%3C", ">": "%3E", " ": "%20"})


class LlmsPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the list."""

    section: str
    url: str
    title: str  # "" = the URL is shown
    description: str = ""


def llms_txt(pages: Iterable[LlmsPage], *, name: str, summary: str = "", note: str = "") -> Iterator[str]:
    """Yield the file in pieces. Pages of a section are in a row; those of `OPTIONAL` come last.

    `name` is that of the site. `summary` and `note` are texts of one paragraph each.
    """
    yield f"# {_text(name, _LONGEST_TITLE)}\n"
    if summary:
        yield f"\n> {_text(summary, _LONGEST_DESCRIPTION)}\n"
    if note:
        yield f"\n{_text(note, _LONGEST_DESCRIPTION)}\n"
    for section, listed in groupby(pages, lambda page: page.section):
        yield f"\n## {_text(section, _LONGEST_TITLE)}\n\n"
        yield from map(_line, listed)


def _line(page: LlmsPage) -> str:
    title, description = _text(page.title, _LONGEST_TITLE), _text(page.description, _LONGEST_DESCRIPTION)
    line = f"- [{title or _text(page.url, len(page.url))}]({page.url.translate(_ENCODED)})"
    return f"{line}: {description}\n" if description and description != title else f"{line}\n"


def _text(text: str, most: int) -> str:
    """Return a text as one line of Markdown, cut at a word."""
    words = " ".join(without_controls(text).split())
    if len(words) > most:
        words = words[: most + 1].rpartition(" ")[0] or words[:most]
        words = f"{words} ..."
    return _MARKS.sub(lambda mark: f"\\{mark[0]}", words)
