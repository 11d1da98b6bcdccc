"""The Link header (RFC 8288, section 3 and appendix B)."""

import re
from collections.abc import Iterator

from msgspec import Struct

_TARGET = re.compile(r"[ \t,]*+<([^>]*)>")  # empty members of a list count for nothing (RFC 9110, section 5.6.1)
_PARAMETER = re.compile(r'[ \t]*;[ \t]*([^\s=;,"]*)[ \t]*(?:=[ \t]*(?:"((?:[^"\\]|\\.)*+)"?|([^;,]*)))?', re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_NEXT = re.compile(r"[^,]*,")


class HeaderLink(Struct, frozen=True, kw_only=True):
    """A link of a header."""

    target: str  # as written, not resolved
    relations: tuple[str, ...]  # lower-cased
    anchor: str | None  # the context of the link as written; None = the response itself
    languages: tuple[str, ...]  # each hreflang, lower-cased (3.4.1)
    media_type: str  # type, as written


def header_links(value: str) -> Iterator[HeaderLink]:
    """Yield the links of a Link header's value. A value that does not follow the grammar ends them."""
    position = 0
    while (start := _TARGET.match(value, position)) is not None:
        parameters: dict[str, str] = {}
        languages: list[str] = []
        position = start.end()
        while (one := _PARAMETER.match(value, position)) is not None:
            text = one[3].strip() if one[2] is None and one[3] else _ESCAPED.sub(r"\1", one[2] or "")
            name = one[1].lower()
            parameters.setdefault(name, text)  # a second `rel` is ignored (3.3)
            if name == "hreflang":
                languages.append(text.lower())
            position = one.end()
        yield HeaderLink(
            target=start[1].strip(),
            relations=tuple(parameters.get("rel", "").lower().split()),
            anchor=parameters.get("anchor"),
            languages=tuple(languages),
            media_type=parameters.get("type", ""),
        )
        after = _NEXT.match(value, position)
        if after is None:
            return
        position = after.end()
