"""Erasing a crawl from the table and the bucket."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import ceil
from tempfile import SpooledTemporaryFile
from typing import Final

from wavecrawl.adapters.aws.catalog import GlueCatalog
from wavecrawl.adapters.aws.names import HIDDEN, work_partition
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.kept_objects import KeptObjects, ReducedRecords, exchanges_of
from wavecrawl.adapters.part_objects import hidden_prefix, table_prefixes
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.references import NO_REFERENCES, References
from wavecrawl.errors import ConflictError, StoreBusyError
from wavecrawl.ports.clock import Clock

_AT_ONCE: Final = 8
"""Batches that are reduced in parallel."""

_IN_MEMORY: Final = 16 * 1024 * 1024
"""Bytes of a reduced batch that are kept in memory. More go to disk."""


class AwsErasure:
    """`ports.erasure.Erasure`. Claims expire; the bucket's lifecycle rules delete old versions of objects."""

    def __init__(self, table: Table, bucket: Bucket, catalog: GlueCatalog, clock: Clock) -> None:
        self._table = table
        self._bucket = bucket
        self._catalog = catalog
        self._clock = clock

    def erase(self, crawl: CrawlId, *, keep: References = NO_REFERENCES) -> None:
        """Delete the objects and working rows of a crawl. Raise ConflictError if one of its batches is leased."""
        rows = self._table.query(work_partition(crawl))
        lease_end = max((float(row["leased_until"]) for row in rows if "leased_until" in row), default=0.0)
        wait = lease_end - self._clock.now()
        if wait > 0:
            raise ConflictError(
                f"crawl {crawl.crawl} has ended, but a worker may still store pages of it; "
                f"delete it in {counted(ceil(wait), 'second')}"
            )
        kept = KeptObjects.of(crawl, keep)
        self._catalog.remove(crawl)
        for prefix in (*table_prefixes(crawl), hidden_prefix(crawl)):
            self._bucket.delete_all(prefix)
        keys = [(row["pk"], row["sk"]) for row in rows]
        hidden = [(pk, sk) for pk, sk in keys if sk.startswith(HIDDEN)]
        self._delete_objects(crawl, kept, (sk.removeprefix(HIDDEN) for _, sk in hidden))
        staying = set(hidden) if kept.names else set()
        self._table.delete_many([key for key in keys if key not in staying])

    def remains(self, tenant: str, site: str) -> list[CrawlId]:
        """Return the crawls of a site that have objects."""
        prefix = crawl_prefix(CrawlId(tenant=tenant, site=site, crawl=""))
        return [CrawlId(tenant=tenant, site=site, crawl=name) for name in self._bucket.folders(prefix)]

    def _delete_objects(self, crawl: CrawlId, kept: KeptObjects, hidden: Iterable[str]) -> None:
        prefix = f"{crawl_prefix(crawl)}/"
        if not kept.names:
            self._bucket.delete_all(prefix)
            return
        self._bucket.delete([name for name, _ in self._bucket.sizes(prefix) if name not in kept.names])
        reduce = partial(self._reduce, hidden=frozenset(hidden))
        with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="erase") as pool:
            for _ in pool.map(reduce, kept.records.items()):
                pass  # raises the error of a failed request

    def _reduce(self, batch: tuple[str, frozenset[str]], *, hidden: frozenset[str]) -> None:
        """Remove what nothing refers to from the objects of a batch: the records last, as a repeat reads them."""
        name, keys = batch
        records = self._bucket.get(name)
        reduced = None if records is None else ReducedRecords.of(records, keys, hidden=hidden)
        if reduced is None:
            return
        exchanges = exchanges_of(name)
        if self._bucket.exists(exchanges):
            with SpooledTemporaryFile(max_size=_IN_MEMORY) as file:
                file.writelines(reduced.exchanges(partial(self._part, exchanges)))
                file.seek(0)
                self._bucket.put(exchanges, file)
        self._bucket.put(name, reduced.data)

    def _part(self, name: str, offset: int, length: int) -> bytes:
        part = self._bucket.get(name, first=offset, length=length)
        if part is None:
            raise StoreBusyError(f"object {name} was deleted while it was read. Try again later")
        return part
