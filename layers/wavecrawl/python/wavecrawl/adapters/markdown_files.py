"""The main texts of a crawl as Markdown files: one per page, and one for all."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from isal import igzip
from msgspec import MsgspecError, Struct
from msgspec.json import Decoder, encode

from wavecrawl.adapters.gzip_members import BROKEN
from wavecrawl.errors import CorruptDataError

_TOGETHER = "pages.md"
_FOLDER = "markdown"
_UNSAFE = re.compile(r"[^\w.-]+")
_NAME_LENGTH = 50  # characters, so that a name has less than 255 bytes
_KEY_LENGTH = 16  # of the url key, which makes the name unique among millions of pages that begin alike

_DAMAGES: tuple[type[Exception], ...] = (*BROKEN, MsgspecError)


class _Page(Struct, gc=False):
    """The fields of a line of pages.jsonl.gz that are read."""

    key: str
    url: str
    title: str
    markdown: str
    duplicate_of: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownFiles:
    """What was written."""

    folder: Path  # with a file for each page
    together: Path  # the file of all pages
    duplicates: int  # pages that were left out because they have the text of another page


def write_markdown(exports: Path, to: Path) -> MarkdownFiles:
    """Write the pages of pages.jsonl.gz in `exports` into a folder.

    Pages without text are left out, and so are pages with the text of another page.
    """
    folder, together = to / _FOLDER, to / _TOGETHER
    folder.mkdir(parents=True, exist_ok=True)
    duplicates = 0
    with together.open("wb") as file:
        for page in _with_text(exports / "pages.jsonl.gz"):
            if page.duplicate_of:
                duplicates += 1
                continue
            content = _file_of(page)
            (folder / _name_of(page)).write_bytes(content)
            file.write(content + b"\n")
    return MarkdownFiles(folder=folder, together=together, duplicates=duplicates)


def _with_text(path: Path) -> Iterator[_Page]:
    decoder = Decoder(_Page)
    try:
        with igzip.open(path) as lines:  # type: ignore[no-untyped-call]  # isal types its C part only
            for line in lines:
                page = decoder.decode(line)
                if page.markdown:
                    yield page
    except _DAMAGES as error:
        raise CorruptDataError(f"{path} cannot be read: {error}; create it again with --rebuild") from error


def _file_of(page: _Page) -> bytes:
    """Return the file of a page: URL and title as front matter in YAML, which contains JSON, then the text."""
    return b"---\nurl: %b\ntitle: %b\n---\n\n%b\n" % (encode(page.url), encode(page.title), page.markdown.encode())


def _name_of(page: _Page) -> str:
    path = unquote(page.url.partition("//")[2].partition("/")[2])
    name = _UNSAFE.sub("-", path)[:_NAME_LENGTH].strip("-.") or "index"
    return f"{name}-{page.key[:_KEY_LENGTH]}.md"
