r"""The main content as Markdown (CommonMark 0.31 with GitHub's tables), in one pass over the page's tokens.

Each kind of block has one form, so that `plain_text` can read it back exactly:

- paragraphs, headings ("#"), lists ("- ", "1. "), quotes ("> "), fenced code, tables ("| a | b |");
- links `[text](absolute URL)`, `**strong**`, `*emphasis*`, code in backticks, "\" before a line break of <br>;
- formulas `$TeX$` and `$$TeX$$`, footnotes `[^1]` and `[^1]: text`, tasks `- [x] text`, admonitions as quotes;
- in cells of tables, `<br>` between blocks, and `&vert;` between the cells of a table inside;
- a backslash before every other character that Markdown could read as markup.

Terms of a definition list are list items; their definitions belong to the items.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from wavecrawl.domain.pages.extraction.block_lines import BlockLines
from wavecrawl.domain.pages.extraction.block_writer import (
    BLOCK_ACTIONS,
    INLINE_ACTIONS,
    Action,
    BlockWriter,
    code_lines,
    same,
    write,
)
from wavecrawl.domain.pages.extraction.footnotes import REFERENCE
from wavecrawl.domain.pages.extraction.inline_markdown import (
    CODE,
    DISPLAYED,
    EMPHASIS,
    FORMULA,
    LINE_BREAK,
    LINK,
    REFERENCE_MARK,
    STRONG,
    Mark,
    code_span,
    escaped_items,
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
_LISTING = re.compile(r'class="highlight ([a-z0-9+#]+)"', re.IGNORECASE)  # of Hexo
_TITLE = re.compile(r'class="(?:[^"]* )?(?:admonition-title|custom-block-title|markdown-alert-title|callout-title)[ "]')
_BACKTICKS = re.compile("`+")
_FRAGMENT = re.compile(r"[\w.:-]+", re.ASCII)  # without characters that a URL would escape
# What ends a link's target in Markdown, or is not part of it, and is in the URL of no other resource when escaped.
_ESCAPED: Final = tuple((character, f"%{ord(character):02X}") for character in "()\\`<>|")
_LIKE_ENTITY = re.compile(r"&(?=#?\w{1,31};)")
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
        self._raised.clear()
        if not text:
            return
        depth = self.rows.depth
        if depth is not None:
            self.rows.add(self.blocks.take_marker(depth) + (f"**{text}**" if self.heading else escaped_items(text)))
        elif self.heading:
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
        """Open a link. It is not shown in code or in a link, or if it leads into the same page or to no web address."""
        href = f" {attributes}".partition(' href="')[2].partition('"')[0]
        target = ""
        if href.startswith("#"):
            self.sign = len(self.run)
        elif href and not (self._marks and any(mark in (CODE, LINK) for _, mark in self._marks)):
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
        depth = self.rows.depth
        if depth is not None:
            self._add_cell_code(depth, lines)
        elif lines:
            longest = max((len(ticks) for line in lines for ticks in _BACKTICKS.findall(line)), default=0)
            fence = "`" * max(3, longest + 1)
            self.add([fence + self._language, *lines, fence])

    def _add_cell_code(self, depth: int, lines: list[str]) -> None:
        """Add code to the open cell: a code span per line, which keeps its indentation."""
        marker = self.blocks.take_marker(depth)
        for line in lines:
            if line:
                self.rows.add(marker + code_span(line.replace("\t", "    ")))
                marker = ""

    def open_formula(self, attributes: str) -> None:
        """Begin a formula. In code, it is code."""
        super().open_formula(attributes)
        is_code = bool(self._marks) and CODE in [mark for _, mark in self._marks]
        self.open_mark_of("math", None if is_code else DISPLAYED if self.is_displayed else FORMULA)

    def close_formula(self, attributes: str) -> None:
        """End a formula."""
        self.close_mark("math")
        super().close_formula(attributes)

    def open_mark_of(self, name: str, mark: Mark | None) -> None:
        """Open an inline element, which is shown by a mark, or not."""
        self._marks.append((name, mark))
        if mark:
            self.run.append(mark.opening)

    def open_paragraph(self, attributes: str) -> None:
        """Begin a paragraph. The title of an admonition is strong."""
        if attributes and _TITLE.search(attributes) and not self._marks:
            self.open_mark(STRONG, "p")

    def close_paragraph(self, _attributes: str) -> None:
        """End a paragraph."""
        if self._marks:
            self.close_mark("p")

    def mark_task(self, attributes: str) -> None:
        """Mark a list item as a task."""
        if not self.run and self.rows.depth is None:
            self.blocks.mark_task(done="checked=" in attributes)

    def note_language(self, attributes: str) -> None:
        """Note the language of the next code block if a class names it, of the block or of a division around it."""
        found = _LANGUAGE.search(attributes) if "-" in attributes else _LISTING.search(attributes)
        if found and found[1].lower() not in _NO_LANGUAGES:
            self._language = found[1].lower()


def _url_of(href: str, base: str) -> str:
    """Return the URL of a serialized reference, "" if it leads to no web address."""
    url = resolve(unescaped(href.replace("&quot;", '"')).strip(), base) or ""
    if not url.startswith(_WEB):
        return ""
    for character, escaped in _ESCAPED:
        url = url.replace(character, escaped)
    return _LIKE_ENTITY.sub("%26", url) if "&" in url else url


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
    | dict(INLINE_ACTIONS)
    | {"math": _MarkdownWriter.open_formula, "/math": _MarkdownWriter.close_formula}
    | {"input": _MarkdownWriter.mark_task}
    | {REFERENCE: lambda writer, _: writer.run.append(REFERENCE_MARK.opening)}
    | {f"/{REFERENCE}": lambda writer, _: writer.run.append(REFERENCE_MARK.closing)}
)
_MarkdownWriter.inline = frozenset(_INLINE)
_MarkdownWriter.actions = {
    **BLOCK_ACTIONS,
    **_INLINE,
    **same(_MarkdownWriter.note_language, "div figure"),
    "p": _MarkdownWriter.open_paragraph,
    "/p": _MarkdownWriter.close_paragraph,
}
