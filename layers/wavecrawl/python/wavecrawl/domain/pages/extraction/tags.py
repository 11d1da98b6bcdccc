"""The parser's tag ids and the use of each element in extraction.

Comparing ids is several times faster than comparing tag names.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from selectolax.lexbor import LexborHTMLParser

_EMPTY = LexborHTMLParser("")  # shared, as creating one per element is slow


def tag_id(name: str) -> int:
    """Return the parser's id of an element; ids of HTML elements do not change within the process."""
    return _EMPTY.create_node(name).tag_id


def tag_ids(names: str) -> frozenset[int]:
    """Return the parser's ids of several elements, separated by spaces."""
    return frozenset(tag_id(name) for name in names.split())


A: Final = tag_id("a")
AREA: Final = tag_id("area")
ARTICLE: Final = tag_id("article")
BODY: Final = tag_id("body")
BUTTON: Final = tag_id("button")
FORM: Final = tag_id("form")
HEAD: Final = tag_id("head")
IFRAME: Final = tag_id("iframe")
IMG: Final = tag_id("img")
INPUT: Final = tag_id("input")
LINK: Final = tag_id("link")
MAIN: Final = tag_id("main")
MATH: Final = tag_id("math")
NOSCRIPT: Final = tag_id("noscript")
STYLE: Final = tag_id("style")
SVG: Final = tag_id("svg")
TEMPLATE: Final = tag_id("template")
TITLE: Final = tag_id("title")
FRAMES: Final = tag_ids("frame iframe")
LEVEL_OF: Final[Mapping[int, int]] = MappingProxyType({tag_id(f"h{level}"): level for level in range(1, 7)})

BREAKS: Final = tag_ids("br hr")
BLOCK_NAMES: Final = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure "
    "footer form frameset h1 h2 h3 h4 h5 h6 header hgroup html iframe legend li main menu nav ol optgroup option p "
    "plaintext pre search section select summary table tbody td textarea tfoot th thead title tr ul xmp".split()
)
BLOCKS: Final = tag_ids(" ".join(BLOCK_NAMES))
"""Elements that separate words before, in and after them (not inline by default; HTML, section 15.3)."""

# The use of an element. Plain numbers, as they are compared for every element of every page.
NOTHING: Final = 0
BOXES: Final = 1  # possible landmarks or noise, by name, role, class or id
LINKS: Final = 2
METAS: Final = 3
BASES: Final = 4
TITLES: Final = 5
HEADINGS: Final = 6
SCRIPTS: Final = 7
NOISE: Final = 8  # never part of the text
MATHS: Final = 9
IMAGES: Final = 10  # and sources of media
RAW_TEXTS: Final = 11  # texts that are serialized as they are, unlike those of other blocks
CODES: Final = 12  # code blocks
RAISED: Final = 13
READINGS: Final = 14  # of characters, in ruby
USES: Final = 15  # number of uses

_NUMBERED = 1_024  # elements of HTML, SVG and MathML have lower ids; others get theirs when they appear
_USES = {
    BOXES: "header nav main aside footer article "
    "blockquote details dialog div fieldset figure form menu ol search section table td ul",
    LINKS: "a area frame iframe link",
    METAS: "meta",
    BASES: "base",
    TITLES: "title",
    HEADINGS: "h1 h2 h3 h4 h5 h6",
    SCRIPTS: "script",
    MATHS: "math",
    IMAGES: "img source track",
    RAW_TEXTS: "plaintext xmp",
    CODES: "pre",
    RAISED: "sup",
    READINGS: "rt rtc",
    NOISE: "style noscript template svg canvas audio video object embed select textarea button input datalist "
    "progress meter noframes noembed annotation annotation-xml",
}
LINK_ELEMENTS: Final = tag_ids(_USES[LINKS])
USE_OF: Final[Mapping[int, int]] = dict.fromkeys(range(_NUMBERED), NOTHING) | {
    number: use for use, names in _USES.items() for number in tag_ids(names)
}
"""The use of each known element; all others (custom elements) are boxes."""

INLINE_NAMES: Final = frozenset(
    "a abbr b bdi big br cite code del em font hr i img ins kbd label mark q s samp small span strike strong sub sup "
    "time tt u var wbr".split()
)
"""Common elements that are not blocks."""
