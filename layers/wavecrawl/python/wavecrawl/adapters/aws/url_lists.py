"""Uploaded lists of URLs: rows in DynamoDB, files in S3."""

from collections.abc import Callable, Iterable, Iterator
from math import ceil
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Final

from wavecrawl.adapters.aws.names import list_row
from wavecrawl.adapters.aws.objects import OF_A_RUNNING_CRAWL, Bucket
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.batch_objects import crawl_prefix
from wavecrawl.adapters.gzip_members import compressed_in_pieces
from wavecrawl.adapters.list_names import list_name, upload_name
from wavecrawl.adapters.text_lines import lines_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.url_lists import UPLOAD_SECONDS, UrlList, copy_name

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

OF_A_LIST: Final = "lifetime=list"
"""Tag of lists that no site names. A lifecycle rule of the bucket deletes them by their age."""

_OF_A_SITE: Final = "lifetime=site"


class AwsUrlLists:
    """`ports.url_lists.UrlLists`. Rows that expire have a time to live."""

    def __init__(self, table: Table, bucket: Bucket, *, s3: "Callable[[], S3Client]", name: str) -> None:
        """`s3` and `name`: what signs upload URLs, and the bucket's name."""
        self._table = table
        self._bucket = bucket
        self._s3 = s3
        self._name = name
        self._rows = PackedItems(table, UrlList)

    def create(self, row: UrlList) -> bool:
        """Store a new row; return False, with nothing changed, if its id is taken."""
        return self._rows.add(list_row(row.tenant, row.list), row, version=row.version, **_time_to_live(row))

    def read(self, tenant: str, list_: str) -> UrlList | None:
        """Return a row, or None."""
        return self._rows.get(list_row(tenant, list_))

    def update(self, row: UrlList) -> bool:
        """Replace the row whose version is one lower; return False if there is none."""
        return self._rows.replace(list_row(row.tenant, row.list), row, version=row.version, **_time_to_live(row))

    def of_tenant(self, tenant: str) -> list[UrlList]:
        """Return a tenant's rows by id."""
        return [self._rows.unpack(item) for item in self._table.query(*list_row(tenant, ""))]

    def delete(self, tenant: str, list_: str) -> bool:
        """Delete the files, then the row; return whether the row existed."""
        self._bucket.delete([upload_name(tenant, list_), list_name(tenant, list_)])
        return self._table.delete(list_row(tenant, list_))

    def upload_url(self, row: UrlList) -> str:
        """Return a presigned URL. The signature covers the header Content-Length, so S3 rejects other sizes.

        https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html
        """
        request = {
            "Bucket": self._name,
            "Key": upload_name(row.tenant, row.list),
            "ContentLength": row.bytes,
        }
        return self._s3().generate_presigned_url("put_object", Params=request, ExpiresIn=UPLOAD_SECONDS)

    def uploaded(self, tenant: str, list_: str) -> Iterator[bytes] | None:
        """Return the pieces of the uploaded file, or None."""
        return self._bucket.pieces(upload_name(tenant, list_))

    def store(self, tenant: str, list_: str, urls: Iterable[str]) -> None:
        """Store the list, compressed, by way of a temporary file: a list can be larger than the memory."""
        with TemporaryFile() as file:
            file.writelines(compressed_in_pieces(lines_of(urls)))
            file.seek(0)
            self._bucket.put(list_name(tenant, list_), file, Tagging=OF_A_LIST)
        self._bucket.delete([upload_name(tenant, list_)])

    def keep(self, tenant: str, list_: str, *, forever: bool) -> None:
        """Set the tag of the list, which decides whether a lifecycle rule deletes it."""
        self._bucket.tag(list_name(tenant, list_), _OF_A_SITE if forever else OF_A_LIST)

    def give(self, tenant: str, list_: str, crawl: CrawlId) -> bool:
        """Copy the list within S3."""
        target = f"{crawl_prefix(crawl)}/{copy_name(list_)}"
        return self._bucket.copy(list_name(tenant, list_), target, tag=OF_A_RUNNING_CRAWL)


def _time_to_live(row: UrlList) -> dict[str, int]:
    """Return the attribute `expires_at` of a row that expires (infra/constructs/storage.py)."""
    return {"expires_at": ceil(row.expires_at)} if row.expires_at else {}
