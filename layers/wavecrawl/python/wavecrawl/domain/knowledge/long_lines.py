"""Lines that are longer than a passage, divided at the ends of sentences or words.

Code in backticks and links stay whole if they fit. Code that does not fit becomes several pieces of code, and emphasis
ends and begins again. So the text of the pieces is the text of the line.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from wavecrawl.domain.pages.extraction.inline_markdown import escaped_start
from wavecrawl.domain.pages.plain_text import cells_of, line_of_cell, text_of_cell, without_markup

MARKUP = 4
"""Maximum number of characters of Markdown per character of text that a piece may have."""

_WINDOW = 16_000
"""Characters of a line that are read at once. The time for backticks grows with the square of this."""

_ENDS = ("。", " ")  # where a window may end: after a Chinese or Japanese sentence, or a word
_STOPS = "\u3002\uff01\uff1f"  # full stop, exclamation and question mark of Chinese and Japanese
_ATOM = re.compile(
    r"\\[!-~]"  # an escaped character
    r"|(`+)(?:(.*?)(?<!`)\1(?!`))?+"  # code, or backticks without an end
    r"|\$\$.+?\$\$|\$(?=[^\s$])[^$]*?[^\s$]\$(?!\d)"  # formulas
    r"|\[\^[A-Za-z0-9.-]+\]"  # a reference to a footnote
    r"|\[((?:\\.|`[^`]*+`|[^\[\]\\`])*+)\]\(([^()\s]*+)\)"  # a link
    r"|\*{1,3}"  # emphasis
    r"|\]\([^()]*+\)"  # the end of a link that is not read as one
    r"|\s+"
    rf"|[^\s\\`\[\]*${_STOPS}]+[{_STOPS}]*"
    r"|.",
    re.DOTALL,
)
_WORD = re.compile(rf"\s+|[^\s{_STOPS}]*[{_STOPS}]+|[^\s{_STOPS}]+")
_SENTENCE_ENDS = (".", "!", "?", "…")
_SPECIAL = re.compile(r"[\\`*\[\]_<>~&$]")


class Atom(Struct, frozen=True, gc=False):
    """A part of a line that is not divided."""

    markdown: str
    text: str


def pieces(markdown: str, *, most: int) -> Iterator[Atom]:
    """Yield a line in pieces with at most `most` characters of text, as they are asked for. It has no prefix."""
    if markdown.startswith("| "):
        for piece in _packed(_atoms_of_row(markdown, most), most):
            yield Atom(f"| {piece.markdown} |", piece.text)
        return
    for number, piece in enumerate(_packed(_atoms(_without_break(markdown), most), most)):
        yield Atom(escaped_start(piece.markdown), piece.text) if number and piece.markdown else piece


def _without_break(markdown: str) -> str:
    """Return a line without the backslash at its end that breaks the line: emphasis could not end behind it."""
    backslashes = len(markdown) - len(markdown.rstrip("\\"))
    return markdown[:-1] if backslashes % 2 else markdown


def plain_pieces(text: str, *, most: int) -> Iterator[Atom]:
    """Yield a line of plain text in pieces, with the Markdown that shows them."""
    if len(text) <= most:
        yield Atom(escaped(text), text)
        return
    words = (Atom(part, part) for word in _WORD.finditer(text) for part in _parts(word[0], most))
    for piece in _packed(words, most):
        yield Atom(escaped(piece.text), piece.text)


def escaped(text: str) -> str:
    """Return a line of plain text as Markdown."""
    line = _SPECIAL.sub(r"\\\g<0>", text)
    return escaped_start(line) if line else line


def _packed(atoms: Iterable[Atom], most: int) -> Iterator[Atom]:
    """Yield as few pieces as possible."""
    current: list[Atom] = []
    marks: list[str] = []  # of emphasis around the next piece
    size = markup = 0
    for atom in atoms:
        while current and (size + len(atom.text) > most or markup + len(atom.markdown) > MARKUP * most):
            end = _end(current, most)
            piece, marks = _joined(current[:end], marks)
            yield piece
            current = current[end:]
            size = sum(len(one.text) for one in current)
            markup = sum(len(one.markdown) for one in current)
        current.append(atom)
        size += len(atom.text)
        markup += len(atom.markdown)
    yield _joined(current, marks)[0]


def _end(atoms: list[Atom], most: int) -> int:
    """Return after how many atoms a piece ends: after a sentence, else after a word, in its second half; else all."""
    size = sum(len(atom.text) for atom in atoms)
    word = 0
    for count in range(len(atoms), 0, -1):
        if size < most // 2:
            break
        is_last = count == len(atoms) or atoms[count].text.isspace()
        text = atoms[count - 1].text
        if text.endswith(tuple(_STOPS)) or (is_last and text.endswith(_SENTENCE_ENDS)):
            return count
        if not word and count < len(atoms) and atoms[count].text.isspace():
            word = count
        size -= len(text)
    return word or len(atoms)


def _joined(atoms: list[Atom], marks: list[str]) -> tuple[Atom, list[str]]:
    """Return atoms as one piece, and the marks that are open at its end. `marks` are open at its beginning."""
    opening = "".join(marks)
    marks = marks.copy()
    for atom in atoms:
        if atom.text == "" and atom.markdown.startswith("*"):
            if atom.markdown in marks:
                marks.remove(atom.markdown)
            else:
                marks.append(atom.markdown)
    filled = [number for number, atom in enumerate(atoms) if not atom.text.isspace()]
    inner = atoms[filled[0] : filled[-1] + 1] if filled else []
    markdown = "".join([atom.markdown for atom in inner]).strip()
    text = "".join([atom.text for atom in inner]).strip()
    return Atom(opening + markdown + "".join(reversed(marks)), text), marks


def _atoms(markdown: str, most: int) -> Iterator[Atom]:
    for window in _windows(markdown):
        for match in _ATOM.finditer(window):
            yield from _of_match(match, most)


def _atoms_of_row(markdown: str, most: int) -> Iterator[Atom]:
    for number, cell in enumerate(cells_of(markdown)):
        if number:
            yield Atom(" | ", "\t")
        text = text_of_cell(cell) if len(cell) <= MARKUP * most else None
        if text is not None and len(text) <= most:
            yield Atom(cell, text)
        else:
            for atom in _atoms(line_of_cell(cell), most):
                yield Atom(atom.markdown.replace("|", "\\|"), atom.text)


def _of_match(match: re.Match[str], most: int) -> Iterator[Atom]:
    whole, (ticks, code, link, target) = match[0], match.groups()
    text = without_markup(whole)
    fits = len(text) <= most and len(whole) <= MARKUP * most
    if fits:
        yield Atom(whole, text)
    elif link is not None:
        inner = link if len(target) <= most or len(text) > most else text
        for one in _ATOM.finditer(inner) if len(text) > most else ():
            yield from _of_match(one, most)
        if len(text) <= most:
            yield Atom(escaped(text), text)
    elif code is not None and len(ticks) < most:
        space = " " if len(ticks) > 1 else ""
        for part in _parts(text, most):
            yield Atom(f"{ticks}{space}{part}{space}{ticks}", part)
    else:
        for part in _parts(text, most):
            yield Atom(part, part)


def _parts(text: str, most: int) -> Iterator[str]:
    for start in range(0, len(text), most):
        yield text[start : start + most]


def _windows(markdown: str) -> Iterator[str]:
    start = 0
    while len(markdown) - start > _WINDOW:
        end = _window_end(markdown, start + _WINDOW // 2, start + _WINDOW)
        yield markdown[start:end]
        start = end
    yield markdown[start:]


def _window_end(markdown: str, first: int, last: int) -> int:
    """Return where a window ends, from `first` to `last`; not between a backslash and the character that it escapes."""
    for text in _ENDS:
        found = markdown.rfind(text, first, last)
        if found >= 0:
            return found + len(text)
    backslashes = last - first - len(markdown[first:last].rstrip("\\"))
    return last - backslashes % 2
