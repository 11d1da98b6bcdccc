"""The background images that CSS names: `url()` in the properties `background` and `background-image`."""

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


def backgrounds(css: str) -> Iterator[str]:
    """Yield the URLs of background images in a style sheet or a `style` attribute, as written."""
    is_background = False
    for token in _TOKEN.finditer(css[:_LONGEST]):
        kind = token.lastgroup
        if kind == "property":
            is_background = True
        elif kind == "end":
            is_background = False
        elif kind is not None and is_background:
            url = _ESCAPE.sub(_unescaped, token[kind]).strip()
            if url and url[:5].lower() != "data:":
                yield url


def _unescaped(escape: re.Match[str]) -> str:
    if not escape[1]:
        return "" if escape[2] == "\n" else str(escape[2])
    code = int(escape[1], 16)
    return chr(code) if 0 < code <= _LAST and not 0xD800 <= code <= 0xDFFF else "\ufffd"  # noqa: PLR2004 - surrogates
