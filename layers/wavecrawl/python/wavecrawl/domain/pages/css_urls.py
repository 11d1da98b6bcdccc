"""The URLs that CSS names: of background images, and of everything that a browser loads for a stylesheet."""

import re
from collections.abc import Iterator

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


def _is_loaded(url: str) -> bool:
    return bool(url) and url[0] != "#" and url[:5].lower() != "data:"


def _unescaped(escape: re.Match[str]) -> str:
    if not escape[1]:
        return "" if escape[2] == "\n" else str(escape[2])
    code = int(escape[1], 16)
    return chr(code) if 0 < code <= _LAST and not 0xD800 <= code <= 0xDFFF else "\ufffd"  # noqa: PLR2004 - surrogates
