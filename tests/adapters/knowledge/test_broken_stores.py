import gzip
import socket
from pathlib import Path

import pytest
from tests.support.knowledge import SITE, knowledge_ports

from wavecrawl.adapters.crawled_texts import crawled_texts
from wavecrawl.adapters.knowledge.qdrant_vectors import QdrantVectors, qdrant_client
from wavecrawl.adapters.knowledge.site_files import knowledge_folder
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import CorruptDataError, NotFoundError, StoreBusyError
from wavecrawl.ports.knowledge import Space

CRAWL = CrawlId(tenant=SITE.tenant, site=SITE.site, crawl="c1")


def test_a_damaged_file_is_named_with_the_remedy(tmp_path: Path) -> None:
    folder = knowledge_folder(tmp_path, SITE)
    folder.mkdir(parents=True)
    (folder / "passages.sqlite").write_bytes(b"no database, but longer than a header of one. " * 50)
    with pytest.raises(CorruptDataError, match=r"passages.sqlite cannot be read.*wavecrawl index"):
        knowledge_ports(tmp_path).passages.hashes(SITE)


def test_a_qdrant_server_that_does_not_respond_is_reported() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    vectors = QdrantVectors(lambda: qdrant_client(f"http://127.0.0.1:{port}", key=""))
    with pytest.raises(StoreBusyError, match="Qdrant does not respond"):
        vectors.nearest(Space(site=SITE, embedder="e", dimensions=2), [1.0, 0.0], limit=1)


def test_missing_and_damaged_texts_of_a_crawl_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "pages.jsonl.gz"
    with pytest.raises(NotFoundError, match=r"crawl c1 has no pages\.jsonl\.gz"):
        list(crawled_texts(path, crawl=CRAWL))
    path.write_bytes(gzip.compress(b'{"key": "a"}\n'))
    with pytest.raises(CorruptDataError, match="cannot be read"):
        list(crawled_texts(path, crawl=CRAWL))
