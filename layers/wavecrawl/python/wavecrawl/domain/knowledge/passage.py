"""Passages: the pieces of a page's text that a search finds."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from xxhash import xxh3_128_hexdigest, xxh3_128_intdigest

from wavecrawl.domain.knowledge.readable_markdown import HEADING_CHARACTERS, Heading, MarkdownReader
from wavecrawl.domain.knowledge.sections import sections
from wavecrawl.domain.pages.plain_text import plain_text

VERSION = 3
"""Of the rules that make passages of a text. A new version indexes every page again."""

SECTION_CHARACTERS = 16_000
"""Maximum number of characters of a section, if that is at least twice the size of a passage.

The chunker needs 0.03 s for a section of this size in Chinese, the slowest text, and 20 s for one of 400,000.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteId:
    """A site of a tenant: what an index belongs to, and what a search is limited to."""

    tenant: str
    site: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """The text of a page or document that passages are made of."""

    key: str  # url key
    url: str
    title: str
    text: str  # plain
    headings: str = ""  # as they are stored
    crawl: str = ""  # id of the crawl that it comes from
    place: str = ""  # of the page's record, by which its Markdown is made; "" = a document, which has none

    @property
    def content_hash(self) -> str:
        """Hash of everything that its passages depend on but markup other than headings, 32 hex digits.

        So the Markdown of unchanged pages need not be made. The crawl is not part of it.
        """
        content = (str(VERSION), self.url, self.title, self.headings, self.text)
        return xxh3_128_hexdigest("\0".join(content).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a Markdown text."""

    start: int  # its position in the text, in characters
    markdown: str


Split = Callable[[str], Sequence[Chunk]]
"""Splits a section into chunks, in their order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a page's text, as it is indexed and found."""

    id: str  # a UUID, made of the page's key, its content hash and `position`
    key: str  # url key of the page
    url: str
    title: str
    headings: tuple[str, ...]  # of the sections that contain its beginning, from the outside inwards
    text: str  # plain text
    position: int  # within the page, from 0

    @property
    def embedded_text(self) -> str:
        """The text that is embedded: a passage is often understood only with its title and headings."""
        return "\n".join((self.title, *self.headings, self.text))


def passages_of(page: SourceText, markdown: str, split: Split, *, characters: int) -> Iterator[Passage]:
    """Yield the passages of a page, each when it is asked for. Empty chunks are left out.

    `markdown` is the text of the page, or plain text, which is Markdown without headings.
    `split` is called with one section after another, as they are needed: it returns the chunks of at most `characters`.
    """
    title = page.title[:HEADING_CHARACTERS]
    version = page.content_hash
    reader, path = MarkdownReader(), _HeadingPath()
    position = 0
    for section in sections(markdown, characters=max(SECTION_CHARACTERS, 2 * characters)):
        readable = reader.read(section)
        headings = deque(readable.headings)
        for chunk in split(readable.markdown):
            while headings and headings[0].start <= chunk.start:
                path.add(headings.popleft())
            text = plain_text(chunk.markdown).strip()
            if not text:
                continue
            yield Passage(
                id=str(UUID(int=xxh3_128_intdigest(f"{page.key}/{version}/{position}".encode()))),
                key=page.key,
                url=page.url,
                title=title,
                headings=tuple(name for name in path.names if name != title),
                text=text,
                position=position,
            )
            position += 1
        for heading in headings:
            path.add(heading)


class _HeadingPath:
    """The headings above a place in a text, from the outside inwards."""

    def __init__(self) -> None:
        self._above: list[tuple[int, str]] = []

    @property
    def names(self) -> list[str]:
        return [name for _, name in self._above]

    def add(self, heading: Heading) -> None:
        """Add the next heading of the text. It ends the parts below the headings of its level."""
        outer = [above for above in self._above if above[0] < heading.level]
        self._above = [*outer, (heading.level, heading.text)]
