"""Parts that a page has twice, for wide and for narrow screens, or as a post and as a quotation of it."""

import re

from wavecrawl.domain.pages.extraction.outline import Box, Outline

_LEAST_LINE = 30  # characters of a line that shows where a quotation is from
_MOST_READ = 5_000_000  # characters of sections that are compared
_LEAST_REPEATED = 120  # characters of a section that is dropped if it is repeated

_CLASS = re.compile(r'(?:^| )class="([^"]*)"')
_SECTIONS = frozenset("div section article aside header footer form figure".split())


def drop_quotations(page: Outline, content: int) -> None:
    """Drop quotations of earlier posts from a discussion: each of their lines stands before them."""
    boxes = page.boxes
    before = set[str]()
    index, position, after = content + 1, boxes[content].begin, boxes[content].after
    while index < after:
        box = boxes[index]
        if box.dropped or box.tag != "blockquote":
            index = box.after if box.dropped else index + 1
            continue
        before.update(_lines(page.texts[position : box.begin]))
        lines = _lines(page.texts[box.begin : box.finish])
        box.dropped = bool(lines) and before.issuperset(lines)
        before.update(lines)
        index, position = box.after, box.finish


def _lines(texts: list[str]) -> list[str]:
    return [line for text in texts if len(line := text.strip()) >= _LEAST_LINE]


def drop_repeated(page: Outline, content: int) -> None:
    """Drop sections with the same text as an earlier one. Pages have parts twice, for wide and for narrow screens."""
    boxes = page.boxes
    sections = dict[int, list[int]]()
    index, after = content + 1, boxes[content].after
    while index < after:
        box = boxes[index]
        if box.dropped:
            index = box.after
            continue
        if box.text >= _LEAST_REPEATED and box.tag in _SECTIONS:
            sections.setdefault(box.text, []).append(index)
        index += 1
    room = _MOST_READ
    for alike in sections.values():
        if len(alike) > 1:
            room -= boxes[alike[0]].text * len(alike)
            if room < 0:  # only hostile pages have sections in each other that often
                return
            _keep_first(page, alike)


def _keep_first(page: Outline, alike: list[int]) -> None:
    """Drop boxes whose text is that of an earlier one of these, unless that is around or next to them."""
    boxes = page.boxes
    first = dict[str, int]()
    text, end = "", 0
    for index in alike:
        box = boxes[index]
        if index >= end:  # else it is inside one of them, and has the same text
            text, end = _text_of(page, index), box.after
        earlier = first.setdefault(text, index)
        if index >= boxes[earlier].after and not are_items(box, boxes[earlier]):
            box.dropped = True


def _text_of(page: Outline, index: int) -> str:
    """Return the text of a box without white space and without what was dropped inside."""
    box, texts = page.boxes[index], list[str]()
    begin, inner = box.begin, index + 1
    while inner < box.after:
        other = page.boxes[inner]
        inner += 1
        if other.dropped:
            texts += page.texts[begin : other.begin]
            begin, inner = other.finish, other.after
    texts += page.texts[begin : box.finish]
    return "".join("".join(texts).split())


def are_items(box: Box, other: Box) -> bool:
    """Return whether two boxes are items of the same list; what a list says twice is not a copy."""
    return box.parent == other.parent and box.tag == other.tag and _class_of(box) == _class_of(other)


def _class_of(box: Box) -> str:
    """Return the value of the attribute class, or ""."""
    found = _CLASS.search(box.attributes)
    return found[1] if found else ""
