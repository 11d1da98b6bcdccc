"""The knowledge index of one machine: the chosen adapters, and the step after a crawl."""

import os
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from wavecrawl.adapters.crawled_texts import texts_of_crawl
from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.adapters.knowledge.missing import is_installed, needed
from wavecrawl.adapters.knowledge.passage_lines import write_passages
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_passages import SqlitePassages
from wavecrawl.application.index_report import texts_of
from wavecrawl.application.index_site import IndexCounts, RunLimits, index_site, remove_pages
from wavecrawl.bootstrap.knowledge_settings import S3_VECTORS, EmbedderKind, KnowledgeChoice
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import ConflictError, KnowledgeMissingError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.knowledge import CHUNKS, Embedder, KnowledgePorts, Vectors

if TYPE_CHECKING:
    from wavecrawl.bootstrap.store import LocalStore

_MISSING: Final = (
    "the knowledge index needs the extra `knowledge`, which is not installed: "
    "pip install '.[knowledge]' in wavecrawl's checkout"
)


def knowledge_ports(root: Path, choice: KnowledgeChoice | None = None) -> KnowledgePorts:
    """Return the ports over a data folder; by default, as the environment says."""
    choice = choice or KnowledgeChoice.from_env(os.environ)

    def folder_of(site: SiteId) -> Path:
        return knowledge_folder(root, site)

    return KnowledgePorts(
        passages=SqlitePassages(folder_of),
        vectors=vectors_of(choice, folder_of),
        embedder=embedder_of(choice),
        missing="" if _can_index(choice) else _MISSING,
    )


def embedder_of(choice: KnowledgeChoice) -> Embedder | None:
    """Return the chosen embedder. Libraries and models are loaded when it is used."""
    if choice.embedder is EmbedderKind.OFFLINE:
        from wavecrawl.adapters.knowledge.word_llama import WordLlamaEmbedder  # noqa: PLC0415 - only the chosen one

        return WordLlamaEmbedder()
    if choice.embedder is EmbedderKind.OPENAI:
        from wavecrawl.adapters.knowledge.openai_embedder import OpenAiEmbedder  # noqa: PLC0415 - the same

        return OpenAiEmbedder(choice.url, choice.model, key=choice.key, dimensions=choice.dimensions)
    if choice.embedder is EmbedderKind.BEDROCK:
        with needed("boto3", extra="cloud"):
            from wavecrawl.adapters.aws.bedrock_embedder import BedrockEmbedder  # noqa: PLC0415 - the same
            from wavecrawl.adapters.aws.clients import AwsClients  # noqa: PLC0415 - the same
            from wavecrawl.adapters.aws.faults import translated  # noqa: PLC0415 - the same

        with translated("connect to Amazon Bedrock"):
            return BedrockEmbedder(AwsClients().bedrock, choice.model, dimensions=choice.dimensions)
    return None


def vectors_of(choice: KnowledgeChoice, folder_of: Callable[[SiteId], Path]) -> Vectors:
    """Return the chosen vector store."""
    if choice.vectors.startswith(S3_VECTORS):
        with needed("boto3", extra="cloud"):
            from wavecrawl.adapters.aws.clients import AwsClients  # noqa: PLC0415 - the same
            from wavecrawl.adapters.aws.faults import translated  # noqa: PLC0415 - the same
            from wavecrawl.adapters.aws.s3_vectors import S3Vectors  # noqa: PLC0415 - the same

        with translated("connect to Amazon S3 Vectors"):
            return S3Vectors(AwsClients().s3vectors, choice.vectors.removeprefix(S3_VECTORS))
    if choice.vectors:
        from wavecrawl.adapters.knowledge.qdrant_vectors import QdrantVectors, qdrant_client  # noqa: PLC0415

        return QdrantVectors(lambda: qdrant_client(choice.vectors, key=choice.vectors_key))
    from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors  # noqa: PLC0415 - the same

    return SqliteVectors(folder_of)


def _can_index(choice: KnowledgeChoice) -> bool:
    return is_installed(offline=choice.embedder is EmbedderKind.OFFLINE)


def index_local_crawl(
    store: "LocalStore",
    crawl: CrawlRow,
    on_progress: Callable[[IndexCounts], None] = lambda _: None,
    *,
    must_end: Callable[[], bool] = lambda: False,
    patience: float = 0.0,
) -> IndexCounts:
    """Index the texts of a crawl that has results, and write them as an export.

    Raise ConflictError if another process still indexes the site after `patience` seconds, KnowledgeMissingError if the
    extra is not installed, IndexLimitError if a limit was exceeded.
    """
    if store.knowledge.missing:
        raise KnowledgeMissingError(store.knowledge.missing)
    from wavecrawl.bootstrap.markdown import markdown_view  # noqa: PLC0415 - it imports the store, which imports this

    site = SiteId(tenant=crawl.id.tenant, site=crawl.id.site)
    lock = FolderLock(knowledge_folder(store.root, site) / "index.lock")
    try:
        if not lock.try_alone(within=patience):
            raise ConflictError(f"site {site.site} is being indexed by another process; wait for it")
        hidden = store.hidden.of(crawl.id)
        with markdown_view(store, crawl) as view:
            counts = index_site(
                site,
                texts_of_crawl(crawl.id, store.results_folder(crawl.id), parts=store.parts, hidden=hidden),
                store.knowledge,
                crawl.settings.knowledge,
                texts=texts_of(crawl),
                deleted=chain(store.memories.deleted(crawl.id), store.media_memories.deleted(crawl.id)),
                view=view,
                on_progress=on_progress,
                limits=RunLimits(must_end=must_end),
            )
        if counts.is_complete:
            remove_pages(site, sorted(store.hidden.of(crawl.id) - hidden), store.knowledge)  # deleted meanwhile
            write_passages(store.knowledge.passages.all(site), store.results_folder(crawl.id) / CHUNKS)
        return counts
    finally:
        lock.release()
