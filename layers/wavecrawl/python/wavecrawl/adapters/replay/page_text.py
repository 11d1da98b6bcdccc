"""The text of a whole page, as far as it is compared."""

from selectolax.lexbor import LexborHTMLParser

_UNSEEN = "head, script, style, noscript, template"
_FRAMES = "iframe, frame, [data-frame]"
"""Frames: of the crawl's, only those of the same origin could be read; in a replay, all have the same origin."""


def page_text(html: str) -> str:
    """Return the text of a page without frames, with one space for all white space."""
    tree = LexborHTMLParser(html)
    for element in tree.css(f"{_UNSEEN}, {_FRAMES}"):
        element.decompose()
    return " ".join(tree.root.text(separator=" ").split()) if tree.root else ""
