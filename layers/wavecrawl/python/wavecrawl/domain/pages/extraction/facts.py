"""The facts of a page, except its main text."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TypeAlias

from msgspec import Struct
from selectolax.lexbor import LexborNode

from wavecrawl.domain.pages.extraction.json_problems import json_problems
from wavecrawl.domain.pages.extraction.survey import Nearest, Survey
from wavecrawl.domain.pages.extraction.tags import HEAD, LEVEL_OF, LINK
from wavecrawl.domain.pages.extraction.texts import folded, text_of
from wavecrawl.domain.pages.page import PageFacts
from wavecrawl.domain.pages.robots_directives import directives_of
from wavecrawl.domain.pages.script_json import script_json
from wavecrawl.domain.urls.cut_urls import cut_url
from wavecrawl.domain.urls.limits import MAX_URL_LENGTH
from wavecrawl.domain.urls.url import resolve

_TITLE_LIMIT = 1_000  # characters
_META_LIMIT = 2_000  # characters of description, keywords and each Open Graph value
_HEADING_LIMIT = 200  # characters
_HEADINGS = 100
_OPEN_GRAPH = 100  # properties
_HREFLANGS = 500
_CANONICALS = 5  # besides the first
_OUTSIDE_HEAD = 5  # links that are named
_LANGUAGE_LIMIT = 35  # characters (RFC 5646 4.4.1)
_DIRECTIVES = 50
_DIRECTIVE_LIMIT = 100  # characters
_JSON_LD_LIMIT = 1_000_000  # characters of one script
_JSON_LD_VALUES = 10_000  # visited per page
_TYPE_LIMIT = 100  # characters
_TYPE_NAMES = frozenset(("@type",))
_Unreadable: TypeAlias = tuple[str, ValueError | RecursionError]  # the text of a script, and its error


def base_url(page: Survey, url: str) -> str:
    """Return the page's base URL: its first <base href> if that is a usable http(s) URL, else `url` (HTML 4.2.3).

    A base that is too long is not usable: with thousands of references, the resolved URLs would fill the memory.
    """
    for node in page.bases:
        href = node.attributes.get("href")
        if href is not None:
            absolute = _absolute(href, url)
            return absolute if 0 < len(absolute) <= MAX_URL_LENGTH else url
    return url


def head_facts(
    page: Survey,
    base: str,
    *,
    source: bytes,
    longest: int,
    product: str,
    alternates: tuple[tuple[str, str], ...] = (),
) -> PageFacts:
    """Return the facts that do not depend on the main text.

    `base` is the base URL for references, `source` the page in UTF-8, `longest` the most characters of a URL,
    `product` the product token of the crawler, for which a page may have directives of its own. `alternates`: language
    or "", and absolute URL of alternates that the header of the response declares.
    """
    named, open_graph = _metas(page)
    headings = tuple(islice(_headings(page), _HEADINGS + 1))
    relations = _relations(page, base, longest, alternates)
    canonicals = relations.canonicals
    properties = dict(reversed(open_graph))
    title = _title(page)
    other_title = properties.get("og:title", "") or next((text for level, text in headings if level == 1), "")
    types, all_types, unreadable = json_ld_types(page.scripts)
    robots = _directives(page, product.lower())
    counts = {
        "headings": (len(headings), _HEADINGS),
        "hreflang": (len(relations.alternates), _HREFLANGS),
        "json_ld_types": (not all_types, 0),
        "open_graph": (len(open_graph), _OPEN_GRAPH),
        "robots": (len(robots), _DIRECTIVES),
    }
    description, other_description = named.get("description", ""), properties.get("og:description", "")
    return PageFacts(
        title=title or other_title,
        title_is_substitute=not title and bool(other_title),
        description=description or other_description,
        description_is_substitute=not description and bool(other_description),
        keywords=named.get("keywords", ""),
        canonical=canonicals[0] if canonicals else "",
        other_canonicals=canonicals[1:],
        robots=robots[:_DIRECTIVES],
        language=_language(page.root.attributes),
        hreflang=relations.alternates[:_HREFLANGS],
        outside_head=relations.outside_head,
        headings=headings[:_HEADINGS],
        open_graph=open_graph[:_OPEN_GRAPH],
        json_ld_types=types,
        json_ld_problems=json_problems(unreadable, source),
        cut_facts=tuple(name for name, (count, most) in counts.items() if count > most),
    )


def _absolute(href: str | None, base: str) -> str:
    absolute = resolve(href, base) if href else None
    return absolute if absolute and absolute.startswith(("http:", "https:")) else ""


def _title(page: Survey) -> str:
    """Return the first <title> outside SVG; a stray element in the head can move it to the body."""
    for node in page.titles:
        if page.languages.of(node) is None:
            text = folded(node.text_lexbor(), _TITLE_LIMIT)
            if text:
                return text
    return ""


def _metas(page: Survey) -> tuple[dict[str, str], tuple[tuple[str, str], ...]]:
    """Return description and keywords, and the Open Graph properties."""
    named: dict[str, str] = {}
    open_graph: list[tuple[str, str]] = []
    for _, attributes in page.metas:
        content = attributes.get("content")
        if not content:
            continue
        name = (attributes.get("name") or "").strip().lower()
        if name in ("description", "keywords") and not named.get(name):
            named[name] = folded(content, _META_LIMIT)
        for key in ((attributes.get("property") or "").strip().lower(), name):
            if key.startswith("og:") and len(open_graph) <= _OPEN_GRAPH:  # one more shows that the list is cut
                open_graph.append((key[:_TYPE_LIMIT], folded(content, _META_LIMIT)))
                break
    return named, tuple(open_graph)


def _directives(page: Survey, product: str) -> tuple[str, ...]:
    found = set[str]()
    for _, attributes in page.metas:
        if (attributes.get("name") or "").strip().lower() in ("robots", product):
            content = (attributes.get("content") or "")[: _DIRECTIVES * _DIRECTIVE_LIMIT]
            found.update(folded(part, _DIRECTIVE_LIMIT) for part in directives_of(content))
    found.discard("")
    return tuple(sorted(found))


def _language(attributes: Mapping[str, str | None]) -> str:
    return (attributes.get("lang") or attributes.get("xml:lang") or "").strip().lower()[:_LANGUAGE_LIMIT]


class _Relations(Struct, frozen=True, kw_only=True, gc=False):
    """The pages that a page names as its canonical page and its language versions."""

    canonicals: tuple[str, ...]  # web addresses first
    alternates: tuple[tuple[str, str], ...]  # (language, absolute URL)
    outside_head: tuple[tuple[str, str], ...]  # (canonical or hreflang, absolute URL) of links that do not count


def _relations(page: Survey, base: str, longest: int, declared: tuple[tuple[str, str], ...]) -> _Relations:
    """Return the canonical URLs and the alternates in other languages: those `declared`, then links in the head.

    The parser has put a link outside the head also if an element before it, such as <img>, ended the head (HTML,
    13.2.6.4.4, "anything else"). Search engines ignore such links.
    """
    canonicals: dict[str, None] = {}
    unusable: dict[str, None] = {}  # canonical links that are no web addresses, as written
    alternates = {(language[:_LANGUAGE_LIMIT], url): None for language, url in declared if language}
    outside: dict[tuple[str, str], None] = {}
    in_head = Nearest({node.mem_id: node.tag_id == HEAD for node in page.root.iter()}, default=False)
    for node in page.links:
        if node.tag_id != LINK:
            continue
        attributes = node.attributes
        relations = (attributes.get("rel") or "").lower().split()
        language = (attributes.get("hreflang") or "").strip().lower()[:_LANGUAGE_LIMIT]
        is_canonical, is_version = "canonical" in relations, bool(language) and "alternate" in relations
        href = (attributes.get("href") or "").strip()
        if not href or not (is_canonical or is_version):
            continue
        target = _absolute(href, base)
        if not in_head.above(node):
            if len(outside) < _OUTSIDE_HEAD:
                outside["canonical" if is_canonical else "hreflang", cut_url(target or href, most=longest)] = None
            continue
        if is_canonical and len(canonicals) + len(unusable) <= _CANONICALS:
            (canonicals if target else unusable)[cut_url(target or href, most=longest)] = None
        if is_version and target and len(alternates) <= _HREFLANGS:
            alternates[language, cut_url(target, most=longest)] = None
    return _Relations(canonicals=(*canonicals, *unusable), alternates=tuple(alternates), outside_head=tuple(outside))


def _headings(page: Survey) -> Iterator[tuple[int, str]]:
    for node in page.headings:
        text = text_of(node, _HEADING_LIMIT)
        if text:
            yield LEVEL_OF[node.tag_id], text


def json_ld_types(scripts: list[LexborNode]) -> tuple[tuple[str, ...], bool, list[_Unreadable]]:
    """Return the @type values of the page's JSON-LD, sorted, whether these are all, and the scripts with errors.

    Scripts without text are ignored. Those above a limit are not read.
    """
    found, is_all, unreadable = set[str](), True, list[_Unreadable]()
    pending: list[tuple[object, frozenset[str]]] = []  # values, and the names that stand for @type in them
    for text in _json_ld_texts(scripts):
        if len(text) > _JSON_LD_LIMIT:
            is_all = False
            continue
        try:
            pending.append((script_json(text), _TYPE_NAMES))
        except (ValueError, RecursionError) as error:
            unreadable.append((text, error))
    for _ in range(_JSON_LD_VALUES):
        if not pending:
            break
        value, names = pending.pop()
        if isinstance(value, dict):
            if "@value" in value:  # its type is that of a literal (JSON-LD 1.1, section 9.5)
                continue
            names = _names_of_type(value.get("@context"), names)
            for types in (value.get(name) for name in names):
                found.update(_type_name(one) for one in (types if isinstance(types, list) else [types]))
            pending.extend((child, names) for name, child in value.items() if name != "@context")  # it types terms
        elif isinstance(value, list):
            pending.extend((child, names) for child in value)
    found.discard("")
    return tuple(sorted(found)), is_all and not pending, unreadable


def _json_ld_texts(scripts: list[LexborNode]) -> Iterator[str]:
    for script in scripts:
        kind = script.attributes.get("type")
        if kind and kind.partition(";")[0].strip().lower() == "application/ld+json":
            text = script.text_lexbor()
            if text.strip():
                yield text


def _names_of_type(context: object, names: frozenset[str]) -> frozenset[str]:
    """Return the names that stand for @type below a context: keywords can have aliases (JSON-LD 1.1, section 4.1.6)."""
    for one in context if isinstance(context, list) else [context]:
        if isinstance(one, dict):
            meant = {name: term.get("@id") if isinstance(term, dict) else term for name, term in one.items()}
            aliases = [name for name, keyword in meant.items() if keyword == "@type" and not name.startswith("@")]
            names = names.difference(meant).union(aliases, _TYPE_NAMES)
    return names


def _type_name(name: object) -> str:
    if not isinstance(name, str):
        return ""
    # JSON may contain lone surrogates, which cannot be encoded.
    return folded(name.encode("utf-8", "replace").decode("utf-8"), _TYPE_LIMIT)
