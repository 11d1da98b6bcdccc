"""The main text of a page, as Markdown."""

from wavecrawl.domain.pages.extraction.content import choose
from wavecrawl.domain.pages.extraction.markdown_writer import markdown_of
from wavecrawl.domain.pages.extraction.outline import outline
from wavecrawl.domain.pages.extraction.survey import Survey

_MOST = 5_000_000  # characters; its words need ten times as much memory


def main_text(page: Survey, base: str) -> str:
    """Return the main content as Markdown. Removes elements from the tree, so read links and facts first."""
    found = outline(page)
    if found is None:
        return ""
    return markdown_of(found, choose(found), base)[:_MOST].rstrip()
