"""The blocks of the main content, read in one pass over the page's tokens. Subclasses write them, each in its form."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Final, TypeAlias

from wavecrawl.domain.pages.extraction.block_lines import BlockLines
from wavecrawl.domain.pages.extraction.footnotes import NOTE
from wavecrawl.domain.pages.extraction.inline_markdown import LINE_BREAK, unescaped
from wavecrawl.domain.pages.extraction.names import is_admonition
from wavecrawl.domain.pages.extraction.outline import Box, Outline
from wavecrawl.domain.pages.extraction.serialized_tags import NOTHING, Tag
from wavecrawl.domain.pages.extraction.table_rows import TableRows, tables_with_data
from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES
from wavecrawl.domain.pages.extraction.texts import SEPARATOR
from wavecrawl.domain.pages.extraction.word_boundaries import without_invisible

_LINE_ENDS = frozenset(("br", "/div", "/p", "/li", "/tr"))  # in code blocks
_AROUND_SIGN = " \t\n\f\r\ufe0e\ufe0f"  # white space, and what chooses the form of an arrow
_POWER = re.compile(r"[-+\u2212]?\d{1,4}")
_QUOTED = frozenset(("div", "aside", "section", "details"))
_NOTE = re.compile(rf'(?:^| ){NOTE}="([A-Za-z0-9.-]+)"')
Action: TypeAlias = Callable[[Any, str], None]
"""What to do at a tag: takes the writer and the serialized attributes."""
_MOST_RAISED = 20  # pieces of a superscript that is read as a number


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
        self.is_displayed = False  # whether the open formula is
        self.sign = -1  # where in the run an open link within the page begins
        self._raised: list[int] = []  # where in the run open superscripts begin
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

    def open_cell(self, attributes: str, *, is_head: bool) -> None:
        """Begin a cell of a table."""
        self.rows.open_cell(attributes, is_head=is_head, depth=self.blocks.depth)

    def close_table(self, _attributes: str) -> None:
        """End a table."""
        lines = self.rows.close_table()
        if lines:
            self.add(lines)

    def open_raised(self, _attributes: str) -> None:
        """Begin a superscript."""
        self._raised.append(len(self.run))

    def close_raised(self, _attributes: str) -> None:
        """End a superscript. If it is a number after a word or number, "^" parts them."""
        begin = self._raised.pop() if self._raised else len(self.run)
        if len(self.run) - begin > _MOST_RAISED:
            return
        raised = "".join([part for part in self.run[begin:] if part[0] not in "<>"])
        if raised and _POWER.fullmatch(raised):
            before = begin - 1
            while before >= 0 and self.run[before][0] in "<>" and self.run[before] != LINE_BREAK:
                before -= 1
            last = self.run[before][-1] if before >= 0 and self.run[before] != LINE_BREAK else ""
            if last.isalnum() or last == ")":
                self.run.insert(begin, "^")

    def open_formula(self, attributes: str) -> None:
        """Begin a formula. A displayed one is a paragraph of its own."""
        self.is_displayed = "display=" in attributes and not self.heading
        if self.is_displayed and self.run:
            self.flush()

    def close_formula(self, _attributes: str) -> None:
        """End a formula."""
        if self.is_displayed:
            self.flush()

    def set_heading(self, level: int) -> None:
        """Begin a heading; 0 ends it."""
        self.heading = level

    def close_sign(self) -> None:
        """Remove the text of a link within the page if it is only a sign beside a heading, such as a pilcrow."""
        if self.sign >= 0:
            sign = "".join([part for part in self.run[self.sign :] if part[0] not in "<>"]).strip(_AROUND_SIGN)
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
    apart: list[Box] = []  # dropped, or a code block
    has_tables = False
    index = content + 1
    while index < root.after:
        box = boxes[index]
        if box.dropped or box.tag == "pre":
            apart.append(box)
            index = box.after
            continue
        if box.tag == "table":
            has_tables = True
        elif box.attributes and (page.has_notes or box.tag in _QUOTED):
            _rename(tags, box)
        index += 1
    written = writer(tables_with_data(page, content) if has_tables else [])
    begin = root.begin
    for box in apart:
        if box.dropped and box.finish < len(tags):
            tags[box.finish] = Tag("/div", "", NOTHING)  # its start is not read, so its end must not end another one
        written.read(tags[begin : box.begin], texts[begin : box.begin])
        written.flush()
        if not box.dropped:
            written.add_code(box, tags[box.begin : box.finish], texts[box.begin : box.finish])
        begin = box.finish
    written.read(tags[begin : root.finish], texts[begin : root.finish])
    written.flush()
    while written.rows.has_open_table:
        written.close_table("")
    return written


def _rename(tags: list[Tag], box: Box) -> None:
    """Give the tags of a footnote or admonition a name that says so."""
    if NOTE in box.attributes:
        label = _NOTE.search(box.attributes)
        name, attributes = "note", label[1] if label else ""
    elif box.tag in _QUOTED and is_admonition(box.attributes):
        name, attributes = "blockquote", ""
    else:
        return
    tags[box.begin] = Tag(name, attributes, NOTHING)
    if box.finish < len(tags):
        tags[box.finish] = Tag(f"/{name}", "", NOTHING)


def code_lines(tags: list[Tag], texts: list[str]) -> list[str]:
    """Return the lines of a code block, given its tags and texts, without blank ones around them."""
    parts = [f"\n{text}" if _ends_line(tag) else text for tag, text in zip(tags, texts, strict=True)]
    code = unescaped("".join(parts).replace(SEPARATOR, ""))
    if not code.isascii():
        code = without_invisible(code)
    lines = [line.rstrip() for line in code.split("\n")]
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _ends_line(tag: Tag) -> bool:
    return tag.name in _LINE_ENDS and (tag.name == "br" or not tag.attributes)


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
    | {"li": lambda writer, attributes: writer.blocks.open_item(attributes)}
    | {"dt": lambda writer, _: writer.blocks.open_item()}
    | same(lambda writer, _: writer.blocks.open_definition(), "dd")
    | same(lambda writer, _: writer.blocks.close(), "/blockquote /li /dt /dd")
    | same(lambda writer, _: writer.rows.open_table(), "table")
    | same(lambda writer, _: writer.rows.open_row(), "tr")
    | {"td": lambda writer, attributes: writer.open_cell(attributes, is_head=False)}
    | {"th": lambda writer, attributes: writer.open_cell(attributes, is_head=True)}
    | same(lambda writer, _: writer.rows.close_cell(), "/td /th")
    | {"thead": lambda writer, _: writer.rows.open_head(), "/thead": lambda writer, _: writer.rows.close_head()}
    | {"/table": BlockWriter.close_table}
    | {"note": lambda writer, label: writer.blocks.open_note(f"[^{label}]: " if label else "- ")}
    | {"/note": lambda writer, _: writer.blocks.close()}
)
"""What to do at the tags of blocks, which end a paragraph."""

INLINE_ACTIONS: Final[Mapping[str, Action]] = {
    "sup": BlockWriter.open_raised,
    "/sup": BlockWriter.close_raised,
    "math": BlockWriter.open_formula,
    "/math": BlockWriter.close_formula,
}
"""What both writers do at tags inside a paragraph."""
