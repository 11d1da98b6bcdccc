"""The main text of a page, as Markdown."""

from typing import Final

from wavecrawl.domain.pages.extraction.content import choose
from wavecrawl.domain.pages.extraction.markdown_writer import MainText, markdown_of
from wavecrawl.domain.pages.extraction.outline import outline
from wavecrawl.domain.pages.extraction.survey import Survey

MOST_CHARACTERS: Final = 5_000_000
"""Characters of the main text; its words need ten times as much memory."""

_NOTHING: Final = MainText("", is_cut=False)


def main_text(page: Survey, base: str) -> MainText:
    """Return the main content. Removes elements from the tree, so read links and facts first."""
    found = outline(page)
    return _NOTHING if found is None else markdown_of(found, choose(found), base, most=MOST_CHARACTERS)
