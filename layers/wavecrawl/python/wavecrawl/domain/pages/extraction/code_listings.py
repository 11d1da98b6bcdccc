"""Code as highlighters and code hosts write it: code blocks are made of it, without line numbers.

Line numbers are recognised by the names that highlighters give to their elements, and by their text: digits alone. So
an element that has such a name, but words, stays.
"""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.nesting import ancestors, next_of, previous_of
from wavecrawl.domain.pages.extraction.survey import Survey

_NUMBERS: Final = ", ".join(
    (
        *(".linenos", ".lineno", ".linenumber"),  # Pygments, Rouge, Doxygen, React
        *(".line-number", ".line-numbers", ".line-numbers-rows"),  # Prism
        *(".lnt", ".ln"),  # Chroma
        ".hljs-ln-numbers",  # highlightjs-line-numbers
        '[style*="user-select"]',  # Chroma and React with styles in place of classes
    )
)
_NUMBER_MARKS: Final = ("line", '"ln', "hljs-ln", "user-select")  # one is in the HTML of each of them
_BESIDE: Final = "div.line-numbers, .gutter, .blob-num, .lines-num, .hljs-ln-numbers, .fragment > .line > .lineno"
_NUMERIC = re.compile(r"[\s\d.:|]*")
_LINE_MARKS: Final = (
    "line-numbers",
    "blob-code",
    "lines-code",
    "hljs-ln-code",
    "syntaxhighlighter",
    "crayon-line",
    "fragment",
)
_LINES: Final = ", ".join(
    (
        *("td.blob-code", "td.lines-code", "td.hljs-ln-code"),  # cells: code hosts, highlightjs-line-numbers
        *(".syntaxhighlighter .code .line", ".crayon-line", ".fragment > .line"),  # SyntaxHighlighter, Crayon, Doxygen
    )
)
_AROUND = 4  # elements between a code block and its cell
_DIGITS = 6  # of a line number
_MOST_TEXT = 5_000_000  # characters of code in rows


def clean_listings(page: Survey, names: str) -> None:
    """Remove line numbers beside code, and make code blocks of rows of code. `names`: the classes of the boxes."""
    cells = set[int]()  # whose neighbours were read
    for block in page.codes:
        html = block.html or ""
        if any(mark in html for mark in _NUMBER_MARKS):
            _remove_numbers(block.css(_NUMBERS))
        cell = next((outer for outer in ancestors(block, _AROUND) if outer.tag == "td"), None)
        if cell is not None and cell.mem_id not in cells:
            cells.add(cell.mem_id)
            _remove_counting(previous_of(cell.prev))
    if any(mark in names for mark in _LINE_MARKS):
        _remove_numbers(page.root.css(_BESIDE))
        _join_lines(page)


def _remove_numbers(nodes: list[LexborNode]) -> None:
    """Remove those of some elements that have no other text than numbers."""
    for node in [node for node in nodes if _NUMERIC.fullmatch(node.text() or "")]:
        node.decompose(recursive=False)


def _remove_counting(before: LexborNode | None) -> None:
    """Remove the cell before that of a code block if it is the first of its row and counts the lines."""
    if before is None or previous_of(before.prev) is not None:
        return
    numbers = (before.text(separator=" ") or "").split()
    if not all(number.isdecimal() and len(number) <= _DIGITS for number in numbers):
        return
    row = before.parent
    is_alone = row is not None and previous_of(row.prev) is None and next_of(row.next) is None
    first_lines = {int(number) - position for position, number in enumerate(numbers)}
    if len(first_lines) == 1 and (len(numbers) > 1 or is_alone):
        before.decompose(recursive=False)


def _join_lines(page: Survey) -> None:
    """Make a code block of each table or element that consists of lines of code."""
    listings: dict[int, tuple[LexborNode, list[str]]] = {}
    read = set[int]()
    size = 0
    for node in page.root.css(_LINES):
        listing, is_inside = _listing_of(node, read)
        if listing is None or is_inside or size > _MOST_TEXT:
            continue
        read.add(node.mem_id)
        line = node.text() or ""
        size += len(line)
        listings.setdefault(listing.mem_id, (listing, []))[1].append(line.strip("\r\n"))
    for listing, lines in listings.values():
        if "".join((listing.text() or "").split()) != "".join("".join(lines).split()):
            continue  # it has other text
        code = page.tree.create_node("code" if any(outer.tag == "pre" for outer in ancestors(listing)) else "pre")
        code.insert_child("\n".join(lines))
        language = listing.attributes.get("data-tagsearch-lang")
        if language:
            code.attrs["class"] = f"language-{language.replace(' ', '-')}"
        listing.insert_before(code)
        listing.decompose(recursive=False)


def _listing_of(line: LexborNode, read: set[int]) -> tuple[LexborNode | None, bool]:
    """Return the element with all lines of a listing, and whether it is inside a line that was read."""
    is_cell = line.tag == "td"
    listing = None if is_cell else line.parent
    for outer in ancestors(line):
        if outer.mem_id in read:
            return None, True
        if listing is None and outer.tag == "table":
            listing = outer
    return listing, False
