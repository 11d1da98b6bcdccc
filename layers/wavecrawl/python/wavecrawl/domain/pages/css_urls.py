"""The URLs that CSS names: of background images, and of everything that a browser loads for a stylesheet."""

import re
from collections.abc import Iterator
from enum import StrEnum

_LONGEST = 1_000_000  # characters of one style that are read
# In this order: a comment or a string hides what it contains (CSS Syntax Level 3, section 4). Without possessive
# quantifiers and atomic groups, hostile styles would take exponential time.
_TOKEN = re.compile(
    r"""
    /\*.*?(?:\*/|\Z)
    | url\(\s*+
      (?:"(?P<double>(?:\\.|[^"\\\n])*+)"|'(?P<single>(?:\\.|[^'\\\n])*+)'|(?P<bare>(?:\\.|[^\s"'()\\])*+))\s*+\)
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?
    | (?P<property>(?<![\w-])background(?:-image)?(?![\w-]))\s*+(?:/\*(?>.*?\*/)\s*+)*+:
    | (?P<end>[;{}])
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_LAST = 0x10FFFF  # code point
_LOADED = re.compile(
    r"""
    /\*.*?(?:\*/|\Z)
    | @namespace(?![\w-])[^;{}]*+
    | url\(\s*+
      (?:"(?P<double>(?:\\.|[^"\\\n])*+)"|'(?P<single>(?:\\.|[^'\\\n])*+)'|(?P<bare>(?:\\.|[^\s"'()\\])*+))\s*+\)
    | @import(?:\s|/\*(?>.*?\*/))*+(?:"(?P<imported>(?:\\.|[^"\\\n])*+)"|'(?P<imported_single>(?:\\.|[^'\\\n])*+)')
    | "(?:\\.|[^"\\\n])*"? | '(?:\\.|[^'\\\n])*'?
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)

_USED = re.compile(
    r"""
    /\*.*?(?:\*/|\Z)
    | @(?:namespace|(?:-moz-)?document)(?![\w-])[^;{}]*+
    | (?P<import>@import(?![\w-])) | (?P<font>@font-face(?![\w-]))
    | url\(\s*+
      (?:"(?P<double>(?:\\.|[^"\\\n])*+)"|'(?P<single>(?:\\.|[^'\\\n])*+)'|(?P<bare>(?:\\.|[^\s"'()\\])*+))\s*+\)
    | "(?P<text>(?:\\.|[^"\\\n])*+)"? | '(?P<text_single>(?:\\.|[^'\\\n])*+)'?
    | (?<![\w-])(?P<property>[\w-]++)\s*+:
    | (?P<end>[;{}])
    """,
    re.IGNORECASE | re.DOTALL | re.VERBOSE,
)
_TEXTS = ("text", "text_single")
_NO_IMAGES = ("behavior", "-ms-behavior", "-moz-binding", "src")  # src: of @font-face only


class CssUse(StrEnum):
    """What CSS uses a URL for."""

    IMPORT = "import"
    IMAGE = "image"
    FONT = "font"


def backgrounds(css: str) -> Iterator[str]:
    """Yield the URLs of background images in a style sheet or a `style` attribute, as written.

    `url(#id)` names an element of the page and loads nothing (CSS Values and Units Level 4, section 4.5.1.1).
    """
    is_background = False
    for token in _TOKEN.finditer(css[:_LONGEST]):
        kind = token.lastgroup
        if kind == "property":
            is_background = True
        elif kind == "end":
            is_background = False
        elif kind is not None and is_background:
            url = _ESCAPE.sub(_unescaped, token[kind]).strip()
            if _is_loaded(url):
                yield url


def loaded_urls(css: str) -> Iterator[str]:
    """Yield the URLs of every `url()` and `@import` in a style sheet or a `style` attribute, as written.

    That of `@namespace` is only a name.
    """
    for token in _LOADED.finditer(css[:_LONGEST]):
        if token.lastgroup is not None:
            url = _ESCAPE.sub(_unescaped, token[token.lastgroup]).strip()
            if _is_loaded(url):
                yield url


def used_urls(css: str) -> Iterator[tuple[CssUse, str]]:
    """Yield the URLs that a browser may load for a style sheet or a `style` attribute, as written, with their use.

    An `@import` after a rule with a block is invalid (CSS Cascading and Inheritance Level 5, section 2). URLs of custom
    properties are left out, as they are loaded only if another property uses them.
    """
    property_, is_import, is_font, has_rules = "", False, False, False
    for token in _USED.finditer(css[:_LONGEST]):
        kind = token.lastgroup
        if kind is None:
            continue
        if kind == "import":
            is_import = True
        elif kind == "font":
            is_font = True
        elif kind == "property":
            property_ = token[kind].lower()
        elif kind == "end":
            property_, is_import = "", False
            has_rules = has_rules or token[kind] == "{"
            is_font = is_font and token[kind] != "}"
        elif is_import or kind not in _TEXTS:
            use = _use_of(property_, is_import=is_import, is_font=is_font)
            url = _ESCAPE.sub(_unescaped, token[kind]).strip()
            if use is not None and _is_loaded(url) and not (is_import and has_rules):
                yield use, url
            is_import = False


def _use_of(property_: str, *, is_import: bool, is_font: bool) -> CssUse | None:
    if is_import:
        return CssUse.IMPORT
    if is_font:
        return CssUse.FONT if property_ == "src" else None
    return None if not property_ or property_ in _NO_IMAGES or property_.startswith("--") else CssUse.IMAGE


def _is_loaded(url: str) -> bool:
    return bool(url) and url[0] != "#" and url[:5].lower() != "data:"


def _unescaped(escape: re.Match[str]) -> str:
    if not escape[1]:
        return "" if escape[2] == "\n" else str(escape[2])
    code = int(escape[1], 16)
    return chr(code) if 0 < code <= _LAST and not 0xD800 <= code <= 0xDFFF else "\ufffd"  # noqa: PLR2004 - surrogates
