r"""RTF files: text, headings, lists, tables and links (Rich Text Format specification 1.9.1).

A file is a sequence of groups in braces, control words such as `\par`, and text. What a group sets ends with it.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from html import escape
from pathlib import Path

from msgspec import Struct, structs

from wavecrawl.adapters.media.document_html import MOST_HTML, Cell, ListItem, link, markdown_of, nested_list, table
from wavecrawl.adapters.media.reading import Reading

_TOKEN = re.compile(
    r"\\([a-zA-Z]{1,32})(-?\d{1,9})?[ ]?"  # a control word and its number
    r"|\\'([0-9a-fA-F]{2})"  # a byte
    r"|\\(.)|([{}])|([^\\{}\r\n]+)",  # a control sign, a brace, text
    re.DOTALL,
)
_LEFT_OUT = frozenset(  # groups without text of the document
    "fonttbl colortbl filetbl stylesheet listtable listoverridetable revtbl rsidtbl generator info pict object objdata"
    " header headerl headerr headerf footer footerl footerr footerf ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn"
    " xmlnstbl themedata colorschememapping latentstyles datastore datafield formfield nonshppict bkmkstart bkmkend"
    " private do xe tc tcn atnid atnauthor atnref atndate annotation mmathPr wgrffmtfilter pgptbl docvar".split()
)
_CHARACTERS = {
    "tab": "\t", "line": "\n", "emdash": "\u2014", "endash": "\u2013", "bullet": "\u2022", "lquote": "\u2018",
    "rquote": "\u2019", "ldblquote": "\u201c", "rdblquote": "\u201d", "emspace": " ", "enspace": " ", "qmspace": " ",
    "~": "\xa0", "_": "-", "\n": "\n", "\r": "\n", "{": "{", "}": "}", "\\": "\\",
}  # fmt: skip
_CHARSETS = {  # of fonts
    77: "mac_roman", 128: "cp932", 129: "cp949", 134: "gbk", 136: "big5", 161: "cp1253", 162: "cp1254", 163: "cp1258",
    177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874", 238: "cp1250",
}  # fmt: skip
_STYLE = re.compile(r"\\s(\d{1,5})(?!\d)[^{};]{0,500}? heading ([1-9]);", re.IGNORECASE)
_STYLES = 200_000  # characters of the table of styles that are read
_NUMBER = re.compile(r"\d|[A-Za-z][.)]")  # in the marker of a list item
_URL = re.compile(r'HYPERLINK\s+"?(https?://[^"\s]+)')
_HANGING = re.compile(r"(\S{1,5})[ ]?\t\s*(.+)", re.DOTALL)  # a marker that is text, before the first line
_INDENTATION = 360  # of a level of a list
_NO_LEVEL = 9  # of \outlinelevel: a paragraph of the text
_DEEPEST = 1_000  # groups inside each other
_HIDING = ("v", "deleted")  # control words: hidden text, and text that a tracked change deleted


def read_rtf(path: str, reading: Reading) -> None:
    """Read an RTF file. What is damaged is read as far as possible."""
    _Reader(Path(path).read_text(encoding="latin-1"), reading).read()
    if reading.is_empty:
        reading.missed("there is no text")


class _Group(Struct):
    """What a group has set."""

    target: str = "text"  # where its text goes: text, marker (of a list item), title, author, field; "" = nowhere
    fallbacks: int = 1  # characters after \u that stand for it in older programs
    font: int = -1
    url: str = ""  # of the link that the group is in
    hidden: frozenset[str] = frozenset()  # the control words that hide its text


class _Paragraph(Struct):
    """What is set for a paragraph."""

    level: int = 0  # of a heading
    style: int = 0
    depth: int = 0  # of a list item
    left: int = 0  # indentation, in twentieths of a point
    first: int = 0  # indentation of the first line, more than that
    in_table: int = 0  # whether it is in a table


class _Blocks:
    """Paragraphs, lists and tables, as HTML."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._html: list[str] = []
        self._size = 0
        self._items: list[ListItem] = []
        self._rows: list[list[Cell]] = []
        self._cells: list[Cell] = []

    def add(self, html: str) -> None:
        """Add a paragraph or heading."""
        self.end()
        self._append(html)

    def add_item(self, item: ListItem) -> None:
        """Add an item of a list."""
        self._end_table()
        self._items.append(item)

    def add_cell(self, html: str) -> None:
        """Add a cell to the row."""
        self._end_list()
        self._cells.append(Cell(html))

    def end_row(self) -> None:
        """End a row of a table."""
        if self._cells:
            self._rows.append(self._cells)
            self._cells = []

    def end(self) -> None:
        """End a table or list."""
        self._end_table()
        self._end_list()

    def write(self) -> None:
        """Add what there is to the text."""
        html = "".join(self._html).encode("utf-16", "surrogatepass").decode("utf-16", "replace")  # joins surrogates
        self._html.clear()
        self._size = 0
        self._reading.add_markdown(markdown_of(html))

    def _end_table(self) -> None:
        self.end_row()
        if self._rows:
            self._append(table(self._rows, heads=0))
            self._rows.clear()

    def _end_list(self) -> None:
        if self._items:
            self._append(nested_list(self._items))
            self._items.clear()

    def _append(self, html: str) -> None:
        self._html.append(html)
        self._size += len(html)
        if self._size > MOST_HTML:
            self.write()


