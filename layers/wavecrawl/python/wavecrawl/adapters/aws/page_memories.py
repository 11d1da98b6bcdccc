"""Page memories in DynamoDB."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.names import page_row, page_shards
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.memory import PageMemory


class DynamoPageMemories:
    """`ports.page_memories.PageMemories`, in bulk: a hundred rows per read and 25 per write.

    The body lacks the URL key, which the row's key has already: each started KB of a row costs a write unit.
    """

    def __init__(self, table: Table) -> None:
        self._table = table
        self._memories = PackedItems(table, PageMemory)

    def any(self, crawl: CrawlId) -> bool:
        """Return whether the site remembers any page. Reads shards until one has a page."""
        return any(self._table.query(partition, prefix, limit=1) for partition, prefix in page_shards(crawl))

    def read(self, crawl: CrawlId, keys: Sequence[str]) -> dict[str, PageMemory]:
        """Return the memories that exist, by URL key.

        Eventually consistent, at half a read unit each: they were written at least one wave ago.
        """
        memories = map(self._memory, self._table.get_many(page_row(crawl, key) for key in keys))
        return {memory.key: memory for memory in memories}

    def write(self, crawl: CrawlId, memories: Iterable[PageMemory]) -> None:
        """Store memories, replacing older ones."""
        item = self._memories.item
        self._table.put_many({page_row(crawl, memory.key): item(replace(memory, key="")) for memory in memories})

    def forget(self, crawl: CrawlId, key: str) -> None:
        """Delete the memory of a page."""
        self._table.delete(page_row(crawl, key))

    def _memory(self, item: Row) -> PageMemory:
        return self._memories.unpack(item, key=item["sk"].partition("#")[2])
