"""The text of a page that is no HTML: plain text or Markdown, such as a README file or llms.txt."""

import re
from hashlib import sha256

from wavecrawl.domain.pages.extraction.main_text import MOST_CHARACTERS
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.pages.simhash import hashes_of_words
from wavecrawl.domain.pages.text_choice import TextChoice
from wavecrawl.domain.pages.word_sketch import sketch_of_words
from wavecrawl.domain.pages.words import words_of

MARKDOWN_TYPES = frozenset(("text/markdown", "text/x-markdown"))  # RFC 7763, and what servers sent before it
PLAIN_TYPES = MARKDOWN_TYPES | {"text/plain"}

_LINE_END = re.compile("\r\n?")
_FENCES = re.compile("`{3,}")


def plain_facts(content: bytes | str, choice: TextChoice) -> PageFacts:
    """Return the facts of a plain text: the text as it was sent, and what is made of it. `main` is all of it."""
    text = _text_of(content)
    is_cut = len(text) > MOST_CHARACTERS
    text = "" if choice is TextChoice.NONE else text[:MOST_CHARACTERS].rstrip()
    sent = content.encode("utf-8", "replace") if isinstance(content, str) else content
    words = words_of(text)
    fingerprint, word_set = hashes_of_words(words.found)
    return PageFacts(
        cut_facts=("text",) if is_cut and text else (),
        word_count=words.count,
        text=text,
        text_hash=sha256(text.encode("utf-8", "replace") or sent).hexdigest(),
        simhash=fingerprint,
        word_set=word_set,
        word_sketch=sketch_of_words(words.found),
    )


def plain_markdown(content: bytes | str, choice: TextChoice, *, is_markdown: bool) -> str:
    """Return the text as Markdown: as it was sent if it is Markdown, else as a code block, which keeps its lines."""
    if choice is TextChoice.NONE:
        return ""
    text = _text_of(content)[:MOST_CHARACTERS].rstrip()
    if is_markdown or not text:
        return text
    fence = "`" * (max(map(len, _FENCES.findall(text)), default=2) + 1)
    return f"{fence}\n{text}\n{fence}"


def _text_of(content: bytes | str) -> str:
    """Return the text with LF as line end, without blank lines around it and without NUL, which no database has."""
    text = content.decode("utf-8", "replace") if isinstance(content, bytes) else content
    return _LINE_END.sub("\n", text).replace("\0", "").strip("\n \t\f").encode("utf-8", "replace").decode()
