"""The main content as plain text, in one pass over the page's tokens.

It is the text that `plain_text` makes of the Markdown (`markdown_writer`): a line per line of a paragraph, blocks
separated by blank lines, table cells by tabs. Making it directly takes a third of the time.
"""

from collections.abc import Mapping
from typing import ClassVar

from msgspec import Struct

from wavecrawl.domain.pages.extraction.block_lines import TextLines
from wavecrawl.domain.pages.extraction.block_writer import (
    BLOCK_ACTIONS,
    INLINE_ACTIONS,
    Action,
    BlockWriter,
    code_lines,
    write,
)
from wavecrawl.domain.pages.extraction.footnotes import REFERENCE
from wavecrawl.domain.pages.extraction.inline_markdown import LINE_BREAK, unescaped
from wavecrawl.domain.pages.extraction.outline import Box, Outline
from wavecrawl.domain.pages.extraction.serialized_tags import Tag
from wavecrawl.domain.pages.extraction.table_rows import TextRows
from wavecrawl.domain.pages.extraction.word_boundaries import without_invisible


class MainText(Struct, frozen=True, gc=False):
    """The main text of a page."""

    text: str
    is_cut: bool  # whether the page has more text


def text_of(page: Outline, content: int, *, most: int) -> MainText:
    """Return the content of a box, without dropped boxes, in at most `most` characters."""
    writer = write(page, content, lambda tables: _TextWriter(TextLines(), TextRows(tables), most=most))
    text = "\n".join(writer.blocks.lines)
    return MainText(text[:most].rstrip(), is_cut=page.is_cut or writer.is_cut or len(text) > most)


class _TextWriter(BlockWriter):
    """Writes the blocks as lines of text."""

    inline: ClassVar[frozenset[str]] = frozenset(("a", "/a", "br", REFERENCE, f"/{REFERENCE}", *INLINE_ACTIONS))

    def flush(self) -> None:
        """End a paragraph, heading or text of a cell."""
        text = _folded("".join(self.run))
        self.run.clear()
        self.sign = -1
        self._raised.clear()
        if not text or self.rows.add(text):
            return
        self.add([text.replace("\n", " ")] if self.heading else text.split("\n"))

    def add_code(self, _box: Box, tags: list[Tag], texts: list[str]) -> None:
        """Add a code block."""
        lines = code_lines(tags, texts)
        if lines and not self.rows.add(in_cell(lines)):
            self.add(lines)

    def open_link(self, attributes: str) -> None:
        """Open a link."""
        if f" {attributes}".partition(' href="')[2].startswith("#"):
            self.sign = len(self.run)

    def close_link(self, _attributes: str) -> None:
        """Close a link."""
        self.close_sign()

    def break_line(self, _attributes: str) -> None:
        """Break the line. Two breaks in a row end the paragraph."""
        if self.is_after_break():
            self.flush()
        else:
            self.run.append(LINE_BREAK)

    actions: ClassVar[Mapping[str, Action | None]] = {
        **BLOCK_ACTIONS,
        **INLINE_ACTIONS,
        REFERENCE: lambda writer, _: writer.run.append("["),
        f"/{REFERENCE}": lambda writer, _: writer.run.append("]"),
        "a": open_link,
        "/a": close_link,
        "br": break_line,
    }


def in_cell(lines: list[str]) -> str:
    """Return the lines of code as they are in the cell of a table."""
    return " ".join([line for line in lines if line]).replace("\t", "    ")


def _folded(serialized: str) -> str:
    """Return a run of serialized text with white space folded, and its line breaks."""
    if not serialized.isascii():
        serialized = without_invisible(serialized)
    if "&nbsp;" in serialized:
        serialized = serialized.replace("&nbsp;", " ")
    if LINE_BREAK not in serialized:
        return unescaped(" ".join(serialized.split()))
    lines = [" ".join(line.split()) for line in serialized.split(LINE_BREAK)]
    return unescaped("\n".join([line for line in lines if line]))