class _Reader:
    def __init__(self, source: str, reading: Reading) -> None:
        self._source = source
        self._reading = reading
        self._blocks = _Blocks(reading)
        styles = max(0, source.find("{\\stylesheet"))
        found = _STYLE.findall(source[styles : styles + _STYLES])
        self._levels = {int(style): int(level) for style, level in found}
        self._groups = [_Group()]
        self._encoding = "cp1252"
        self._font_encodings: dict[int, str] = {}
        self._bytes = bytearray()  # of characters that may have several bytes
        self._skip = 0  # characters that stand for the one before
        self._texts: dict[str, list[str]] = {"title": [], "author": [], "marker": [], "field": []}
        self._run: list[str] = []  # the text of the paragraph or cell, as HTML
        self._paragraph = _Paragraph()

    def read(self) -> None:
        """Read the file, and add its text."""
        position, end = 0, len(self._source)
        while position < end:
            token = _TOKEN.match(self._source, position)
            if token is None:
                position += 1  # the end of a line of the file
                continue
            position = token.end()
            word, number, code, sign, brace, text = token.groups()
            if code is not None:
                self._add_byte(int(code, 16))
                continue
            self._add_bytes()
            if word == "bin":
                position += max(0, int(number or 0))
            elif word in _HIDING:
                hidden = self._groups[-1].hidden
                self._groups[-1].hidden = hidden - {word} if number == "0" else hidden | {word}
            elif word is not None:
                self._obey(word, int(number or 0))
            elif brace is not None:
                self._open_or_close(brace)
            elif sign is not None:
                self._obey(sign, 0)
            else:
                skipped = min(self._skip, len(text))
                self._skip -= skipped
                self._add(text[skipped:])
        self._add_bytes()
        self._end_paragraph()
        self._blocks.end()
        self._reading.title, self._reading.author = "".join(self._texts["title"]), "".join(self._texts["author"])
        self._blocks.write()

    def _open_or_close(self, brace: str) -> None:
        if brace == "{" and len(self._groups) < _DEEPEST:
            self._groups.append(structs.replace(self._groups[-1]))
        elif brace == "}" and len(self._groups) > 1:
            self._groups.pop()

    def _add(self, text: str) -> None:
        group = self._groups[-1]
        if group.hidden:
            return
        if group.target == "text":
            self._run.append(link(escape(text), group.url).replace("\n", "<br>"))
        elif group.target:
            self._texts[group.target].append(text)

    def _add_byte(self, byte: int) -> None:
        if self._skip:
            self._skip -= 1
        else:
            self._bytes.append(byte)

    def _add_bytes(self) -> None:
        if self._bytes:
            encoding = self._font_encodings.get(self._groups[-1].font, self._encoding)
            text = self._bytes.decode(encoding, "replace")
            self._bytes.clear()
            self._add(text)

    def _obey(self, word: str, number: int) -> None:
        """Do what a control word or sign says. Most are about looks."""
        if word in _CHARACTERS:
            self._add(_CHARACTERS[word])
        elif word in _LEFT_OUT or word == "*":  # after "*" are words that older programs do not know
            self._groups[-1].target = ""
        elif word == "plain":
            self._groups[-1].hidden = frozenset()
        elif word in _ACTIONS:
            _ACTIONS[word](self, number)

    def add_character(self, number: int) -> None:
        """Add a character of Unicode. What follows stands for it in older programs."""
        self._add(chr(number % 0x10000))
        self._skip = self._groups[-1].fallbacks

    def collect(self, target: str) -> None:
        """Collect the text of the group: title and author also inside of groups that are left out."""
        if target != "marker" or self._groups[-1].target == "text":
            self._groups[-1].target = target

    def begin_result(self, _number: int) -> None:
        """Begin what a field shows, such as the text of a link."""
        found = _URL.search("".join(self._texts["field"]))
        self._texts["field"].clear()
        self._groups[-1].url = found[1] if found else ""

    def end_line(self, _number: int) -> None:
        """End a paragraph; in a table, a line of a cell."""
        if self._paragraph.in_table:
            self._run.append("<br>")
        else:
            self._end_paragraph()

    def begin_paragraph(self, _number: int) -> None:
        """Set everything about the paragraph back."""
        self._paragraph = _Paragraph()

    def end_cell(self, _number: int) -> None:
        """End a cell of a table."""
        self._blocks.add_cell(self._taken()[0])

    def end_row(self, _number: int) -> None:
        """End a row of a table."""
        self._blocks.end_row()

    def set_level(self, number: int) -> None:
        """Set the level of a heading."""
        self._paragraph.level = number + 1 if number < _NO_LEVEL else 0

    def set_paragraph(self, name: str, value: int) -> None:
        """Set something else about the paragraph."""
        setattr(self._paragraph, name, value)

    def set_group(self, name: str, value: int) -> None:
        """Set something about the group."""
        setattr(self._groups[-1], name, value)

    def set_charset(self, number: int) -> None:
        """Set the encoding of a font."""
        if number in _CHARSETS:
            self._font_encodings[self._groups[-1].font] = _CHARSETS[number]

    def set_code_page(self, number: int) -> None:
        """Set the encoding of other fonts."""
        with suppress(LookupError):
            self._encoding = codecs.lookup(f"cp{number}").name

    def _taken(self) -> tuple[str, str]:
        """Return and clear the text of the paragraph, and its marker."""
        html, marker = "".join(self._run).strip(), "".join(self._texts["marker"]).strip()
        self._run.clear()
        self._texts["marker"].clear()
        return html, marker

    def _end_paragraph(self) -> None:
        html, marker = self._taken()
        if not html:
            return
        paragraph = self._paragraph
        hanging = _HANGING.fullmatch(html) if paragraph.first < 0 and not marker else None
        if hanging:
            marker, html = hanging.groups()
            paragraph.depth = max(0, paragraph.left + paragraph.first) // _INDENTATION
        if marker:
            is_numbered = _NUMBER.search(marker) is not None
            self._blocks.add_item(ListItem(html, paragraph.depth, is_numbered))
            return
        level = paragraph.level or self._levels.get(paragraph.style, 0)
        name = f"h{min(level, 6)}" if level else "p"
        self._blocks.add(f"<{name}>{html}</{name}>")


