"""The main text of a piece of HTML, as Markdown and as plain text."""

from wavecrawl.domain.pages.extraction import extract, read_markdown
from wavecrawl.domain.pages.plain_text import plain_text

PAGE = "https://example.com/docs/page"


def markdown(html: str) -> str:
    """Return the main text as Markdown. Its plain text is that of the crawl."""
    written = read_markdown(f"<main>{html}</main>", url=PAGE, encoding="utf-8").markdown
    assert plain_text(written) == text(html)
    return written


def text(html: str) -> str:
    """Return the main text as a crawl stores it."""
    return extract(f"<main>{html}</main>", url=PAGE).facts.text
