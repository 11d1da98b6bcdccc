"""The checks of a self-test for the knowledge index."""

from wavecrawl.adapters.knowledge.chunker import MarkdownChunker
from wavecrawl.adapters.knowledge.no_vectors import NoVectors
from wavecrawl.application.index_site import CrawledText, index_site
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.check_failed import TENANT, CheckFailedError
from wavecrawl.domain.knowledge.fate import Fate
from wavecrawl.domain.knowledge.passage import SiteId, SourceText
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.ports.knowledge import Embedder, KnowledgePorts, Space

_TEXT = SourceText(key="k", url="http://self-test.invalid/", title="Test", markdown="# One\n\nseparated words")


def knowledge(cloud: Cloud, function: str) -> None:
    """Index a text, store the index in the bucket, and find the text by a word."""
    site = _site(function)
    ports = KnowledgePorts(chunker=MarkdownChunker(), passages=cloud.passages, vectors=NoVectors(), embedder=None)
    cloud.passages.drop(site)
    page = CrawledText(text=_TEXT, fate=Fate.TEXT)
    index_site(site, [page], ports, KnowledgeSettings(), crawl="self-test")
    if not cloud.passages.matching(site, "separate", limit=1):
        raise CheckFailedError("a text that was just indexed is not found")


def passages_read(cloud: Cloud, function: str) -> None:
    """Read an index that does not exist."""
    cloud.passages.state(_site(function))


def vectors(cloud: Cloud, function: str) -> None:
    """Embed a text; store its vector, and delete it. Without a model, there is nothing to check."""
    ports = cloud.knowledge
    if ports is not None and ports.embedder is not None:
        space = _space(ports.embedder, function)
        (vector,) = ports.embedder.embed_passages(["a text"])
        ports.vectors.put(space, {"self-test": vector})
        ports.vectors.delete(space, list(ports.vectors.ids(space)))
        ports.vectors.drop(space)


def questions(cloud: Cloud, function: str) -> None:
    """Embed a question, and search in an index that does not exist. Without a model, there is nothing to check."""
    ports = cloud.knowledge
    if ports is not None and ports.embedder is not None:
        space = _space(ports.embedder, function)
        ports.vectors.nearest(space, ports.embedder.embed_question("a question"), limit=1)


def _space(embedder: Embedder, function: str) -> Space:
    return Space(site=_site(function), embedder=embedder.name, dimensions=embedder.dimensions)


def _site(function: str) -> SiteId:
    return SiteId(tenant=TENANT, site=function)
