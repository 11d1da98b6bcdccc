"""Task lists: items of lists that begin with a checkbox."""

import re

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.nesting import ancestors, previous_of

_TASK = re.compile(r"(?:^|[ -])(?:tasks?|todos?|checklist)(?:[ -]|$)")
_AROUND = 3  # elements between a checkbox and its item


def is_task(node: LexborNode) -> bool:
    """Return whether an `<input>` is the checkbox of a task: the first of a list item, and of no form to fill in."""
    attributes = node.attributes
    if (attributes.get("type") or "").lower() != "checkbox":
        return False
    is_shown = "disabled" in attributes or _is_named(node)
    for outer in ancestors(node, _AROUND):
        if previous_of(node.prev) is not None:
            return False
        is_shown = is_shown or _is_named(outer)
        if outer.tag == "li":
            return is_shown or (outer.parent is not None and _is_named(outer.parent))
        node = outer
    return False


def _is_named(node: LexborNode) -> bool:
    return _TASK.search(node.attributes.get("class") or "") is not None
