"""Which text of a PDF file stands for letters.

A font maps codes to glyphs. Without a Unicode map, only names of glyphs or standard codes say which letters they are
(ISO 32000-2, 9.10.2). pypdf returns the names as text, and the codes of composite fonts as characters.
"""

import re
from typing import Any, Final

import msgspec
from pypdf._codecs.adobe_glyphs import adobe_glyphs

_NAMED = re.compile(r"uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6})")
_FOUR = re.compile("....")
_CONTROLS: Final = dict.fromkeys(range(32))
_NOT_LETTERS: Final = frozenset(("Identity-H", "Identity-V"))  # codes are numbers of glyphs


class _Font(msgspec.Struct, frozen=True):
    """What the codes of a font say about letters."""

    pdf_font: Any
    is_readable: bool  # whether they say anything
    letters: dict[str, str]  # of the names of glyphs that pypdf does not know, as it writes them
    names: re.Pattern[str] | None  # any of these names; None if there are none


class Fonts:
    """The fonts of a file."""

    def __init__(self) -> None:
        self._fonts: dict[int, _Font] = {}  # each keeps its `pdf_font`, so that the id remains its own

    def letters(self, text: str, font: Any) -> tuple[str, bool]:
        """Return what can be read of a text that pypdf found in a font, and whether that is all of it."""
        if font is None or not text.strip():
            return text, True
        found = self._fonts.get(id(font))
        if found is None:
            found = self._fonts[id(font)] = _font(font)
        if not found.is_readable:
            return "", False
        if found.names is None or "/" not in text:
            return text, bool(text.translate(_CONTROLS).strip())
        is_whole = all(found.letters[name] for name in found.names.findall(text))
        return found.names.sub(lambda name: found.letters[name[0]], text), is_whole


def _font(font: Any) -> _Font:
    if "/ToUnicode" in font:
        return _Font(font, is_readable=True, letters={}, names=None)
    encoding = _resolved(font.get("/Encoding"))
    if font.get("/Subtype") == "/Type0":
        is_readable = str(encoding).removeprefix("/") not in _NOT_LETTERS
        return _Font(font, is_readable=is_readable, letters={}, names=None)
    differences = _resolved(encoding.get("/Differences")) if hasattr(encoding, "get") else None
    written = {str(name) for name in differences or () if isinstance(name, str)}
    letters = {name: _letters_of(name) for name in written if len(name) > 1 and name not in adobe_glyphs}
    longest_first = "|".join(re.escape(name) for name in sorted(letters, key=len, reverse=True))
    return _Font(font, is_readable=True, letters=letters, names=re.compile(longest_first) if letters else None)


def _letters_of(name: str) -> str:
    """Return the letters of a glyph (Adobe Glyph List Specification, section 2), "" if its name does not tell them."""
    parts = name.removeprefix("/").partition(".")[0].split("_")
    return "".join(_letter_of(part) for part in parts)


def _letter_of(part: str) -> str:
    known = adobe_glyphs.get(f"/{part}")
    if known is not None:
        return known
    named = _NAMED.fullmatch(part)
    if named is None:
        return ""
    codes = [int(code, 16) for code in (_FOUR.findall(named[1]) if named[1] else [named[2]])]
    return "".join(chr(code) for code in codes if code <= 0x10FFFF)  # noqa: PLR2004 - Unicode


def _resolved(value: Any) -> Any:
    return value.get_object() if hasattr(value, "get_object") else value
