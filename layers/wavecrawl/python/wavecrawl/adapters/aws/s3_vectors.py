"""Vectors in Amazon S3 Vectors: one index per site and embedder, in one vector bucket.

An index per site keeps tenants apart without filters, can be listed to find vectors without a passage, and is deleted
by one request. Limits: 10,000 indexes per bucket, 500 vectors per request to store or delete, 100 results of a query
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html).
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.ports.knowledge import Space

if TYPE_CHECKING:
    from mypy_boto3_s3vectors import S3VectorsClient

_MOST_VECTORS = 500  # per request that stores or deletes
_MOST_FOUND = 100
_DIGITS = 40  # of the name of an index
_LISTED = 1_000  # ids per response
_MISSING, _EXISTS = "NotFoundException", "ConflictException"


class S3Vectors:
    """`ports.knowledge.Vectors`."""

    def __init__(self, client: "S3VectorsClient", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, space: Space, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors by id. The first ones of a space create its index."""
        rows = ({"key": id_, "data": {"float32": [float(one) for one in vector]}} for id_, vector in vectors.items())
        while some := list(islice(rows, _MOST_VECTORS)):
            try:
                self._put(space, some)
            except _NoIndexError:
                self._create(space)
                self._put(space, some)

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Delete vectors."""
        for start in range(0, len(ids), _MOST_VECTORS):
            keys = list(ids[start : start + _MOST_VECTORS])
            with suppress(_NoIndexError), self._request("delete vectors", space):
                self._client.delete_vectors(**self._index(space), keys=keys)

    def ids(self, space: Space) -> Iterator[str]:
        """Yield all ids."""
        following: dict[str, Any] = {}
        while True:
            try:
                with self._request("list vectors", space):
                    page = self._client.list_vectors(**self._index(space), maxResults=_LISTED, **following)
            except _NoIndexError:
                return
            yield from (one["key"] for one in page["vectors"])
            if not page.get("nextToken"):
                return
            following = {"nextToken": page["nextToken"]}

    def nearest(self, space: Space, vector: Sequence[float], *, limit: int) -> list[str]:
        """Return the ids of the nearest vectors, best first."""
        query: Any = {"float32": [float(one) for one in vector]}
        try:
            with self._request("query vectors", space):
                found = self._client.query_vectors(
                    **self._index(space), topK=min(limit, _MOST_FOUND), queryVector=query
                )
        except _NoIndexError:
            return []
        return [one["key"] for one in found["vectors"]]

    def drop(self, space: Space) -> None:
        """Delete the index of the space."""
        with suppress(_NoIndexError), self._request("delete the index", space):
            self._client.delete_index(**self._index(space))

    def _put(self, space: Space, rows: list[Any]) -> None:
        with self._request("store vectors", space):
            self._client.put_vectors(**self._index(space), vectors=rows)

    def _create(self, space: Space) -> None:
        with translated(f"create the vector index of site {space.site.site}"):
            try:
                self._client.create_index(
                    **self._index(space), dataType="float32", dimension=space.dimensions, distanceMetric="cosine"
                )
            except ClientError as error:
                if code_of(error) != _EXISTS:  # another worker was first
                    raise

    def _index(self, space: Space) -> dict[str, Any]:
        """Return the names of bucket and index. That of an index has at most 63 characters."""
        name = "\0".join((space.site.tenant, space.site.site, space.embedder, str(space.dimensions)))
        return {"vectorBucketName": self._bucket, "indexName": f"site-{sha256(name.encode()).hexdigest()[:_DIGITS]}"}

    @contextmanager
    def _request(self, what: str, space: Space) -> Iterator[None]:
        """Translate errors; raise _NoIndexError if the index does not exist."""
        with translated(f"{what} of site {space.site.site} in bucket {self._bucket}"):
            try:
                yield
            except ClientError as error:
                if code_of(error) == _MISSING:
                    raise _NoIndexError from error
                raise


class _NoIndexError(Exception):
    """The index does not exist."""
