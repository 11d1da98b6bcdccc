"""The plain text of a page's Markdown.

Only the form that wavecrawl writes is read (see `extraction.markdown_writer`). There, each markup character of the
text itself has a backslash, so the text comes back exactly.
"""

import re

_PREFIX = re.compile(r"(?: +|> |>$|- |\d{1,9}\. )*+")  # of lists and quotes
_FENCE = re.compile("(```+)[^`]*$")
_HEADING = re.compile("#{1,6} ")
_INLINE = re.compile(  # each alternative begins with one character, so that the regex engine searches fast
    r"\\([!-/:-@\[-`{-~]|$)"  # an escaped character, or a line break
    r"|`(`*+)(?:(.*?)(?<!`)`\2(?!`))?+"  # code, or in a piece of a text, backticks without an end
    r"|\]\([^()]*\)"  # the end of a link
    r"|\[|\*"  # the beginning of a link; emphasis
)


def plain_text(markdown: str) -> str:
    """Return the text without markup: a line per line of a paragraph, table cells separated by tabs."""
    out: list[str] = []
    lines = iter(markdown.split("\n"))
    for line in lines:
        prefix = _PREFIX.match(line)
        begin = prefix.end() if prefix else 0
        fence = _FENCE.match(line, begin)
        if fence:
            for code in lines:
                if code[begin:] == fence[1]:
                    break
                out.append(code[begin:])
            continue
        text = line[begin:]
        if text.startswith("| "):
            if not text.startswith("| --- |"):
                cells = [cell.replace("\\|", "|") for cell in text[2:].removesuffix(" |").split(" | ")]
                out.append("\t".join(map(_without_markup, cells)).strip())
            continue
        heading = _HEADING.match(text)
        out.append(_without_markup(text[heading.end() :] if heading else text))
    return "\n".join(out)


def _without_markup(line: str) -> str:
    parts = _INLINE.split(line)  # the texts between matches, each followed by the three groups of a match
    if len(parts) == 1:
        return line
    if "`" in line:
        parts[3::4] = map(_code, parts[2::4], parts[3::4])
        parts[2::4] = [""] * len(parts[2::4])
    return "".join(filter(None, parts))


def _code(more: str | None, code: str | None) -> str:
    """Return the code between backticks, `more` after the first; or backticks without an end; "" if it is no code."""
    if code is None:
        return "" if more is None else f"`{more}"
    return code[1:-1] if more else code  # code with backticks has a space at both ends
