"""The blocks of the main content, read in one pass over the page's tokens. Subclasses write them, each in its form."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from wavecrawl.domain.pages.extraction.block_lines import BlockLines
from wavecrawl.domain.pages.extraction.inline_markdown import LINE_BREAK, unescaped
from wavecrawl.domain.pages.extraction.outline import Box, Outline
from wavecrawl.domain.pages.extraction.serialized_tags import Tag
from wavecrawl.domain.pages.extraction.table_rows import TableRows, has_data
from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES
from wavecrawl.domain.pages.extraction.texts import SEPARATOR

_LINE_ENDS = frozenset(("br", "/div", "/p", "/li", "/tr"))  # in code blocks
Action: TypeAlias = Callable[[Any, str], None]
"""What to do at a tag: takes the writer and the serialized attributes."""


class BlockWriter(ABC):
    """Reads the tags and texts of one page in document order."""

    actions: ClassVar[Mapping[str, Action | None]]
    """What to do at tags; end tags have a slash. Other tags have no meaning."""

    inline: ClassVar[frozenset[str]]
    """Those of these tags that do not end a paragraph."""

    def __init__(self, blocks: BlockLines, rows: TableRows, *, most: int) -> None:
        """`most`: characters of blocks, after which there are no further ones."""
        self.blocks = blocks
        self.rows = rows
        self.run: list[str] = []  # texts and marks since the last block boundary
        self.heading = 0  # level
        self.is_cut = False  # whether something was left out
        self.sign = -1  # where in the run an open link within the page begins
        self._most = most

    def read(self, tags: list[Tag], texts: list[str]) -> None:
        """Read tags with the texts that follow them."""
        run, actions, inline = self.run, self.actions, self.inline
        for tag, text in zip(tags, texts, strict=True):
            name = tag.name
            if name in actions:
                if run and name not in inline:
                    self.flush()
                action = actions[name]
                if action is not None:
                    action(self, tag.attributes)
            if text and (run or not text.isspace()):
                run.append(text)

    @abstractmethod
    def flush(self) -> None:
        """End a paragraph, heading or text of a cell."""
        ...

    @abstractmethod
    def add_code(self, box: Box, tags: list[Tag], texts: list[str]) -> None:
        """Add a code block, given its tags without the last one, and its texts."""
        ...

    def add(self, lines: list[str]) -> None:
        """Add a block."""
        if self.blocks.size > self._most:
            self.is_cut = True
        else:
            self.blocks.add(lines)

    def close_table(self, _attributes: str) -> None:
        """End a table."""
        lines = self.rows.close_table()
        if lines:
            self.add(lines)

    def set_heading(self, level: int) -> None:
        """Begin a heading; 0 ends it."""
        self.heading = level

    def close_sign(self) -> None:
        """Remove the text of a link within the page if it is only a sign beside a heading, such as a pilcrow."""
        if self.sign >= 0:
            sign = "".join([part for part in self.run[self.sign :] if part[0] not in "<>"]).strip()
            if len(sign) == 1 and not sign.isalnum():
                del self.run[self.sign :]
            self.sign = -1

    def is_after_break(self) -> bool:
        """Return whether the last text of the run is a line break."""
        texts = (part for part in reversed(self.run) if part == LINE_BREAK or (part[0] not in "<>" and part.strip()))
        return next(texts, "") == LINE_BREAK


def write(page: Outline, content: int, writer: Callable[[list[bool]], BlockWriter]) -> BlockWriter:
    """Write the content of a box, without dropped boxes.

    `writer` returns a new writer, given of each table in document order whether it has data.
    """
    boxes, tags, texts = page.boxes, page.tags, page.texts
    root = boxes[content]
    tables: list[bool] = []
    apart: list[Box] = []  # dropped, or a code block
    index = content + 1
    while index < root.after:
        box = boxes[index]
        if box.dropped or box.tag == "pre":
            apart.append(box)
            index = box.after
            continue
        if box.tag == "table":
            tables.append(has_data(page, index))
        index += 1
    written = writer(tables)
    begin = root.begin
    for box in apart:
        written.read(tags[begin : box.begin], texts[begin : box.begin])
        written.flush()
        if not box.dropped:
            written.add_code(box, tags[box.begin : box.finish], texts[box.begin : box.finish])
        begin = box.finish
    written.read(tags[begin : root.finish], texts[begin : root.finish])
    written.flush()
    return written


def code_lines(tags: list[Tag], texts: list[str]) -> list[str]:
    """Return the lines of a code block, given its tags and texts, without blank ones around them."""
    parts = [f"\n{text}" if _ends_line(tag) else text for tag, text in zip(tags, texts, strict=True)]
    code = unescaped("".join(parts).replace(SEPARATOR, ""))
    lines = [line.rstrip() for line in code.split("\n")]
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _ends_line(tag: Tag) -> bool:
    return tag.name in _LINE_ENDS and not tag.attributes


def _heading(level: int) -> dict[str, Action]:
    return {
        f"h{level}": lambda writer, _: writer.set_heading(level),
        f"/h{level}": lambda writer, _: writer.set_heading(0),
    }


def same(action: Action, names: str) -> dict[str, Action]:
    """Return the same action for some tags."""
    return dict.fromkeys(names.split(), action)


BLOCK_ACTIONS: Final[Mapping[str, Action | None]] = (
    {name: None for block in (*BLOCK_NAMES, "hr") for name in (block, f"/{block}")}
    | dict(pair for level in range(1, 7) for pair in _heading(level).items())
    | same(lambda writer, _: writer.blocks.open_quote(), "blockquote")
    | same(lambda writer, _: writer.blocks.open_list("", ordered=False), "ul dl menu")
    | same(lambda writer, attributes: writer.blocks.open_list(attributes, ordered=True), "ol")
    | same(lambda writer, _: writer.blocks.close_list(), "/ul /ol /dl /menu")
    | same(lambda writer, _: writer.blocks.open_item(), "li dt")
    | same(lambda writer, _: writer.blocks.open_definition(), "dd")
    | same(lambda writer, _: writer.blocks.close(), "/blockquote /li /dt /dd")
    | same(lambda writer, _: writer.rows.open_table(), "table")
    | same(lambda writer, _: writer.rows.open_row(), "tr")
    | same(lambda writer, _: writer.rows.open_cell(), "td th")
    | same(lambda writer, _: writer.rows.close_cell(), "/td /th")
    | {"/table": BlockWriter.close_table}
)
"""What to do at the tags of blocks, which end a paragraph."""
