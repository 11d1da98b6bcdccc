"""The main text of a page, plain and as Markdown."""

from typing import Final

from wavecrawl.domain.pages.extraction.content import choose
from wavecrawl.domain.pages.extraction.markdown_writer import markdown_of
from wavecrawl.domain.pages.extraction.outline import Outline, outline
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.text_writer import MainText, text_of
from wavecrawl.domain.pages.text_choice import TextChoice

MOST_CHARACTERS: Final = 5_000_000
"""Characters of the main text; its words need ten times as much memory."""

_NOTHING: Final = MainText("", is_cut=False)


def main_text(page: Survey, choice: TextChoice) -> MainText:
    """Return the chosen text of a page. Removes elements from the tree, so read links and facts first."""
    found = _outline(page, choice)
    return _NOTHING if found is None else text_of(found, _content(found, choice), most=MOST_CHARACTERS)


def main_markdown(page: Survey, base: str, choice: TextChoice) -> str:
    """Return the chosen text as Markdown, with the same removals. `base` is the base URL of references."""
    found = _outline(page, choice)
    return "" if found is None else markdown_of(found, _content(found, choice), base, most=MOST_CHARACTERS)


def _outline(page: Survey, choice: TextChoice) -> Outline | None:
    return None if choice is TextChoice.NONE else outline(page)


def _content(found: Outline, choice: TextChoice) -> int:
    """Return the box of the content, and mark what is dropped in it. It is around code, not code or a part of it."""
    index = around = choose(found) if choice is TextChoice.MAIN else 0
    while around > 0:
        box = found.boxes[around]
        around = box.parent
        if box.tag == "pre":
            index = around
    return index
