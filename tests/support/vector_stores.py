"""The vector stores that the contract and the property tests run over."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import MappingProxyType
from warnings import catch_warnings, filterwarnings

from tests.support.fake_s3_vectors import FakeS3Vectors

from wavecrawl.adapters.aws.s3_vectors import S3Vectors
from wavecrawl.adapters.knowledge.qdrant_vectors import QdrantVectors
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.adapters.knowledge.sqlite_vectors import SqliteVectors
from wavecrawl.ports.knowledge import Vectors


@contextmanager
def sqlite(folder: Path) -> Iterator[Vectors]:
    """Vectors in files."""
    yield SqliteVectors(lambda site: knowledge_folder(folder, site))


@contextmanager
def qdrant(_: Path) -> Iterator[Vectors]:
    """The client of Qdrant over its own mode in memory, instead of a server."""
    from qdrant_client import QdrantClient  # noqa: PLC0415 - it takes most of a second, which few workers need

    client = QdrantClient(":memory:")
    with catch_warnings():
        filterwarnings("ignore", message="Payload indexes have no effect in the local Qdrant")
        yield QdrantVectors(lambda: client)
    client.close()


@contextmanager
def s3_vectors(_: Path) -> Iterator[Vectors]:
    """The client of AWS over the service in memory."""
    yield S3Vectors(FakeS3Vectors().client(), "bucket")


STORES: Mapping[str, Callable[[Path], AbstractContextManager[Vectors]]] = MappingProxyType(
    {"sqlite": sqlite, "qdrant": qdrant, "s3_vectors": s3_vectors}
)
