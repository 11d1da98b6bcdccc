"""The chunker: semantic-text-splitter, a library in Rust."""

from functools import lru_cache
from typing import TYPE_CHECKING

from wavecrawl.adapters.knowledge.missing import needed
from wavecrawl.domain.knowledge.passage import Chunk

if TYPE_CHECKING:
    from semantic_text_splitter import MarkdownSplitter


class MarkdownChunker:
    """`ports.knowledge.Chunker`."""

    def split(self, markdown: str, *, characters: int, overlap: int) -> list[Chunk]:
        """Return pieces along headings, blocks, sentences and words: the largest of them that fit."""
        pieces = _splitter(characters, overlap).chunk_indices(markdown)
        return [Chunk(start=start, markdown=text) for start, text in pieces]


@lru_cache(maxsize=4)
def _splitter(characters: int, overlap: int) -> "MarkdownSplitter":
    with needed("semantic-text-splitter"):
        from semantic_text_splitter import MarkdownSplitter  # noqa: PLC0415 - optional

    return MarkdownSplitter(characters, overlap)
