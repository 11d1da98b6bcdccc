"""Assets in DynamoDB and S3."""

import time
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wavecrawl.adapters.asset_files import asset_name, disposition_of, shortened
from wavecrawl.adapters.aws.attributes import Row
from wavecrawl.adapters.aws.faults import attempts
from wavecrawl.adapters.aws.names import ASSET, Key, asset_row
from wavecrawl.adapters.aws.objects import Bucket
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NEW, Change, NewRow
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.exports import LIFETIME
from wavecrawl.ports.media_assets import StoredAsset

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_PAGE = 100  # rows per query
_SHARDS = "0123456789abcdef"
_ABANDONED = 900.0  # seconds after which a deletion has ended: the longest run of a Lambda function


class _State(StrEnum):
    STORING = "storing"  # a worker stores the object
    STORED = "stored"
    DELETING = "deleting"  # the object is being deleted


class AwsMediaAssets:
    """`ports.media_assets.MediaAssets`.

    DynamoDB and S3 have no transaction in common. A row therefore exists before its object and after it, in a state in
    which it is not seen: an object is deleted only while its row is `deleting`, and a row in that state cannot become
    `stored`. A worker that dies while storing leaves a row that the next worker completes.
    """

    def __init__(
        self, table: Table, s3: "S3Client", bucket: str, clock: Clock, *, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._table = table
        self._s3 = s3
        self._bucket_name = bucket
        self._bucket = Bucket(s3, bucket)
        self._clock = clock
        self._sleep = sleep
        self._items = PackedItems(table, StoredAsset)

    def put(self, tenant: str, asset: Asset, path: Path, *, url: str, now: float) -> bool:
        """Store an asset and its file unless it is stored already; return whether this call stored it."""
        key = asset_row(tenant, asset.hash)
        body = self._items.item(shortened(StoredAsset(asset=asset, first_url=url, stored_at=now)))
        for _ in attempts(self._sleep):
            # Without the body, which can take several write units.
            answer = self._table.put(NewRow(key=key, row={"state": _State.STORING.value}, condition=NEW))
            state = _State.STORING if answer.made else answer.row["state"]
            if state == _State.STORED:
                return False
            if state == _State.STORING:
                self._store(asset_name(tenant, asset), asset, path)
                if self._move(key, _State.STORING, _State.STORED, **body):
                    return True  # if not, another worker stored the asset, and it may be deleted by now
            elif answer.row["deleting_at"] + _ABANDONED < self._clock.now():
                self._finish_deletion(tenant, answer.row)
        raise StoreBusyError(f"asset {asset.hash} is being deleted; try again later")

    def read(self, tenant: str, hash_: str) -> StoredAsset | None:
        """Return an asset, or None."""
        item = self._table.get(asset_row(tenant, hash_))
        return self._items.unpack(item) if item and item["state"] == _State.STORED else None

    def list(
        self, tenant: str, *, kind: MediaKind | None = None, after: str = "", limit: int = 100
    ) -> Iterator[StoredAsset]:
        """Yield assets by hash, those after the hash `after`."""
        for shard in _SHARDS[int(after[:1] or "0", 16) :]:
            for stored in self._of_shard(tenant, shard, after):
                if kind in (None, stored.asset.kind):
                    if limit <= 0:
                        return
                    limit -= 1
                    yield stored

    def delete(self, tenant: str, hash_: str) -> bool:
        """Delete an asset: its row is hidden, its object deleted, then its row. Return whether it existed."""
        key = asset_row(tenant, hash_)
        now = self._clock.now()
        existed = self._move(key, _State.STORED, _State.DELETING, deleting_at=now)
        row = self._table.get(key)
        if row and row["state"] == _State.DELETING and (existed or row["deleting_at"] + _ABANDONED < now):
            self._finish_deletion(tenant, row)
        return existed

    def open(self, tenant: str, hash_: str) -> bytes | None:
        """Return the stored file, or None."""
        stored = self.read(tenant, hash_)
        return self._bucket.get(asset_name(tenant, stored.asset)) if stored else None

    def signed_url(self, tenant: str, hash_: str) -> str | None:
        """Return a URL that downloads the stored file without an API key, None if it does not exist."""
        stored = self.read(tenant, hash_)
        if stored is None:
            return None
        return self._s3.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._bucket_name,
                "Key": asset_name(tenant, stored.asset),
                "ResponseContentType": stored.asset.media_type,
                "ResponseContentDisposition": disposition_of(stored.asset),
            },
            ExpiresIn=LIFETIME,
        )

    def _store(self, name: str, asset: Asset, path: Path) -> None:
        with path.open("rb") as body:
            self._bucket.put(name, body, ContentType=asset.media_type, ContentDisposition=disposition_of(asset))

    def _move(self, key: Key, before: _State, after: _State, **columns: Any) -> bool:
        """Change the state of a row, and set columns; return False if it is in another state by now."""
        change = Change(
            key=key,
            set={"state": after.value, **columns},
            condition="#state = :before",
            values={"before": before.value},
        )
        return self._table.update(change).made

    def _finish_deletion(self, tenant: str, row: Row) -> None:
        stored = self._items.unpack(row)
        self._bucket.delete([asset_name(tenant, stored.asset)])
        self._table.delete(
            (row["pk"], row["sk"]),
            condition="#state = :deleting AND #deleting_at = :at",
            values={"deleting": _State.DELETING.value, "at": row["deleting_at"]},
        )

    def _of_shard(self, tenant: str, shard: str, after: str) -> Iterator[StoredAsset]:
        partition, _ = asset_row(tenant, shard)
        while rows := self._table.query(partition, ASSET, after=after, limit=_PAGE, consistent=False):
            yield from (self._items.unpack(row) for row in rows if row["state"] == _State.STORED)
            after = rows[-1]["sk"].removeprefix(ASSET)
