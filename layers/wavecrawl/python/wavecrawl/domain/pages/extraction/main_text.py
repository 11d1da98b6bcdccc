"""The main text of a page, plain and as Markdown."""

from typing import Final

from wavecrawl.domain.pages.extraction.content import choose
from wavecrawl.domain.pages.extraction.markdown_writer import markdown_of
from wavecrawl.domain.pages.extraction.outline import outline
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.text_writer import MainText, text_of

MOST_CHARACTERS: Final = 5_000_000
"""Characters of the main text; its words need ten times as much memory."""

_NOTHING: Final = MainText("", is_cut=False)


def main_text(page: Survey) -> MainText:
    """Return the main content as plain text. Removes elements from the tree, so read links and facts first."""
    found = outline(page)
    return _NOTHING if found is None else text_of(found, choose(found), most=MOST_CHARACTERS)


def main_markdown(page: Survey, base: str) -> str:
    """Return the main content as Markdown, with the same removals. `base` is the base URL of references."""
    found = outline(page)
    return "" if found is None else markdown_of(found, choose(found), base, most=MOST_CHARACTERS)
