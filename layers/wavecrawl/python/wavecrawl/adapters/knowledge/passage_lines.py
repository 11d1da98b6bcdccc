"""Passages as JSON Lines, for any other store."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from wavecrawl.adapters.gzip_members import compressed_in_pieces
from wavecrawl.domain.knowledge.passage import Passage
from wavecrawl.ports.knowledge import IndexedPage


class PassageLine(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One passage. The fields are described in docs/knowledge.md."""

    id: str
    url: str
    key: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    markdown: str
    characters: int
    tokens: int
    position: int
    content_hash: str
    crawl: str


def write_passages(passages: Iterable[tuple[IndexedPage, Passage]], path: Path) -> None:
    """Write a gzipped file with one passage per line; it is moved into place when it is complete."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.writelines(compressed_in_pieces(_lines(passages)))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _lines(passages: Iterable[tuple[IndexedPage, Passage]]) -> Iterator[bytes]:
    encoder = msgspec.json.Encoder()
    for page, passage in passages:
        line = PassageLine(
            id=passage.id,
            url=passage.url,
            key=passage.key,
            title=passage.title,
            heading_path=passage.headings,
            text=passage.text,
            markdown=passage.markdown,
            characters=len(passage.text),
            tokens=passage.tokens,
            position=passage.position,
            content_hash=page.content_hash,
            crawl=page.crawl,
        )
        yield encoder.encode(line) + b"\n"
