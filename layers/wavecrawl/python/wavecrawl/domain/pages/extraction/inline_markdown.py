"""Text inside one block as Markdown: emphasis, code, formulas, links and escapes.

The input is serialized HTML text with marks instead of tags. A mark begins with "<" or ">", which serialized text
contains only as entities, so no text can look like a mark.
"""

import re
from typing import Final

from msgspec import Struct

from wavecrawl.domain.pages.extraction.word_boundaries import without_invisible


class Mark(Struct, frozen=True):
    """The marks at the beginning and the end of an inline element; those of a link end with its number and ";"."""

    opening: str
    closing: str


STRONG: Final = Mark("<S", ">S")
EMPHASIS: Final = Mark("<E", ">E")
CODE: Final = Mark("<C", ">C")
LINK: Final = Mark("<A", ">A")
FORMULA: Final = Mark("<M", ">M")
DISPLAYED: Final = Mark("<D", ">D")
REFERENCE_MARK: Final = Mark("<N", ">N")  # to a footnote
LINE_BREAK: Final = "<B"

# White space and line breaks belong outside of an element: "<b>a </b>b" is "**a** b".
_AFTER_OPENING = re.compile("((?:<[SECA])+)( |<B)")
_BEFORE_CLOSING = re.compile(r"( |<B)((?:>(?:[SEC]|A\d+;))+)")
_EMPTY = re.compile(r"<(?:S>S|E>E|C>C|A>A\d+;)")
_ADJACENT = re.compile(r">S( ?)<S|>E( ?)<E|>C<C")
_BREAKS = re.compile(" ?<B(?: ?<B)* ?")
_UNTIDY = re.compile(  # begins with a set of characters, as the regex engine searches that faster than alternatives
    r"[<>](?:(?<=<)(?:S>S|E>E|C>C|A>A|[SECA](?: |<B)|B>|B<B)|(?<=>)(?:S ?<S|E ?<E|C<C))"
)
# Emphasis that CommonMark would not see (section 6.2): inside a word and beside a punctuation mark.
_UNSEEN = re.compile(
    r"[<>](?:(?<=\w<)(?<![<>]\w<)[SE](?:[^\w<]|_|<[CAMDN])"
    r"|(?:(?<=[^\w>]>)|(?<=_>)|(?<=>[CMDN]>))[SE]\w"
    r"|(?<=>)[SE]<[SE])"
)
_EMPHASIS = re.compile("[<>][SE]")
_MOST_PASSES = 50  # over elements in each other; no page that someone wrote needs more
_ENTITY = re.compile("&(?:lt|gt|amp|nbsp);")
_CHARACTERS: Final = {"&lt;": "<", "&gt;": ">", "&amp;": "&", "&nbsp;": " "}
_BACKTICKS = re.compile("`+")

_SPECIAL = re.compile(
    r"[\\`*\[\]_~](?:"
    r"(?<=[\\`*\[\]])"
    r"|(?<=_)(?:(?<![^\W_]_)|(?![^\W_]))"  # inside a word, "_" is no markup (CommonMark, section 6.2)
    r"|(?<=~)(?=~))"
)
_SPECIAL_OR_DOLLAR = re.compile(_SPECIAL.pattern.replace("_~](?:", "_~$](?:(?<=\\$)|"))
_AMPERSAND = re.compile(r"&amp;(?=(#?\w{1,31};)?)")  # with the rest of a text that would be read as an entity
_LINK_END = re.compile(r">A(\d+);")
_WRITTEN: Final = (
    *(("<S", "**"), (">S", "**"), ("<E", "*"), (">E", "*"), (LINE_BREAK, "\\\n")),
    *((REFERENCE_MARK.opening, "[^"), (REFERENCE_MARK.closing, "]")),
)
_VERBATIM = re.compile("<C(.*?)>C|<M(.*?)>M|<D(.*?)>D")
_LIKE_FORMULA = re.compile(r"\$\$.+?\$\$|\$(?=[^\s$])[^$]*?[^\s$]\$(?!\d)")  # as Pandoc and GitHub read it
_ITEM = re.compile(r"(\d{1,9})(?=\. )|(?=- )")
_STARTS: Final = frozenset("0123456789-+#>|=~[")
_START = re.compile(r"(\d{1,9})(?=[.)](?:\s|$))|(?=[-+](?:\s|$)|#{1,6}(?:\s|$)|[>|]|=+$|-+$|~~~)|\[\^[^\]\s]+\](?=:)")


def unescaped(serialized: str) -> str:
    """Return the characters of serialized text, which has four entities (HTML, section 13.3)."""
    if "&" not in serialized:
        return serialized
    return _ENTITY.sub(lambda entity: _CHARACTERS[entity[0]], serialized)


