"""Which elements the style sheets inside a page make blocks.

Only small sheets and plain selectors are read: names of elements, classes and ids, and children. Descendants are not:
the time to look for them grows with the depth of the page. Sheets in other files are not fetched with a page.
"""

import re
from typing import Final

from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import STYLE

_MOST_CHARACTERS = 20_000  # of all sheets of a page
_MOST_SELECTORS = 50
_MOST_AT_RULES = 100
_IGNORED = re.compile(  # comments and at-rules
    r"/\*.*?\*/|@[^{};]*+(?:;|\{(?:[^{}]*+\{[^{}]*+\})*+[^{}]*+\})", re.DOTALL
)
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([\w-]+)", re.IGNORECASE)
_NAME: Final = "[a-z][a-z0-9]*"
_COMPOUND: Final = rf"(?:{_NAME})?(?:[.#][A-Za-z_][\w-]*)+"
_SELECTOR = re.compile(rf"(?:(?:{_COMPOUND}|{_NAME}) ?> ?){{0,2}}{_COMPOUND}|{_COMPOUND}(?: ?> ?{_NAME}){{1,2}}")
BLOCKS: Final = frozenset("block flex grid flow-root list-item table table-row table-cell".split())
"""Values of `display` with which an element parts words."""


def block_selector(page: Survey) -> str:
    """Return a selector of elements that the page's own style sheets make blocks, or ""."""
    sheets = [node.text() or "" for node in page.noise if node.tag_id == STYLE]
    if not sheets or sum(map(len, sheets)) > _MOST_CHARACTERS:
        return ""
    sheet = "\n".join(sheets)
    if "display" not in sheet or sheet.count("@") + sheet.count("/*") > _MOST_AT_RULES:
        return ""
    found: dict[str, bool] = {}  # whether the last rule of a selector makes a block
    for rule in _IGNORED.sub(" ", sheet).split("}"):
        selectors, _, declarations = rule.partition("{")
        display = _DISPLAY.findall(declarations) if "display" in declarations else []
        for selector in selectors.split(",") if display else ():
            plain = " ".join(selector.split())
            if _SELECTOR.fullmatch(plain):
                found[plain] = display[-1].lower() in BLOCKS
    return ", ".join([selector for selector, is_block in found.items() if is_block][:_MOST_SELECTORS])
