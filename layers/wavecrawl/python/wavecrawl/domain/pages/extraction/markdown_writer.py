r"""The main content as Markdown (CommonMark 0.31 with GitHub's tables), in one pass over the page's tokens.

Each kind of block has one form, so that `plain_text` can read it back exactly:

- paragraphs, headings ("#"), lists ("- ", "1. "), quotes ("> "), fenced code, tables ("| a | b |");
- links `[text](absolute URL)`, `**strong**`, `*emphasis*`, code in backticks, "\" before a line break of <br>;
- a backslash before every other character that Markdown could read as markup.

Terms of a definition list are list items; their definitions belong to the items.
"""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final, TypeAlias

from msgspec import Struct

from wavecrawl.domain.pages.extraction.block_lines import BlockLines
from wavecrawl.domain.pages.extraction.inline_markdown import (
    CODE,
    EMPHASIS,
    LINE_BREAK,
    LINK,
    STRONG,
    Mark,
    escaped_start,
    inline_markdown,
    unescaped,
)
from wavecrawl.domain.pages.extraction.outline import Box, Outline
from wavecrawl.domain.pages.extraction.table_rows import TableRows, has_data
from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES
from wavecrawl.domain.urls.url import MEMORABLE, base_for, folder_of, resolve

_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|highlight)-([a-z0-9+#]+)", re.IGNORECASE)
_NO_LANGUAGES = frozenset("default none text plain plaintext notranslate nohighlight".split())
_BACKTICKS = re.compile("`+")
_FRAGMENT = re.compile(r"[\w.:-]+", re.ASCII)  # without characters that a URL would escape
_WEB = ("http://", "https://")
_LINE_ENDS = ("<br>", "</div>", "</p>", "</li>", "</tr>")  # in code blocks
_TAG = re.compile("<[^>]*>")
_Action: TypeAlias = Callable[["_Writer", str], None]  # takes the serialized attributes


class MainText(Struct, frozen=True, gc=False):
    """The main text of a page."""

    markdown: str
    is_cut: bool  # whether the page has more text, or more links in it


def markdown_of(page: Outline, content: int, base: str, *, most: int) -> MainText:
    """Return the content of a box, without dropped boxes. `base` is the base URL of references.

    At most `most` characters are returned, and links are shown until their URLs have that many.
    """
    boxes, tokens = page.boxes, page.tokens
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
    writer = _Writer(base, TableRows(tables), most=most)
    begin = root.begin
    for box in apart:
        writer.read(tokens[begin : box.begin])
        writer.flush()
        if not box.dropped:
            writer.add_code(box.attributes, tokens[box.begin : box.finish])
        begin = box.finish
    writer.read(tokens[begin : root.finish])
    writer.flush()
    markdown = "\n".join(writer.blocks.lines)
    return MainText(markdown[:most].rstrip(), is_cut=page.is_cut or writer.is_cut or len(markdown) > most)


class _Writer:
    """Writes the blocks of one page from its tags and texts in document order."""

    def __init__(self, base: str, rows: TableRows, *, most: int) -> None:
        self.blocks = BlockLines()
        self.run: list[str] = []  # texts and marks since the last block boundary
        self.rows = rows
        self._base = base
        self._folder = folder_of(base)
        self._marks: list[tuple[str, Mark | None]] = []  # open inline elements; None if they are not shown
        self._links: list[str] = []  # URLs of the links in the run
        self._target = ""  # of the open link
        self._sign = -1  # where in the run an open link within the page begins
        self._heading = 0  # level
        self._language = ""
        self._most = most
        self._room = most  # characters of the URLs of further links
        self.is_cut = False

    def read(self, tokens: list[str]) -> None:
        """Read tags with the texts that follow them."""
        run = self.run
        for token in tokens:
            tag, _, text = token.partition(">")
            name, _, attributes = tag.partition(" ")
            if name in _BLOCK_ACTIONS:
                if run:
                    self.flush()
                action = _BLOCK_ACTIONS[name]
            else:
                action = _INLINE_ACTIONS.get(name)
            if action is not None:
                action(self, attributes)
            if text and (run or not text.isspace()):
                run.append(text)

    def flush(self) -> None:
        """End a paragraph, heading or text of a cell."""
        run = self.run
        shown = [mark for _, mark in self._marks if mark]
        run.extend([self._closing(mark) for mark in reversed(shown)])
        text = inline_markdown("".join(run), self._links)
        run[:] = [mark.opening for mark in shown]
        self._links.clear()
        self._sign = -1
        if not text or self.rows.add(text):
            return
        if self._heading:
            title = text.replace("\\\n", " ")
            if title.endswith("#"):
                title = f"{title[:-1]}\\#"  # else it would be read as a closing sequence
            self._add([f"{'#' * self._heading} {title}"])
        else:
            self._add([escaped_start(line) for line in text.split("\n")])

    def _add(self, lines: list[str]) -> None:
        self._language = ""
        if self.blocks.size > self._most:
            self.is_cut = True
        else:
            self.blocks.add(lines)

    def close_table(self, _attributes: str) -> None:
        """End a table."""
        lines = self.rows.close_table()
        if lines:
            self._add(lines)

    def set_heading(self, level: int) -> None:
        """Begin a heading; 0 ends it."""
        self._heading = level

    def open_mark(self, mark: Mark, name: str) -> None:
        """Open strong, emphasis or code. There is no mark in code, and no emphasis in emphasis or headings."""
        hidden = mark is not CODE and self._heading > 0
        if self._marks:
            outer = [other for _, other in self._marks]
            hidden = hidden or CODE in outer or (mark is not CODE and (STRONG in outer or EMPHASIS in outer))
        self._marks.append((name, None if hidden else mark))
        if not hidden:
            self.run.append(mark.opening)

    def close_mark(self, name: str) -> None:
        """Close strong, emphasis, code or a link."""
        if self._marks and self._marks[-1][0] == name:
            mark = self._marks.pop()[1]
            if mark:
                self.run.append(self._closing(mark))

    def _closing(self, mark: Mark) -> str:
        if mark is not LINK:
            return mark.closing
        self._links.append(self._target)
        return f"{mark.closing}{len(self._links) - 1};"

    def open_link(self, attributes: str) -> None:
        """Open a link. It is not shown in code, or if it leads into the same page or to no web address."""
        href = f" {attributes}".partition(' href="')[2].partition('"')[0]
        target = ""
        if href.startswith("#"):
            self._sign = len(self.run)
        elif href and not (self._marks and CODE in [mark for _, mark in self._marks]):
            target = self._shown(self._resolved(href))
        self._marks.append(("a", LINK if target else None))
        if target:
            self._target = target
            self.run.append(LINK.opening)

    def close_link(self, _attributes: str) -> None:
        """Close a link. If it is only a sign beside a heading, such as a pilcrow, the sign is removed."""
        if self._sign >= 0:
            sign = "".join(self.run[self._sign :]).strip()
            if len(sign) == 1 and not sign.isalnum():
                del self.run[self._sign :]
            self._sign = -1
        self.close_mark("a")

    def _shown(self, url: str) -> str:
        """Return the URL of a link; "" if there is no room for it."""
        if len(url) > self._room:
            self.is_cut = True
            return ""
        self._room -= len(url)
        return url

    def _resolved(self, href: str) -> str:
        page, sign, fragment = href.partition("#")  # many links lead to parts of the same page
        if sign and _FRAGMENT.fullmatch(fragment):
            url = self._url(page)
            return f"{url}#{fragment}" if url else ""
        return self._url(href)

    def _url(self, href: str) -> str:
        return (_known_url if len(href) <= MEMORABLE else _url_of)(href, base_for(href, self._base, self._folder))

    def break_line(self, _attributes: str) -> None:
        """Break the line. Two breaks in a row end the paragraph."""
        before = next((part for part in reversed(self.run) if part.strip()), "")
        if before == LINE_BREAK:
            self.flush()
        else:
            self.run.append(LINE_BREAK)

    def add_code(self, attributes: str, tokens: list[str]) -> None:
        """Add a code block, given its tokens without the end tag."""
        html = "<".join(tokens).partition(">")[2]
        self.note_language(attributes)
        if html.startswith("<code "):
            self.note_language(html.partition(">")[0])
        for end in _LINE_ENDS:
            html = html.replace(end, "\n")
        code = unescaped(_TAG.sub("", html))
        lines = [line.rstrip() for line in code.split("\n")]
        filled = [number for number, line in enumerate(lines) if line]
        if not filled:
            return
        fence = "`" * max(3, max(map(len, _BACKTICKS.findall(code)), default=0) + 1)
        self._add([fence + self._language, *lines[filled[0] : filled[-1] + 1], fence])

    def note_language(self, attributes: str) -> None:
        """Note the language of the next code block if a class names it, of the block or of a division around it."""
        found = _LANGUAGE.search(attributes) if "-" in attributes else None
        if found and found[1].lower() not in _NO_LANGUAGES:
            self._language = found[1].lower()


def _url_of(href: str, base: str) -> str:
    """Return the URL of a serialized reference, "" if it leads to no web address."""
    url = resolve(unescaped(href).strip(), base) or ""
    return url.replace("(", "%28").replace(")", "%29") if url.startswith(_WEB) else ""


_known_url = lru_cache(maxsize=4_096)(_url_of)  # many pages have the same links


def _mark(mark: Mark, name: str) -> dict[str, _Action]:
    return {
        name: lambda writer, _: writer.open_mark(mark, name),
        f"/{name}": lambda writer, _: writer.close_mark(name),
    }


def _heading(level: int) -> dict[str, _Action]:
    return {
        f"h{level}": lambda writer, _: writer.set_heading(level),
        f"/h{level}": lambda writer, _: writer.set_heading(0),
    }


def _all(action: _Action, names: str) -> dict[str, _Action]:
    return dict.fromkeys(names.split(), action)


_BLOCK_ACTIONS: Final[Mapping[str, _Action | None]] = (
    {name: None for block in (*BLOCK_NAMES, "hr") for name in (block, f"/{block}")}
    | dict(pair for level in range(1, 7) for pair in _heading(level).items())
    | _all(lambda writer, _: writer.blocks.open_quote(), "blockquote")
    | _all(lambda writer, attributes: writer.blocks.open_list(attributes, ordered=False), "ul dl menu")
    | _all(lambda writer, attributes: writer.blocks.open_list(attributes, ordered=True), "ol")
    | _all(lambda writer, _: writer.blocks.close_list(), "/ul /ol /dl /menu")
    | _all(lambda writer, _: writer.blocks.open_item(), "li dt")
    | _all(lambda writer, _: writer.blocks.open_definition(), "dd")
    | _all(lambda writer, _: writer.blocks.close(), "/blockquote /li /dt /dd")
    | _all(lambda writer, _: writer.rows.open_table(), "table")
    | _all(lambda writer, _: writer.rows.open_row(), "tr")
    | _all(lambda writer, _: writer.rows.open_cell(), "td th")
    | _all(lambda writer, _: writer.rows.close_cell(), "/td /th")
    | {"/table": _Writer.close_table, "div": _Writer.note_language}
)
"""What to do at the tags of blocks, which end a paragraph; end tags have a slash."""
_INLINE_ACTIONS: Final[Mapping[str, _Action]] = (
    dict(pair for name in ("strong", "b") for pair in _mark(STRONG, name).items())
    | dict(pair for name in ("em", "i") for pair in _mark(EMPHASIS, name).items())
    | dict(pair for name in ("code", "kbd", "samp", "tt") for pair in _mark(CODE, name).items())
    | {"a": _Writer.open_link, "/a": _Writer.close_link, "br": _Writer.break_line}
)
"""What to do at other tags."""
