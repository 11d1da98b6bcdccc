"""What the markup itself sets apart from the content: navigation, hidden elements, header and footer, consent dialogs.

A hidden text is content if a click shows it: the answer of a FAQ, a tab. Hidden menus and dialogs are not.
"""

import re

from wavecrawl.domain.pages.extraction.footnotes import NOTE
from wavecrawl.domain.pages.extraction.names import IN_CONSENT, asks_for_consent, is_admonition, is_of_vendor, is_panel
from wavecrawl.domain.pages.extraction.outline import Box, Outline

_MOST_MARKED = 0.6  # of the text outside links; markup that sets more apart is wrong
_LEAST_REST = 100  # characters outside links beside a dialog for consent; a page with less is about cookies
_LARGE_PART = 0.4  # of the text outside links
_LEAST_SHOWN = 25  # characters outside links of a hidden text that is content

_ROLE = re.compile(r'(?:^| )role="\s*([a-z]+)', re.IGNORECASE)
_DIALOG = re.compile(r'(?:^| )(?:role="(?:alert)?dialog"|aria-modal="true")', re.IGNORECASE)
_ID = re.compile(r'(?:^| )id="([^"]*)"')
_CONTROLLED = re.compile(rb"""(?:aria-controls|data-(?:bs-)?target)=["']?#?([^"'>]*)""")  # WAI-ARIA 1.2; Bootstrap
_HIDDEN = re.compile(
    r'(?:^| )(?:hidden=(?!"until-found")|aria-hidden="true"'
    r'|style="(?:[^"]*[; ])?(?:display:\s*none|visibility:\s*hidden))',
    re.IGNORECASE,
)
_ASIDE_ROLES = frozenset(
    "navigation search banner contentinfo complementary menu menubar dialog alertdialog toolbar tablist tooltip".split()
)
_PAGE_PARTS = frozenset("header footer".split())
_APART_TAGS = _PAGE_PARTS | frozenset("nav menu dialog aside search".split())


def drop_marked(page: Outline) -> list[int]:
    """Drop boxes that the markup sets apart from the content; return their indices."""
    boxes = page.boxes
    consent = _drop_consent(boxes)
    every = boxes[0].text - sum(box.text for box in consent)
    free = every - boxes[0].linked + sum(box.linked for box in consent)
    dropped = []
    inside_until = index = 0  # the end of the outermost open <main> or <article>
    while index < len(boxes):
        box = boxes[index]
        if box.tag in ("article", "main"):
            inside_until = max(inside_until, box.after)
        if box.dropped or (
            (box.attributes or box.tag in _APART_TAGS)
            and _set_apart(page, box, within=index < inside_until)
            and (box.text - box.linked <= _MOST_MARKED * free if free else box.text <= _MOST_MARKED * every)
        ):
            box.dropped = True
            dropped.append(index)
            index = box.after
        else:
            index += 1
    return dropped


def _drop_consent(boxes: list[Box]) -> list[Box]:
    """Drop dialogs for consent to cookies, and return them.

    Lists of purposes may be longer than the content.
    """
    attributes = [box.attributes for box in boxes]
    together = "\n".join(attributes)
    named = {
        index
        for part in IN_CONSENT
        if part in together
        for index, written in enumerate(attributes)
        if part in written and asks_for_consent(written)
    }
    free = boxes[0].text - boxes[0].linked
    found = list[Box]()
    end = 0
    for index in sorted(named):
        box = boxes[index]
        own = box.text - box.linked
        if index >= end and free - own >= _LEAST_REST and (own <= _LARGE_PART * free or not _is_page(boxes, index)):
            box.dropped = True
            found.append(box)
            end = box.after
    return found


def _is_page(boxes: list[Box], index: int) -> bool:
    """Return whether a large box named like a dialog is a page about cookies: inside the content, or with a title."""
    box, outer = boxes[index], index
    if _DIALOG.search(box.attributes) or is_of_vendor(box.attributes):
        return False
    while outer:
        outer = boxes[outer].parent
        if boxes[outer].tag in ("main", "article"):
            return True
    return any(inner.tag == "h1" for inner in boxes[index : box.after])


def _set_apart(page: Outline, box: Box, *, within: bool) -> bool:
    """Return whether markup says that a box is not content; `within` an article, a header is part of it."""
    if (
        box.tag in _APART_TAGS
        and not (within and box.tag in _PAGE_PARTS)
        and NOTE not in box.attributes
        and not is_admonition(box.attributes)
    ):
        return True
    attributes = box.attributes
    if "role=" in attributes and role_of(attributes) in _ASIDE_ROLES:
        return True
    return (
        ("hidden" in attributes or "none" in attributes)
        and _HIDDEN.search(attributes) is not None
        and not _is_shown_later(page, box)
    )


def _is_shown_later(page: Outline, box: Box) -> bool:
    """Return whether a click shows a hidden text, such as the answer of a FAQ or a tab; menus are mostly links."""
    if box.text - box.linked < _LEAST_SHOWN or 2 * box.linked > box.text:
        return False
    if role_of(box.attributes) == "tabpanel" or is_panel(box.attributes):
        return True
    identity = _ID.search(box.attributes)
    if identity is None:
        return False
    if page.controlled is None:
        page.controlled = frozenset(b" ".join(_CONTROLLED.findall(page.source)).split())
    return identity[1].encode() in page.controlled


def role_of(attributes: str) -> str:
    """Return the first ARIA role of serialized attributes, lower-cased, or ""."""
    found = _ROLE.search(attributes)
    return found[1].lower() if found else ""
