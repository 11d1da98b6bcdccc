"""The plain text of a page's Markdown.

Only the form that wavecrawl writes is read (see `extraction.markdown_writer`). There, each markup character of the
text itself has a backslash, so the text comes back exactly.
"""

import re

_PREFIX = re.compile(r"(?: +|> |>$|(?:- |\d{1,9}\. )(?:\[[ x]\] )?|\[\^[^\]]+\]: )*+")  # of lists, quotes and footnotes
_FENCE = re.compile("(```+)[^`]*$")
_HEADING = re.compile("#{1,6} ")
_ITEM = re.compile(r"- |\d{1,9}\. ")  # of a list in a cell of a table
_INLINE = re.compile(  # each alternative begins with one character, so that the regex engine searches fast
    r"\\([!-/:-@\[-`{-~]|$)"  # an escaped character, or a line break
    r"|`(`*+)(?:(.*?)(?<!`)`\2(?!`))?+"  # code, or in a piece of a text, backticks without an end
    r"|\$\$(.+?)\$\$|\$(?=[^\s$])([^$]*?[^\s$])\$(?!\d)"  # formulas
    r"|\[\^([A-Za-z0-9.-]+)\]"  # a reference to a footnote
    r"|\]\([^()]*\)"  # the end of a link
    r"|\[|\*"  # the beginning of a link; emphasis
)
_GROUPS = _INLINE.groups + 1
_CELL = re.compile(r"(\\.|`(`*+)(?:.*?(?<!`)`\2(?!`))?+)|<br>(?:- |\d{1,9}\. )?|&vert; ")  # parts of the text of a cell


def plain_text(markdown: str) -> str:
    """Return the text without markup: a line per line of a paragraph, table cells separated by tabs."""
    reader = LineReader()
    return "\n".join([text for text in map(reader.read, markdown.split("\n")) if text is not None])


class LineReader:
    """Reads the lines of one Markdown text, in their order."""

    def __init__(self) -> None:
        self.fence = ""  # backticks of the code block that the last line began or continued
        self._begin = 0  # columns before its lines

    def read(self, line: str) -> str | None:
        """Return the text of a line; None if it is markup alone: a fence, an empty head or its rule."""
        if self.fence:
            code = line[self._begin :]
            if code != self.fence:
                return code
            self.fence = ""
            return None
        begin = prefix_of(line)
        fence = _FENCE.match(line, begin)
        if fence:
            self.fence, self._begin = fence[1], begin
            return None
        text = line[begin:]
        if text.startswith("| "):
            if text.startswith("| --- |") or not text.strip("| "):
                return None
            return "\t".join(map(text_of_cell, cells_of(text))).strip()
        heading = _HEADING.match(text)
        return without_markup(text[heading.end() :] if heading else text)


def prefix_of(line: str) -> int:
    """Return the number of characters of the indentation and the markers of lists and quotes at the start of a line."""
    match = _PREFIX.match(line)
    return match.end() if match else 0


def cells_of(row: str) -> list[str]:
    """Return the cells of a table row, as Markdown."""
    return row[2:].removesuffix(" |").split(" | ")


def text_of_cell(cell: str) -> str:
    """Return the text of a cell, with spaces between its lines."""
    return without_markup(line_of_cell(cell))


def line_of_cell(cell: str) -> str:
    """Return a cell as a line of Markdown, with spaces between its lines and without the marks of items and cells."""
    cell = cell.replace("\\|", "|")
    item = _ITEM.match(cell)
    if item:
        cell = cell[item.end() :]
    if "<br>" in cell or "&vert; " in cell:
        cell = _CELL.sub(lambda part: part[1] or (" " if part[0][0] == "<" else ""), cell)
    return cell


def without_markup(line: str) -> str:
    """Return the text of a line, or of a part of it, without the markup inside a line."""
    parts = _INLINE.split(line)  # the texts between matches, each followed by the groups of a match
    if len(parts) == 1:
        return line
    if "`" in line:
        parts[3::_GROUPS] = map(_code, parts[2::_GROUPS], parts[3::_GROUPS])
        parts[2::_GROUPS] = [""] * len(parts[2::_GROUPS])
    if "[^" in line:
        parts[6::_GROUPS] = [label and f"[{label}]" for label in parts[6::_GROUPS]]
    return "".join(filter(None, parts))


def _code(more: str | None, code: str | None) -> str:
    """Return the code between backticks, `more` after the first; or backticks without an end; "" if it is no code."""
    if code is None:
        return "" if more is None else f"`{more}"
    return code[1:-1] if more else code  # code with backticks has a space at both ends