_ACTIONS: Mapping[str, Callable[[_Reader, int], None]] = {
    **dict.fromkeys(("par", "sect", "page"), _Reader.end_line),
    **dict.fromkeys(("listtext", "pntext"), lambda reader, _: reader.collect("marker")),
    "title": lambda reader, _: reader.collect("title"),
    "author": lambda reader, _: reader.collect("author"),
    "fldinst": lambda reader, _: reader.collect("field"),
    "fldrslt": _Reader.begin_result,
    "pard": _Reader.begin_paragraph,
    "cell": _Reader.end_cell,
    "row": _Reader.end_row,
    "intbl": lambda reader, _: reader.set_paragraph("in_table", True),
    "s": lambda reader, number: reader.set_paragraph("style", number),
    "li": lambda reader, number: reader.set_paragraph("left", number),
    "fi": lambda reader, number: reader.set_paragraph("first", number),
    "ilvl": lambda reader, number: reader.set_paragraph("depth", number),
    "outlinelevel": _Reader.set_level,
    "u": _Reader.add_character,
    "uc": lambda reader, number: reader.set_group("fallbacks", number),
    "f": lambda reader, number: reader.set_group("font", number),
    "fcharset": _Reader.set_charset,
    "ansicpg": _Reader.set_code_page,
}
