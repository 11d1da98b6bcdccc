"""The values that page extraction returns: facts and links of one HTML page."""

from enum import StrEnum

from msgspec import Struct, structs

from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.media.kinds import MediaKind, MediaSource
from wavecrawl.domain.pages.plain_text import plain_text


class LinkKind(StrEnum):
    """The markup of a link."""

    ANCHOR = "a"
    AREA = "area"
    FRAME = "frame"  # frame and iframe
    CANONICAL = "canonical"
    ALTERNATE = "alternate"
    NEXT = "next"
    PREV = "prev"
    REFRESH = "refresh"  # <meta http-equiv=refresh>, or a Refresh header
    FEED = "feed"  # <link rel=alternate> of a feed
    DATA = "data"  # <link rel=alternate> of another type that is no page, such as oEmbed


class Region(StrEnum):
    """The part of the page that contains a link: its nearest landmark element or ARIA role."""

    HEAD = "head"
    HEADER = "header"
    NAV = "nav"
    MAIN = "main"
    ASIDE = "aside"
    FOOTER = "footer"
    BODY = "body"  # none of the above


class RawLink(Struct, frozen=True, kw_only=True, gc=False):
    """An unresolved link. A page has at most one link per href without fragment: the first."""

    href: str  # without white space and fragment, not resolved; "" = the page itself
    kind: LinkKind
    region: Region
    text: str = ""  # anchor text (or img alt), white space folded, at most 200 characters
    nofollow: bool = False  # rel contains nofollow
    rel: str = ""  # which of ugc and sponsored rel contains, in this order, separated by a space
    hreflang: str = ""


class RawFragment(Struct, frozen=True, kw_only=True, gc=False):
    """An unresolved link to a part of a page. A page has at most one per reference as written: the first."""

    href: str  # as that of RawLink; "" = the page itself
    fragment: str  # as written, at most 200 characters
    line: int = 0  # of the HTML or DOM, from 1; 0 = not known


def common_rel(one: str, other: str) -> str:
    """Return the qualifiers that two links to the same URL have in common."""
    return one if one == other else " ".join(value for value in one.split() if value in other.split())


class RawMedia(Struct, frozen=True, kw_only=True, gc=False):
    """An unresolved reference to an asset. A page has at most one per URL as written: the first."""

    url: str  # not resolved
    kind: MediaKind
    source: MediaSource
    text: str = ""  # alternative text, text of a link, title of a frame; at most 200 characters


class RawResource(Struct, frozen=True, kw_only=True, gc=False):
    """An unresolved reference to an image, script or stylesheet that a page loads. One per URL as written."""

    url: str  # not resolved
    kind: CheckKind
    text: str = ""  # alternative text; at most 200 characters


class PageFacts(Struct, frozen=True, kw_only=True, gc=False):
    """The facts of one HTML page. Missing facts are "" or ()."""

    title: str = ""  # white space folded; analytics cuts the site's name
    description: str = ""
    keywords: str = ""
    canonical: str = ""  # of <link> in the head: absolute, or as written if it is no web address
    robots: tuple[str, ...] = ()  # lower-cased directives of meta robots and meta wavecrawl, sorted
    language: str = ""  # <html lang>, lower-cased
    hreflang: tuple[tuple[str, str], ...] = ()  # (language, absolute URL)
    headings: tuple[tuple[int, str], ...] = ()  # (level 1..6, text), document order, at most 100
    open_graph: tuple[tuple[str, str], ...] = ()  # (property, content), "og:title" style names
    json_ld_types: tuple[str, ...] = ()  # @type values, sorted, also inside @graph
    extracted: tuple[tuple[str, str], ...] = ()  # (name of a rule, value), see `domain.pages.extraction_rules`
    word_count: int = 0  # words of the main text
    text: str = ""  # the plain main text, in document order
    text_hash: str = ""  # SHA-256 of the text, hex, "" if there is none; of the page if no text is read
    word_sketch: bytes = b""  # of the plain main text, see `domain.pages.word_sketch`
    word_set: int = 0  # 64-bit hash of the set of words of the plain main text; 0 if there is no text
    simhash: int = 0  # 64-bit SimHash of the plain main text; 0 if there is no text
    other_canonicals: tuple[str, ...] = ()  # like `canonical`: further canonical links with other URLs, at most 5
    pictures: int = 0  # 64-bit hash of the set of URLs of its images, as written; 0 if it has none
    images_without_alt: int = 0  # images that need an alt attribute and have none
    example_images: tuple[str, ...] = ()  # src of the first of them, as written, at most 5
    insecure: tuple[tuple[str, str], ...] = ()  # HTTPS pages: (element, URL) of parts and forms with HTTP, at most 20
    policies: tuple[str, ...] = ()  # `domain.fetching.policies` in meta elements, sorted
    refresh: str = ""  # absolute; where a refresh by element or header leads, also the page itself
    title_is_substitute: bool = False  # `title` is og:title or the first h1, as the title element is missing or empty
    description_is_substitute: bool = False  # `description` is og:description, as the meta element is missing or empty
    outside_head: tuple[tuple[str, str], ...] = ()  # (canonical or hreflang, URL) of links that do not count, at most 5
    cut_facts: tuple[str, ...] = ()  # the lists above that have more values on the page than they hold; `text` if cut
    rule_problems: tuple[str, ...] = ()  # why rules have no value, or not all: `name: reason`
    json_ld_problems: tuple[str, ...] = ()  # JSON-LD that cannot be read, at most 5: `message: line 3, column 14`
    anchors: tuple[int, ...] | None = None  # hashes of the names that fragments can mean, sorted; None = not known
    id_scripts: int = 0  # hash of the scripts of the HTML that may add such names; 0 = none
    markdown: str = ""  # the main text in records that an earlier version stored; it becomes `text`

    def __post_init__(self) -> None:
        """Read the main text of an earlier version."""
        if self.markdown:
            structs.force_setattr(self, "text", plain_text(self.markdown))
            structs.force_setattr(self, "markdown", "")

    @property
    def nofollow(self) -> bool:
        """Whether the page is marked nofollow."""
        return "nofollow" in self.robots or "none" in self.robots


class MediaSearch(Struct, frozen=True, kw_only=True):
    """What to look for in a page besides its links."""

    media: bool = False
    resources: bool = False
    archived: bool = False  # what a browser needs to show the page, among the media
    image_width: int = 1_920  # pixels; of an image in several sizes the widest up to it is taken


class Extraction(Struct, frozen=True, kw_only=True, gc=False):
    """The facts and links of one HTML page."""

    facts: PageFacts
    base_url: str  # absolute: the resolved <base href>, or the page's URL
    links: tuple[RawLink, ...]  # document order: head links first
    fragment_links: tuple[RawFragment, ...] = ()  # document order
    shell: str = ""  # why the page is taken for a shell that JavaScript fills, in one line; "" = it is none
    scripted: bool = False  # whether scripts of the page may add links
    unfilled: str = ""  # what the page lacks if scripts should have filled it, in one line
    needed_action: str = ""  # what would show more links, in one line: a button, scrolling, routes behind #
    media: tuple[RawMedia, ...] | None = None  # document order; None = not read
    resources: tuple[RawResource, ...] | None = None  # scripts, stylesheets, images; None = not read
    markdown: str = ""  # the main text as Markdown, if it was read
    fragments: tuple[tuple[int, str], ...] = ()  # of the URLs of its headings, with their lines from 0
