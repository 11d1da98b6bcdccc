"""Footnotes: references to them, and the elements with their texts, marked in the tree of a page."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.nesting import ancestors, next_of, previous_of
from wavecrawl.domain.pages.extraction.survey import Survey

NOTE: Final = "wavecrawl-note"
"""The attribute of an element that is a footnote; its value is the label."""

REFERENCE: Final = "wavecrawlnote"
"""The element that replaces a reference; its text is the label."""

_REFERENCES = (
    'sup a[href^="#"], a[href^="#"] > sup, a[role="doc-noteref"], a.footnote-ref, a.footnote-reference, a.footnoteref'
)
_BACK = (
    ".mw-cite-backlink, a.footnote-backref, a.footnote-back, a.footnote-backlink, a.fn-backref, a.reversefootnote, "
    'a[role="doc-backlink"]'
)
_LABEL = re.compile(r"[A-Za-z0-9.-]{1,8}")
_BRACKETS = "[]() \t\n\u00a0"
_TEXTS = frozenset("li p div aside dd section".split())
_ANCHORS = frozenset("a span sup b strong".split())


def mark_footnotes(page: Survey, names: str) -> bool:
    """Replace references to footnotes, mark the elements with their texts, and remove links back; return if any.

    `names`: the classes of the page's boxes.
    """
    if not page.raised and "footnote" not in names:
        return False
    found = _references(page)
    replaced = set[int]()
    for node, reference in [(node, _reference(page, label)) for node, label in found]:
        if node.mem_id not in replaced:
            replaced.add(node.mem_id)
            node.replace_with(reference)
    for node in page.root.css(_BACK) if found else ():
        node.decompose(recursive=False)
    return bool(found)


def _references(page: Survey) -> list[tuple[LexborNode, str]]:
    """Return the references with their labels; mark the footnotes."""
    links = [_target(node) for node in page.root.css(_REFERENCES)]
    elements: dict[str, LexborNode] = {}
    for element in page.root.css("[id]") if links else ():
        elements.setdefault(element.attributes.get("id") or "", element)
    notes: dict[str, str] = {}  # label by id
    labels = set[str]()
    found = []
    for link, target in links:
        label = (link.text() or "").strip(_BRACKETS)
        if target not in notes:
            if not _LABEL.fullmatch(label) or label in labels or not _mark(elements.get(target), link, label):
                continue
            notes[target] = label
            labels.add(label)
        found.append((_whole(link), notes[target]))
    return found


def _target(node: LexborNode) -> tuple[LexborNode, str]:
    """Return the link of a reference and the id that it leads to."""
    link = node
    if node.tag == "sup" and node.parent is not None:
        link = node.parent
    return link, (link.attributes.get("href") or "")[1:]


def _whole(link: LexborNode) -> LexborNode:
    """Return what a reference consists of: the link, with the `<sup>` around it if there is nothing else in that."""
    outer = link.parent
    is_alone = outer is not None and outer.tag == "sup" and link.next is None and link.prev is None
    return outer if outer is not None and is_alone else link


def _reference(page: Survey, label: str) -> LexborNode:
    reference = page.tree.create_node(REFERENCE)
    reference.insert_child(label)
    return reference


def _mark(target: LexborNode | None, link: LexborNode, label: str) -> bool:
    """Mark the element with the text of a footnote; return whether there is one. `link` leads to it."""
    note = _note_of(target) if target is not None else None
    if target is None or note is None or any(outer.mem_id == note.mem_id for outer in ancestors(link)):
        return False
    note.attrs[NOTE] = label
    first = target
    if note.mem_id == target.mem_id:
        inner = next_of(note.first_child)
        if inner is None or inner.tag not in _ANCHORS:
            return True
        first = inner
    if (first.text() or "").strip(f"{_BRACKETS}.") == label:
        _remove_label(first)
    return True


def _note_of(target: LexborNode) -> LexborNode | None:
    """Return the element with the text of the footnote to which a link leads."""
    note: LexborNode | None = target
    if target.tag in _ANCHORS:  # the anchor at the beginning of the text
        note = target.parent if previous_of(target.prev) is None else None
    elif target.tag == "dt":  # the label is the term
        note = next_of(target.next)
    return note if note is not None and note.tag in _TEXTS else None


def _remove_label(node: LexborNode) -> None:
    """Remove the label at the beginning of a footnote, with the sign after it."""
    after = node.next
    if after is not None and after.is_text_node:
        text = after.text() or ""
        if text.lstrip().startswith((".", ":", ")", "]")):
            after.replace_with(text.lstrip()[1:])
    node.decompose(recursive=False)