def inline_markdown(marked: str, links: list[str]) -> str:
    """Return marked text as Markdown with white space folded; `links` are the URLs by number."""
    if not marked.isascii():
        marked = without_invisible(marked)
    if "&nbsp;" in marked:
        marked = marked.replace("&nbsp;", " ")
    text = " ".join(marked.split())
    if "<" in text:
        text = _tidied(text)
    special = _SPECIAL
    if "$" in text and (
        FORMULA.opening in text
        or DISPLAYED.opening in text
        or _LIKE_FORMULA.search(text)
        or any("$" in link for link in links)
    ):
        special = _SPECIAL_OR_DOLLAR
    if "<" not in text:
        return _characters(special.sub(_with_backslash, text))
    parts = _VERBATIM.split(text)  # the texts between verbatim pieces, each followed by the three groups of a piece
    written = [_written(parts[0], links, special)]
    for code, formula, displayed, after in zip(parts[1::4], parts[2::4], parts[3::4], parts[4::4], strict=True):
        if code is not None:
            written.append(_code(code))
        else:
            is_displayed = formula is None
            tex = unescaped(displayed if is_displayed else formula)
            written.append(_formula(tex, after, is_displayed=is_displayed) if tex else "")
        written.append(_written(after, links, special))
    return "".join(written)


def escaped_start(line: str) -> str:
    """Return a line of a paragraph so that its beginning is not read as a list item, heading, quote, rule or table."""
    found = _START.match(line) if line[0] in _STARTS else None
    if not found:
        return line
    return f"{line[: found.end()]}\\{line[found.end() :]}"


def _tidied(text: str) -> str:
    """Move white space out of elements, and remove empty ones and emphasis that could not be seen."""
    if LINE_BREAK in text:
        text = _BREAKS.sub(LINE_BREAK, text)
    for _ in range(_MOST_PASSES):
        if not (" >" in text or "  " in text or _UNTIDY.search(text)):
            break
        text = _ADJACENT.sub(r"\1\2", _EMPTY.sub("", text))
        text = _BEFORE_CLOSING.sub(r"\2\1", _AFTER_OPENING.sub(r"\2\1", text))
        text = _BREAKS.sub(LINE_BREAK, " ".join(text.split()))
    if ("<S" in text or "<E" in text) and _UNSEEN.search(text):
        text = _ADJACENT.sub(r"\1\2", _EMPHASIS.sub("", text))
    return text.removeprefix(LINE_BREAK).removesuffix(LINE_BREAK).strip()


def escaped_items(text: str) -> str:
    """Return the text of a cell so that none of its lines is read as a list item."""
    return "\n".join(map(_escaped_item, text.split("\n")))


def _escaped_item(line: str) -> str:
    found = _ITEM.match(line)
    return f"{line[: found.end()]}\\{line[found.end() :]}" if found else line


def _written(text: str, links: list[str], special: re.Pattern[str]) -> str:
    """Return text with marks other than those of code and formulas as Markdown."""
    text = special.sub(_with_backslash, text)
    if "<" in text or ">" in text:
        text = text.replace(f"!{LINK.opening}", f"\\!{LINK.opening}")  # else it would be read as an image
        for mark, markdown in _WRITTEN:
            text = text.replace(mark, markdown)
        text = _LINK_END.sub(lambda found: f"]({links[int(found[1])]})", text.replace(LINK.opening, "["))
    return _characters(text)


def _with_backslash(special: re.Match[str]) -> str:
    return f"\\{special[0]}"


def _characters(text: str) -> str:
    """Return text with characters instead of entities."""
    if "&" not in text:
        return text
    text = text.replace("&lt;", "\\<").replace("&gt;", ">")
    return _AMPERSAND.sub(lambda found: "\\&" if found[1] else "&", text)


def _code(marked: str) -> str:
    marked = marked.replace(LINE_BREAK, " ").replace(REFERENCE_MARK.opening, "[").replace(REFERENCE_MARK.closing, "]")
    return code_span(" ".join(unescaped(marked).split()))


def code_span(code: str) -> str:
    """Return a code span; its fence is longer than all backticks in it (CommonMark, section 6.1)."""
    if "`" not in code:
        return f"`{code}`"
    fence = "`" * (max(map(len, _BACKTICKS.findall(code))) + 1)
    return f"{fence} {code} {fence}"


def _formula(tex: str, after: str, *, is_displayed: bool) -> str:
    """Return a formula between dollar signs, or as code if these could not be read."""
    if "$" in tex or after[:1].isdigit():
        return code_span(tex)
    return f"$${tex}$$" if is_displayed else f"${tex}$"
