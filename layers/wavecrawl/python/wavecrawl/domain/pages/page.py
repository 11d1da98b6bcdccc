"""What one HTML page says about itself and where it points: the values extraction returns."""

from enum import StrEnum

from msgspec import Struct


class LinkKind(StrEnum):
    """Where in the markup a link stood."""

    ANCHOR = "a"
    AREA = "area"
    FRAME = "frame"  # frame and iframe
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    NEXT = "next"
    PREV = "prev"
    REFRESH = "refresh"  # <meta http-equiv=refresh>


class Region(StrEnum):
    """The part of the page a link stood in (its nearest landmark element, or its ARIA role)."""

    HEAD = "head"
    HEADER = "header"
    NAV = "nav"
    MAIN = "main"
    ASIDE = "aside"
    FOOTER = "footer"
    BODY = "body"  # none of the above


class RawLink(Struct, frozen=True, kw_only=True, gc=False):
    """A link as written: each href once per page (without its fragment), the first one wins."""

    href: str  # white space stripped, fragment dropped, not yet resolved; "" means the page itself
    kind: LinkKind
    region: Region
    text: str = ""  # anchor text (or img alt), white space folded, at most 200 characters
    nofollow: bool = False  # rel contains nofollow (rel=ugc and rel=sponsored are hints of the same kind: also True)
    hreflang: str = ""


class PageFacts(Struct, frozen=True, kw_only=True, gc=False):
    """The facts of spec [9] for one HTML page. Strings are "" and tuples empty where the page has none."""

    title: str = ""  # as written, white space folded; the trailing site name is learned and cut later
    description: str = ""
    keywords: str = ""
    canonical: str = ""  # absolute; from <link> (the Link header is the caller's)
    robots: tuple[str, ...] = ()  # lower-cased directives of meta robots and meta wavecrawl, sorted
    language: str = ""  # <html lang>, lower-cased
    hreflang: tuple[tuple[str, str], ...] = ()  # (language, absolute URL)
    headings: tuple[tuple[int, str], ...] = ()  # (level 1..6, text), document order, at most 100
    open_graph: tuple[tuple[str, str], ...] = ()  # (property, content), "og:title" style names
    json_ld_types: tuple[str, ...] = ()  # @type values, sorted, also inside @graph
    word_count: int = 0  # words of the main text
    text: str = ""  # the main text: noise cut, white space folded, in document order
    text_hash: str = ""  # SHA-256 of `text`, hex; "" where there is no text
    simhash: int = 0  # 64-bit SimHash of `text`; 0 where there is no text

    @property
    def excerpt(self) -> str:
        """The first 2,000 characters of the main text, for topics."""
        return self.text[:2000]

    @property
    def noindex(self) -> bool:
        """Tell whether the page asks not to be indexed."""
        return "noindex" in self.robots or "none" in self.robots

    @property
    def nofollow(self) -> bool:
        """Tell whether the page asks that none of its links be followed."""
        return "nofollow" in self.robots or "none" in self.robots


class Extraction(Struct, frozen=True, kw_only=True, gc=False):
    """Everything extraction finds in one HTML page."""

    facts: PageFacts
    base_url: str  # absolute: the page's URL, or its <base href> resolved
    links: tuple[RawLink, ...]  # document order: head links first
