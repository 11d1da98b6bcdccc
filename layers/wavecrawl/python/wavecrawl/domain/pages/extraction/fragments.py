"""Parts of pages: the names that links can lead to, and the links that lead to a part of a page (`#part`)."""

from collections.abc import Iterator

from wavecrawl.domain.pages.extraction.links import cleaned, without_white_space
from wavecrawl.domain.pages.extraction.survey import Survey
from wavecrawl.domain.pages.extraction.tags import AREA, A
from wavecrawl.domain.pages.fragment_names import fragment_hashes, is_plain, name_hash
from wavecrawl.domain.pages.page import RawFragment

_ANCHORS = 20_000  # names of one page
_FRAGMENTS = 5_000  # links of one page, each reference once, without those to its own names
_UNFOUND = 20  # references that may be missing in the source: each search goes to its end
_LINKS = (A, AREA)
_DIRECTIVE = ":~:"  # what follows is for the browser (URL Fragment Text Directives)


def anchors(page: Survey) -> tuple[int, ...] | None:
    """Return the hashes of the ids of a page and of the names of its `<a>`, sorted; None if there are too many."""
    found = set[str | None]()
    for node in page.tree.css("[id], a[name]"):
        attributes = node.attrs
        found.add(attributes.get("id"))
        if node.tag_id == A:
            found.add(attributes.get("name"))
    found -= {None, ""}
    return None if len(found) > _ANCHORS else tuple(sorted({name_hash(name) for name in found if name}))


def fragment_links(page: Survey, source: bytes, names: tuple[int, ...] | None) -> tuple[tuple[RawFragment, ...], bool]:
    """Return the links of a page that lead to a part of a page, each reference once, and whether these are all.

    `source`: the page in UTF-8, where the lines of the links are looked up. `names`: the anchors of the page; links to
    these are left out, and so are links of the page to itself that a script handles.
    """
    own = frozenset(names or ())
    seen = set[str]()
    hrefs: dict[str, str] = {}  # cleaned references, as many links of a page lead to the same pages
    found: list[tuple[str, str, str]] = []  # reference, the same without fragment, fragment
    for node, reference in zip(page.links, page.references, strict=True):
        if not reference or "#" not in reference or reference in seen or node.tag_id not in _LINKS:
            continue
        seen.add(reference)
        before, _, fragment = reference.partition("#")
        if not is_plain(fragment):
            before, _, fragment = without_white_space(reference).partition("#")
            fragment = fragment.partition(_DIRECTIVE)[0]
            if not fragment_hashes(fragment):
                continue
        if before not in hrefs:
            hrefs[before] = cleaned(before)
        href = hrefs[before]
        if (before and not href) or (not before and "onclick" in node.attrs):
            continue
        if not href and not own.isdisjoint(fragment_hashes(fragment)):
            continue
        if len(found) == _FRAGMENTS:
            return _with_lines(found, source), False
        found.append((reference, href, fragment))
    return _with_lines(found, source), True


def _with_lines(found: list[tuple[str, str, str]], source: bytes) -> tuple[RawFragment, ...]:
    lines = _lines([reference for reference, *_ in found], source)
    return tuple(
        RawFragment(href=href, fragment=fragment, line=line)
        for (_, href, fragment), line in zip(found, lines, strict=True)
    )


def _lines(references: list[str], source: bytes) -> Iterator[int]:
    """Yield the line of each reference in the source, from 1; 0 if it is not written there as it is in the tree."""
    line_end = b"\n" if b"\n" in source else b"\r"
    at, line, unfound = 0, 1, 0
    for reference in references:
        place = source.find(f'"{reference}"'.encode("utf-8", "replace"), at)  # as most links are written
        if place < 0 and unfound < _UNFOUND:
            place = _place(reference.encode("utf-8", "replace"), source, at)
        if place < 0:
            unfound += 1
            yield 0
            continue
        line += source.count(line_end, at, place)
        at = place
        yield line


def _place(reference: bytes, source: bytes, at: int) -> int:
    """Return the place of the first attribute with a reference after another place; -1 if there is none."""
    for written in (reference, reference.replace(b"&", b"&amp;")):
        for before, after in ((b'"', b'"'), (b"'", b"'"), (b"=", b">"), (b"=", b" ")):
            place = source.find(before + written + after, at)
            if place >= 0:
                return place
    return -1
