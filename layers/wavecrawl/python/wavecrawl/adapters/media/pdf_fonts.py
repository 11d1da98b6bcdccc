"""Which text of a PDF file stands for letters.

A font maps codes to glyphs. Without a Unicode map, only names of glyphs or standard codes say which letters they are
(ISO 32000-2, 9.10.2). pypdf returns the names as text, and the codes of composite fonts as characters.
"""

import re
from typing import Any, Final

from pypdf._codecs.adobe_glyphs import adobe_glyphs

_NAMED = re.compile(r"uni((?:[0-9A-F]{4})+)|u([0-9A-F]{4,6})")
_FOUR = re.compile("....")
_CONTROLS: Final = dict.fromkeys(range(32))
_NOT_LETTERS: Final = frozenset(("Identity-H", "Identity-V"))  # codes are numbers of glyphs


class Fonts:
    """The fonts of a file."""

    def __init__(self) -> None:
        self._names: dict[int, tuple[Any, dict[str, str] | None]] = {}

    def letters(self, text: str, font: Any) -> tuple[str, bool]:
        """Return what can be read of a text that pypdf found in a font, and whether that is all of it."""
        if font is None or not text.strip():
            return text, True
        if id(font) not in self._names:
            self._names[id(font)] = (font, _names_of(font))  # keeps the font, so that its id remains its own
        names = self._names[id(font)][1]
        if names is None:
            return "", False
        if not names or "/" not in text:
            return text, bool(text.translate(_CONTROLS).strip())
        pattern = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
        is_whole = all(names[name] for name in re.findall(pattern, text))
        return re.sub(pattern, lambda name: names[name[0]], text), is_whole


def _names_of(font: Any) -> dict[str, str] | None:
    """Return the names of glyphs that pypdf does not know, as it writes them, and their letters.

    Return None if the codes of the font say nothing about letters.
    """
    if "/ToUnicode" in font:
        return {}
    encoding = _resolved(font.get("/Encoding"))
    if font.get("/Subtype") == "/Type0":
        return None if str(encoding).removeprefix("/") in _NOT_LETTERS else {}
    differences = _resolved(encoding.get("/Differences")) if hasattr(encoding, "get") else None
    written = {str(name) for name in differences or () if isinstance(name, str)}
    return {name: _letters_of(name) for name in written if len(name) > 1 and name not in adobe_glyphs}


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
