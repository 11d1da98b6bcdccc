"""The main texts of a crawl as Markdown: a file per page and one for all, or a field of the lines of pages.jsonl.gz."""

import re
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from urllib.parse import unquote

import msgspec
from isal import igzip
from msgspec import MsgspecError, Struct
from msgspec.json import Decoder, encode

from wavecrawl.adapters.batch_objects import place_in
from wavecrawl.adapters.gzip_members import BROKEN, compressed_in_pieces
from wavecrawl.application.page_markdown import MarkdownView, PageMarkdown
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError

PAGES: Final = "pages.jsonl.gz"
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
    text: str
    batch: str
    duplicate_of: str
    markdown: str | None = None  # earlier versions wrote it


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """Pages with a main text whose Markdown cannot be made."""

    pages: int = 0
    url: str = ""  # of the first of them
    problem: str = ""  # of the first of them

    def and_one(self, url: str, problem: str) -> "Missing":
        """Return the same with another page."""
        return Missing(pages=self.pages + 1, url=self.url or url, problem=self.problem or problem)


class MarkdownFiles(msgspec.Struct, frozen=True, kw_only=True):
    """What was written."""

    paths: tuple[Path, ...]
    duplicates: int = 0  # pages that were left out because they have the text of another page
    missing: Missing = Missing()


def write_markdown(exports: Path, to: Path, crawl: CrawlId, view: MarkdownView) -> MarkdownFiles:
    """Write the pages of pages.jsonl.gz in `exports` into a folder.

    Pages without text are left out, and so are pages with the text of another page.
    """
    folder, together = to / _FOLDER, to / _TOGETHER
    folder.mkdir(parents=True, exist_ok=True)
    duplicates, missing = 0, Missing()

    def originals() -> Iterator[_Page]:
        nonlocal duplicates
        for _, page in _lines(exports / PAGES):
            if page.text and page.duplicate_of:
                duplicates += 1
            elif page.text:
                yield page

    with together.open("wb") as file, closing(view.of_all(originals(), lambda page: _place(crawl, page))) as made:
        for page, markdown in made:
            text = page.markdown or markdown.text
            if text is None:
                missing = missing.and_one(page.url, markdown.problem)
                continue
            content = _file_of(page, text)
            (folder / _name_of(page)).write_bytes(content)
            file.write(content + b"\n")
    return MarkdownFiles(paths=(folder, together), duplicates=duplicates, missing=missing)


def write_lines(exports: Path, to: Path, crawl: CrawlId, view: MarkdownView) -> MarkdownFiles:
    """Write pages.jsonl.gz into a folder with the main texts as Markdown too: null if it cannot be made.

    Lines that have it already, as earlier versions wrote it, stay as they are.
    """
    path, missing = to / PAGES, Missing()

    def lines() -> Iterator[bytes]:
        nonlocal missing
        with closing(view.of_all(_lines(exports / PAGES), lambda one: _place(crawl, one[1]))) as made:
            for (line, page), markdown in made:
                if markdown.text is None:
                    missing = missing.and_one(page.url, markdown.problem)
                yield _with_markdown(line, markdown) if page.markdown is None else line

    with path.open("wb") as file:
        file.writelines(compressed_in_pieces(lines()))
    return MarkdownFiles(paths=(path,), missing=missing)


def _lines(path: Path) -> Iterator[tuple[bytes, _Page]]:
    decoder = Decoder(_Page)
    try:
        with igzip.open(path) as lines:  # type: ignore[no-untyped-call]  # isal types its C part only
            for line in lines:
                yield line, decoder.decode(line)
    except _DAMAGES as error:
        raise CorruptDataError(f"{path} cannot be read: {error}; create it again with --rebuild") from error


def _place(crawl: CrawlId, page: _Page) -> str:
    """Return the place of a page whose Markdown has to be made, otherwise ""."""
    return place_in(crawl, page.batch, page.key) if page.text and not page.markdown else ""


def _with_markdown(line: bytes, markdown: PageMarkdown) -> bytes:
    return line.rstrip()[:-1] + b',"markdown":' + encode(markdown.text) + b"}\n"


def _file_of(page: _Page, markdown: str) -> bytes:
    """Return the file of a page: URL and title as front matter in YAML, which contains JSON, then the text."""
    return b"---\nurl: %b\ntitle: %b\n---\n\n%b\n" % (encode(page.url), encode(page.title), markdown.encode())


def _name_of(page: _Page) -> str:
    path = unquote(page.url.partition("//")[2].partition("/")[2])
    name = _UNSAFE.sub("-", path)[:_NAME_LENGTH].strip("-.") or "index"
    return f"{name}-{page.key[:_KEY_LENGTH]}.md"
