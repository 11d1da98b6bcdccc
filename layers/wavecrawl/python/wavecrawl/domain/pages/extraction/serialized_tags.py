"""Tags of serialized HTML, as read. Most tags of a page occur many times, on this page and on others."""

from typing import Final

from msgspec import Struct

from wavecrawl.domain.pages.extraction.tags import BLOCK_NAMES, INLINE_NAMES

# What a tag means for the outline of a page. Plain numbers, as they are compared for every tag of every page.
NOTHING: Final = 0
LINK: Final = 1
LINK_END: Final = 2  # or an anchor without a reference
BOX: Final = 3
BOX_END: Final = 4

_USES = (
    dict.fromkeys((*INLINE_NAMES, *(f"/{name}" for name in INLINE_NAMES)), NOTHING)
    | dict.fromkeys(BLOCK_NAMES, BOX)
    | {f"/{name}": BOX_END for name in BLOCK_NAMES}
    | {"/a": LINK_END, "body": NOTHING, "/body": BOX_END}
)
_REMEMBERED = 8_192  # tags
_LONGEST = 300  # characters of a tag that is remembered


class Tag(Struct, frozen=True, gc=False):
    """A start tag, or an end tag, whose name begins with a slash."""

    name: str
    attributes: str  # as serialized
    use: int


class _Tags(dict[str, Tag]):
    """Tags by what stands between "<" and ">"."""

    def __missing__(self, source: str) -> Tag:
        name, _, attributes = source.partition(" ")
        tag = Tag(name, attributes, _use_of(name, attributes))
        if len(source) <= _LONGEST:
            if len(self) >= _REMEMBERED:
                self.clear()
            self[source] = tag
        return tag


def _use_of(name: str, attributes: str) -> int:
    if name == "a":
        return LINK if "href=" in attributes else LINK_END
    use = _USES.get(name)
    if use is not None:
        return use
    if name[:1] == "/":
        return BOX_END
    return BOX if "-" in name else NOTHING  # custom elements are boxes


_TAGS: Final = _Tags()


def tags_and_texts(html: str, *, is_escaped: bool) -> tuple[list[Tag], list[str]]:
    """Return the tags of serialized HTML, and the text after each.

    `is_escaped`: whether no text contains "<" or ">". One split then finds tags and texts in turn, which takes half of
    the time, unless the name of an element or of an attribute contains "<".
    """
    if is_escaped:
        parts = html.replace(">", "<").split("<")
        if len(parts) == 2 * html.count("<") + 1:
            return list(map(_TAGS.__getitem__, parts[1::2])), parts[2::2]
    pairs = [token.partition(">") for token in html.split("<")[1:]]
    return [_TAGS[source] for source, _, _ in pairs], [text for _, _, text in pairs]
