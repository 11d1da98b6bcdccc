"""Passages: the pieces of a page's text that a search finds."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from uuid import UUID

import msgspec
from xxhash import xxh3_128_hexdigest, xxh3_128_intdigest

from wavecrawl.domain.knowledge.markdown_lines import HEADING_CHARACTERS, Heading, Line, lines_of, plain_lines_of
from wavecrawl.domain.knowledge.splitting import Piece, split
from wavecrawl.domain.knowledge.token_count import token_count

VERSION = 5
"""Of the rules that make passages of a text. A new version indexes every page again."""


class SiteId(msgspec.Struct, frozen=True, kw_only=True):
    """A site of a tenant: what an index belongs to, and what a search is limited to."""

    tenant: str
    site: str


class SourceText(msgspec.Struct, frozen=True, kw_only=True):
    """The text of a page or document that passages are made of."""

    key: str  # url key
    url: str
    title: str
    text: str  # plain
    headings: str = ""  # as they are stored
    crawl: str = ""  # id of the crawl that it comes from
    place: str = ""  # of the page's record, by which its Markdown is made; "" = a document
    markdown: str = ""  # of a document with structure

    @property
    def content_hash(self) -> str:
        """Hash of everything that its passages depend on but markup other than headings, 32 hex digits.

        So the Markdown of unchanged pages need not be made. The crawl is not part of it.
        """
        content = (str(VERSION), self.url, self.title, self.headings, self.text, *filter(None, (self.markdown,)))
        return xxh3_128_hexdigest("\0".join(content).encode())


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """A piece of a page's text, as it is indexed and found."""

    id: str  # a UUID, made of the page's key, its content hash and `position`
    key: str  # url key of the page
    url: str  # of the page, with the fragment of the innermost heading that has one
    title: str
    headings: tuple[str, ...]  # of the sections that contain its beginning, from the outside inwards
    text: str  # plain text
    markdown: str
    position: int  # within the page, from 0

    @property
    def embedded_text(self) -> str:
        """The text that is embedded: a passage is often understood only with its title and headings."""
        return "\n".join((self.title, *self.headings, self.text))

    @property
    def tokens(self) -> int:
        """About how many tokens a language model reads in the Markdown."""
        return token_count(self.markdown)


def passages_of(
    page: SourceText,
    markdown: str | None,
    *,
    characters: int,
    overlap: int,
    fragments: Mapping[int, str] = MappingProxyType({}),
) -> Iterator[Passage]:
    """Yield the passages of a page, each when it is asked for. Pieces without text are left out.

    `markdown` is the text of the page; None: it has plain text alone. A passage has at most `characters` of plain text,
    and repeats up to `overlap` of them of the passages before. `fragments`: of the URLs of the headings, by their line
    in the Markdown, from 0.
    """
    title = page.title[:HEADING_CHARACTERS]
    version = page.content_hash
    path, position = _HeadingPath(fragments), 0
    lines = plain_lines_of(page.text, most=characters) if markdown is None else lines_of(markdown, most=characters)
    for piece in split(lines, characters=characters, overlap=overlap):
        path.begin(piece)
        if any(line.text and line.text.strip() for line in piece.new):
            yield Passage(
                id=str(UUID(int=xxh3_128_intdigest(f"{page.key}/{version}/{position}".encode()))),
                key=page.key,
                url=path.url_in(page.url),
                title=title,
                headings=tuple(name for name in path.names if name != title),
                text=piece.text,
                markdown=piece.markdown,
                position=position,
            )
            position += 1
        path.end(piece)


class _HeadingPath:
    """The headings above a place in a text, from the outside inwards."""

    def __init__(self, fragments: Mapping[int, str]) -> None:
        self._fragments = fragments
        self._above: list[Heading] = []

    @property
    def names(self) -> list[str]:
        return [heading.text for heading in self._above]

    def url_in(self, page: str) -> str:
        """Return the URL of the innermost heading that has one, else that of the page."""
        found = [self._fragments[one.line] for one in self._above if one.line in self._fragments]
        return f"{page.partition('#')[0]}#{found[-1]}" if found else page

    def begin(self, piece: Piece) -> None:
        """Add the heading that a piece begins with."""
        self._add(piece.new[:1])

    def end(self, piece: Piece) -> None:
        """Add the other headings of a piece."""
        self._add(piece.new[1:])

    def _add(self, lines: Sequence[Line]) -> None:
        for line in lines:
            if line.heading:  # it ends the parts below the headings of its level
                outer = [above for above in self._above if above.level < line.heading.level]
                self._above = [*outer, line.heading]
