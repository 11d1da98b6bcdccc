"""Passages: the pieces of a page's text that a search finds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from xxhash import xxh3_128_hexdigest, xxh3_128_intdigest

from wavecrawl.domain.knowledge.readable_markdown import headings_of
from wavecrawl.domain.pages.plain_text import plain_text

VERSION = 1
"""Of the rules that make passages of a text. A new version indexes every page again."""


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
    markdown: str  # or plain text, which is Markdown without headings
    crawl: str = ""  # id of the crawl that it comes from

    @property
    def content_hash(self) -> str:
        """Hash of everything that its passages depend on, 32 hex digits. The crawl is not part of it."""
        return xxh3_128_hexdigest("\0".join((str(VERSION), self.url, self.title, self.markdown)).encode())


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of a Markdown text."""

    start: int  # its position in the text, in characters
    markdown: str


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


def passages_of(page: SourceText, markdown: str, chunks: Sequence[Chunk]) -> Iterator[Passage]:
    """Yield the passages of a page. `markdown` is the text that `chunks` are pieces of. Empty chunks are left out."""
    headings = headings_of(markdown)
    path: list[tuple[int, str]] = []
    following = position = 0
    version = page.content_hash
    for chunk in chunks:
        while following < len(headings) and headings[following].start <= chunk.start:
            heading = headings[following]
            path = [*(outer for outer in path if outer[0] < heading.level), (heading.level, heading.text)]
            following += 1
        text = plain_text(chunk.markdown).strip()
        if not text:
            continue
        yield Passage(
            id=str(UUID(int=xxh3_128_intdigest(f"{page.key}/{version}/{position}".encode()))),
            key=page.key,
            url=page.url,
            title=page.title,
            headings=tuple(name for _, name in path if name != page.title),
            text=text,
            position=position,
        )
        position += 1
