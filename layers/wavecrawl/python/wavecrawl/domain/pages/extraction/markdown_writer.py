r"""The main content as Markdown (CommonMark 0.31 with GitHub's tables), in one pass over the page's tokens.

Each kind of block has one form, so that `plain_text` can read it back exactly:

- paragraphs, headings ("#"), lists ("- ", "1. "), quotes ("> "), fenced code, tables ("| a | b |");
- links `[text](absolute URL)`, `**strong**`, `*emphasis*`, code in backticks, "\" before a line break of <br>;
- a backslash before every other character that Markdown could read as markup.

Terms of a definition list are list items; their definitions belong to the items.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from wavecrawl.domain.pages.extraction.block_lines import BlockLines
from wavecrawl.domain.pages.extraction.block_writer import BLOCK_ACTIONS, Action, BlockWriter, code_lines, write
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
from wavecrawl.domain.pages.extraction.serialized_tags import Tag
from wavecrawl.domain.pages.extraction.table_rows import MarkdownRows
from wavecrawl.domain.urls.url import MEMORABLE, base_for, folder_of, resolve

_LANGUAGE = re.compile(r"\b(?:language|lang|highlight-source|highlight)-([a-z0-9+#]+)", re.IGNORECASE)
_NO_LANGUAGES = frozenset("default none text plain plaintext notranslate nohighlight".split())
_BACKTICKS = re.compile("`+")
_FRAGMENT = re.compile(r"[\w.:-]+", re.ASCII)  # without characters that a URL would escape
_WEB = ("http://", "https://")


def markdown_of(page: Outline, content: int, base: str, *, most: int) -> str:
    """Return the content of a box, without dropped boxes. `base` is the base URL of references.

    At most `most` characters are returned, and links are shown until their URLs have that many.
    """
    writer = write(page, content, lambda tables: _MarkdownWriter(base, tables, most=most))
    return "\n".join(writer.blocks.lines)[:most].rstrip()


class _MarkdownWriter(BlockWriter):
    """Writes the blocks as Markdown."""

    def __init__(self, base: str, tables: list[bool], *, most: int) -> None:
        super().__init__(BlockLines(), MarkdownRows(tables), most=most)
        self._base = base
        self._folder = folder_of(base)
        self._marks: list[tuple[str, Mark | None]] = []  # open inline elements; None if they are not shown
        self._links: list[str] = []  # URLs of the links in the run
        self._target = ""  # of the open link
        self._language = ""
        self._room = most  # characters of the URLs of further links

    def flush(self) -> None:
        """End a paragraph, heading or text of a cell."""
        run = self.run
        shown = [mark for _, mark in self._marks if mark]
        run.extend([self._closing(mark) for mark in reversed(shown)])
        text = inline_markdown("".join(run), self._links)
        run[:] = [mark.opening for mark in shown]
        self._links.clear()
        self.sign = -1
        if not text or self.rows.add(text):
            return
        if self.heading:
            title = text.replace("\\\n", " ")
            if title.endswith("#"):
                title = f"{title[:-1]}\\#"  # else it would be read as a closing sequence
            self.add([f"{'#' * self.heading} {title}"])
        else:
            self.add([escaped_start(line) for line in text.split("\n")])

    def add(self, lines: list[str]) -> None:
        """Add a block."""
        self._language = ""
        super().add(lines)

    def open_mark(self, mark: Mark, name: str) -> None:
        """Open strong, emphasis or code. There is no mark in code, and no emphasis in emphasis or headings."""
        hidden = mark is not CODE and self.heading > 0
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
            self.sign = len(self.run)
        elif href and not (self._marks and CODE in [mark for _, mark in self._marks]):
            target = self._shown(self._resolved(href))
        self._marks.append(("a", LINK if target else None))
        if target:
            self._target = target
            self.run.append(LINK.opening)

    def close_link(self, _attributes: str) -> None:
        """Close a link."""
        self.close_sign()
        self.close_mark("a")

    def _shown(self, url: str) -> str:
        """Return the URL of a link; "" if there is no room for it."""
        if len(url) > self._room:
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
        """Break the line. Two breaks in a row end the paragraph. Code in two lines is two pieces of code."""
        if self.is_after_break():
            self.flush()
        elif any(mark is CODE for _, mark in self._marks):
            self.run += [CODE.closing, LINE_BREAK, CODE.opening]
        else:
            self.run.append(LINE_BREAK)

    def add_code(self, box: Box, tags: list[Tag], texts: list[str]) -> None:
        """Add a code block."""
        self.note_language(box.attributes)
        if not texts[0] and len(tags) > 1 and tags[1].name == "code":
            self.note_language(tags[1].attributes)
        lines = code_lines(tags, texts)
        if lines:
            longest = max((len(ticks) for line in lines for ticks in _BACKTICKS.findall(line)), default=0)
            fence = "`" * max(3, longest + 1)
            self.add([fence + self._language, *lines, fence])

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


def _mark(mark: Mark, name: str) -> dict[str, Action]:
    return {
        name: lambda writer, _: writer.open_mark(mark, name),
        f"/{name}": lambda writer, _: writer.close_mark(name),
    }


_INLINE: Final[Mapping[str, Action]] = (
    dict(pair for name in ("strong", "b") for pair in _mark(STRONG, name).items())
    | dict(pair for name in ("em", "i") for pair in _mark(EMPHASIS, name).items())
    | dict(pair for name in ("code", "kbd", "samp", "tt") for pair in _mark(CODE, name).items())
    | {"a": _MarkdownWriter.open_link, "/a": _MarkdownWriter.close_link, "br": _MarkdownWriter.break_line}
)
_MarkdownWriter.inline = frozenset(_INLINE)
_MarkdownWriter.actions = {**BLOCK_ACTIONS, **_INLINE, "div": _MarkdownWriter.note_language}
