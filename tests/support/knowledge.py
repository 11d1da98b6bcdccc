"""A knowledge index for tests: an embedder that counts words, and pages that a crawl found."""

import math
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_passages import SqlitePassages
from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors
from wavecrawl.application.index_plan import CrawledText
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId, SourceText
from wavecrawl.ports.knowledge import KnowledgePorts

SITE = SiteId(tenant="t", site="example.com")


class CountingEmbedder:
    """`ports.knowledge.Embedder`: a vector counts words by their checksum. Notes the texts that it embeds."""

    def __init__(self, name: str = "counting", dimensions: int = 32) -> None:
        self.name = name
        self.dimensions = dimensions
        self.embedded: list[str] = []

    def embed_passages(self, texts: Sequence[str]) -> list[Sequence[float]]:
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def embed_question(self, text: str) -> Sequence[float]:
        return self._vector(text)

    def _vector(self, text: str) -> Sequence[float]:
        vector = [0.0] * self.dimensions
        for word in text.lower().split():
            vector[crc32(word.encode()) % self.dimensions] += 1.0
        length = math.hypot(*vector) or 1.0
        return [value / length for value in vector]


def knowledge_ports(folder: Path, embedder: CountingEmbedder | None = None) -> KnowledgePorts:
    """Return ports over a folder, as another process would open them."""
    return KnowledgePorts(
        passages=SqlitePassages(lambda site: knowledge_folder(folder, site)),
        vectors=SqliteVectors(lambda site: knowledge_folder(folder, site)),
        embedder=embedder,
    )


def source(key: str, text: str, *, title: str = "", crawl: str = "c1") -> SourceText:
    """Return the text of a page."""
    return SourceText(key=key, url=f"https://example.com/{key}", title=title or key, text=text, crawl=crawl)


def crawled(key: str, text: str = "", *, fate: Fate = Fate.TEXT, title: str = "", crawl: str = "c1") -> CrawledText:
    """Return a page as a crawl found it."""
    return CrawledText(text=source(key, text, title=title, crawl=crawl), fate=fate)
