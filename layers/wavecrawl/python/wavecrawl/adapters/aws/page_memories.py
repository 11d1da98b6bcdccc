"""Page memories in DynamoDB."""

import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace

import msgspec

from wavecrawl.adapters.aws.attributes import Row, binary, bytes_of, text_of
from wavecrawl.adapters.aws.names import (
    page_row,
    page_shards,
)
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory

_MEMORY = msgspec.msgpack.Decoder(PageMemory)
_encode = msgspec.msgpack.Encoder().encode
_ROOM_IN_A_UNIT = 850  # bytes of a memory that leave its row, with keys and names, below 1 KB


class DynamoPageMemories:
    """`ports.page_memories.PageMemories`: in bulk, a hundred rows a read and 25 a write."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def any(self, crawl: CrawlId) -> bool:
        """Tell whether the site remembers any page: the first shard that has one tells it."""
        shards = page_shards(crawl)
        return any(self._table.query(partition, prefix, newest=1) for partition, prefix in shards)

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by url key. Gather wrote them at least a wave ago: half a unit each."""
        memories = map(_memory, self._table.get_many(page_row(crawl, key) for key in keys))
        return {memory.key: memory for memory in memories}

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        self._table.put_many({page_row(crawl, memory.key): _memory_row(memory) for memory in memories})

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Forget a page."""
        self._table.delete(page_row(crawl, key))


def _memory_row(memory: PageMemory) -> Row:
    """Encode a memory. The row's key holds the url key already; a large memory is packed, as each started KB costs."""
    data = _encode(replace(memory, key=""))
    if len(data) <= _ROOM_IN_A_UNIT:
        return {"memory": binary(data)}
    return {"packed": binary(zlib.compress(data, 9))}


def _memory(row: Row) -> PageMemory:
    data = zlib.decompress(bytes_of(row, "packed")) if "packed" in row else bytes_of(row, "memory")
    return replace(_MEMORY.decode(data), key=text_of(row, "sk").partition("#")[2])
