"""Protection against pages whose parse tree is much larger than the page.

HTML's tree construction is not linear. Unclosed elements nest, and each tag searches all open elements. Each attribute
is compared with those before it. Unclosed formatting elements are recreated in each following block, so 50 KB can
become gigabytes. Browsers limit the depth to 512 elements. Here, such a page is rewritten before parsing: only the
elements for links and facts are kept, in a flat sequence. The same is done if the tree would need too much memory.

The check counts bytes and takes a few per cent of the parsing time. It is a heuristic for existing pages and does not
catch every possible page, so processes that parse pages need a memory limit as well.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Final

_SMALL_TAGS = 600  # a page with at most this many tags
_SMALL_BYTES = 32_768  # and bytes cannot grow much
_MANY_TAGS = 100_000  # a page with more tags is always checked in full
_USUALLY_OPEN = 64  # elements that most pages leave open: void ones and those with an optional end tag
_MAX_DEPTH = 512  # open elements
_MAX_STEPS = 50_000_000  # open elements times tags: about 0.2 s of searching
_MAX_OPEN_FORMATS = 8  # formatting elements open at once
_MAX_REMADE = 500_000  # formatting elements that later tags may recreate: about 150 MB
_MAX_REMADE_BY_FEW = 1_000_000  # the same, if few are open at once, as on pages that someone wrote
_MAX_ROOTS = 200  # repeated <html> or <body> tags, whose attributes are merged
_MAX_ATTRIBUTES = 1_000  # per element
_WINDOW = 16_384  # bytes counted together
_BYTES_PER_ELEMENT = 550  # memory in the tree and in the extraction, measured
_BYTES_PER_ATTRIBUTE = 250  # likewise
_LARGE = 1_000_000  # bytes; the trees of smaller pages are always small enough
_MAX_TREE = 200_000_000  # bytes of memory
_MAX_NULS = 100_000  # per page: in the tree a NUL takes 17 bytes, and a page of text has none
_MAX_KEPT = 200_000  # tags of a flat page

_FORMAT = re.compile(
    rb"<(/?)(?:[bisuBISU][\s/>]|(?:big|code|em|font|small|strike|strong|tt|BIG|CODE|EM|FONT|SMALL|STRIKE|STRONG|TT)\b)"
)  # without a and nobr, which close the previous one
_ROOT = re.compile(rb"<(?:html|body)\b", re.IGNORECASE)
_TAG = re.compile(rb"<(/?)([a-zA-Z][^\s/>]*)([^<>]*)")
_ATTRIBUTE = re.compile(rb"[\s/]+[^\s/>=\"']+(?:\s*=\s*(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"']*+))?")
_TAG_START = re.compile(rb"<[a-zA-Z]")
_NEVER_NESTING: Final = frozenset(
    b"area base br col embed hr img input link meta source track wbr param "  # void
    b"p li dt dd td th tr tbody thead tfoot option optgroup rp rt colgroup".split()  # closed by the next element
)
# Inside <svg>, "/>" closes an element (HTML, section 13.2.6.5). Elements with HTML inside are not in the list.
_SVG: Final = frozenset(
    b"a animate animatemotion animatetransform circle clippath defs ellipse feblend fecolormatrix fecomposite feflood "
    b"fegaussianblur femerge femergenode feoffset filter g image line lineargradient marker mask metadata mpath path "
    b"pattern polygon polyline radialgradient rect set stop switch symbol text textpath tspan use view".split()
)
_SVG_TITLES: Final = frozenset((b"title", b"desc"))

_PIECE = re.compile(
    rb"<!--.*?(?:-->|$)|<(script|style|noscript|textarea|select|template|svg)\b[^>]{0,2000}>.*?(?:</\1[\s/>]|$)"
    rb"|<(/?)([a-zA-Z][^\s/>]{0,60})([^>]{0,2000})>?",
    re.IGNORECASE | re.DOTALL,
)
_KEPT: Final = frozenset(b"a area link meta base".split())
_INLINE: Final = frozenset(
    b"abbr acronym b bdi bdo big cite code data del dfn em font i ins kbd label mark nobr q s samp small span strike "
    b"strong sub sup time tt u var wbr img".split()
)


def limit_growth(html: bytes) -> bytes:
    """Return the page, or a flat rewrite of it if its tree would be too large or too slow to build.

    NUL characters are removed from a page that has very many.
    """
    if b"\0" in html and html.count(b"\0") > _MAX_NULS:
        html = html.replace(b"\0", b"")  # as HTML parsers do in the body
    windows = [(start, start + _WINDOW) for start in range(0, len(html), _WINDOW)]
    counts = [html.count(b"<", start, end) for start, end in windows]
    tags = sum(counts)
    if tags <= _SMALL_TAGS and len(html) <= _SMALL_BYTES:
        return html
    closing = [html.count(b"</", start, end) for start, end in windows]
    if _crowded_tag(html) or _too_large(html, tags - sum(closing)):
        return flat(html)
    left_open = _most_open(count - 2 * closed for count, closed in zip(counts, closing, strict=True))
    suspicious = tags > _MANY_TAGS or (left_open - _USUALLY_OPEN) * tags > _MAX_REMADE
    if suspicious and (_formats_grow(html, tags) or _nests(html, tags, left_open)):
        return flat(html)
    return html


def _formats_grow(html: bytes, tags: int) -> bool:
    still_open = _most_open(-1 if closing else 1 for closing in _FORMAT.findall(html))
    return still_open * tags > (_MAX_REMADE if still_open > _MAX_OPEN_FORMATS else _MAX_REMADE_BY_FEW)


def _nests(html: bytes, tags: int, left_open: int) -> bool:
    if len(_ROOT.findall(html)) > _MAX_ROOTS:
        return True
    if left_open <= _MAX_DEPTH:
        return False
    depth = _most_open(_steps(html))
    return depth > _MAX_DEPTH and depth * tags > _MAX_STEPS


def _steps(html: bytes) -> Iterator[int]:
    """Yield 1 for each start tag that opens an element and -1 for each end tag.

    An element that closes itself inside <svg> opens nothing. Icons consist of hundreds of them. The first tag that is
    not of SVG ends this, as it may close the <svg>.
    """
    in_svg = False
    opened = b""  # a title just opened
    for closing, written, rest in _TAG.findall(html):
        name = written.lower()
        if name == b"svg":
            in_svg = not closing and not rest.endswith(b"/")
        elif in_svg:
            if not closing and name in _SVG and rest.endswith(b"/"):
                continue
            # The text of a title is read as HTML, so the title must end at once.
            in_svg = name in _SVG or (name in _SVG_TITLES and opened == (name if closing else b""))
        opened = name if in_svg and not closing and name in _SVG_TITLES else b""
        if name not in _NEVER_NESTING:
            yield -1 if closing else 1


def _most_open(steps: Iterable[int]) -> int:
    """Return the largest rise above the lowest level so far; end tags without a start tag do not count."""
    levels = list(accumulate(steps, initial=0))
    lowest = accumulate(levels, min)
    return max(level - low for level, low in zip(levels, lowest, strict=True))


def _too_large(html: bytes, elements: int) -> bool:
    """Return whether the tree would need too much memory; each "=" counts as an attribute."""
    if len(html) <= _LARGE:
        return False
    return elements * _BYTES_PER_ELEMENT + html.count(b"=") * _BYTES_PER_ATTRIBUTE > _MAX_TREE


def _crowded_tag(html: bytes) -> bool:
    """Return whether a tag has too many attributes; only long stretches without ">" are searched."""
    window = 0
    while window < len(html):
        end = html.find(b">", window)
        if 0 <= end < window + _WINDOW:
            window += _WINDOW
            continue
        begin = html.rfind(b">", 0, window) + 1
        end = end if end >= 0 else len(html)
        start = _TAG_START.search(html, begin, end)
        if start and _attributes_after(html, start.end(), end) > _MAX_ATTRIBUTES:
            return True
        window = end + 1
    return False


def _attributes_after(html: bytes, start: int, end: int) -> int:
    count = 0
    for _ in _ATTRIBUTE.finditer(html, start, end):
        count += 1
        if count > _MAX_ATTRIBUTES:
            break
    return count


def flat(html: bytes) -> bytes:
    """Return the page's text and the elements for links and facts in a flat sequence, without nesting."""
    out = bytearray()
    position = kept = 0
    for piece in _PIECE.finditer(html):
        tag = _flat_tag(piece)
        out += html[position : piece.start()]
        position = piece.end()
        kept += len(tag) > 1
        if kept <= _MAX_KEPT:
            out += tag
    out += html[position:]
    return bytes(out)


def _flat_tag(piece: re.Match[bytes]) -> bytes:
    name = (piece[3] or b"").lower()
    attributes = piece[4]
    if name in _INLINE or not name:
        return b""
    if name == b"a":
        return b"</a>" if piece[2] else b"</a><a" + attributes + b">"
    if name in _KEPT:
        return b"" if piece[2] else b"<" + name + attributes + b">"
    if name == b"title":
        return b"</title>" if piece[2] else b"<title>"
    if name in (b"frame", b"iframe"):
        return b" " if piece[2] else b"<iframe" + attributes + b"></iframe>"
    return b" "
