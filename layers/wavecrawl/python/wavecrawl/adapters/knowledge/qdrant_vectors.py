"""Vectors in a Qdrant server: one collection per embedder, in which every point names its tenant and site.

That is how Qdrant keeps tenants apart: https://qdrant.tech/documentation/guides/multiple-partitions/
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xxhash import xxh3_64_hexdigest

from wavecrawl.adapters.knowledge.missing import needed
from wavecrawl.errors import PermanentError, StoreBusyError
from wavecrawl.ports.knowledge import Space

if TYPE_CHECKING:
    from collections.abc import Callable

    from qdrant_client import QdrantClient

_POINTS = 500  # per request
_TIMEOUT = 30  # seconds
_SERVER_ERROR, _THROTTLED, _EXISTS = 500, 429, 409


def qdrant_client(url: str, *, key: str) -> "QdrantClient":
    """Return a client of a server; `key`: its API key, "" = none. Raise KnowledgeMissingError without the library."""
    with needed("qdrant-client", extra="qdrant"):
        from qdrant_client import QdrantClient  # noqa: PLC0415 - optional

    return QdrantClient(url=url, api_key=key or None, timeout=_TIMEOUT, check_compatibility=False)


class QdrantVectors:
    """`ports.knowledge.Vectors`."""

    def __init__(self, connect: "Callable[[], QdrantClient]") -> None:
        """`connect` returns a client; it is called at the first operation."""
        self._connect = connect

    def put(self, space: Space, vectors: Mapping[str, Sequence[float]]) -> None:
        """Store vectors by id. The first ones of an embedder create its collection."""
        if not self._exists(space):
            self._create(space)
        payload = {"tenant": space.site.tenant, "site": space.site.site}
        points = [
            self._models.PointStruct(id=id_, vector=[float(one) for one in vector], payload=payload)
            for id_, vector in vectors.items()
        ]
        for start in range(0, len(points), _POINTS):
            with self._request("store vectors"):
                self._client.upsert(_collection(space), points[start : start + _POINTS], wait=True)

    def delete(self, space: Space, ids: Sequence[str]) -> None:
        """Delete vectors."""
        if ids and self._exists(space):
            self._delete(space, self._models.HasIdCondition(has_id=list(ids)))

    def ids(self, space: Space) -> Iterator[str]:
        """Yield all ids."""
        if not self._exists(space):
            return
        offset: Any = None
        while True:
            with self._request("list vectors"):
                points, offset = self._client.scroll(
                    _collection(space),
                    scroll_filter=self._filter(space),
                    limit=_POINTS,
                    offset=offset,
                    with_payload=False,
                )
            yield from (str(point.id) for point in points)
            if offset is None:
                return

    def nearest(self, space: Space, vector: Sequence[float], *, limit: int) -> list[str]:
        """Return the ids of the nearest vectors, best first."""
        if not self._exists(space):
            return []
        with self._request("query vectors"):
            found = self._client.query_points(
                _collection(space),
                query=[float(one) for one in vector],
                query_filter=self._filter(space),
                limit=limit,
                with_payload=False,
            )
        return [str(point.id) for point in found.points]

    def drop(self, space: Space) -> None:
        """Delete all vectors of the space. The collection stays, as other sites use it."""
        if self._exists(space):
            self._delete(space)

    def _delete(self, space: Space, *conditions: Any) -> None:
        selector = self._models.FilterSelector(filter=self._filter(space, *conditions))
        with self._request("delete vectors"):
            self._client.delete(_collection(space), points_selector=selector, wait=True)

    def _filter(self, space: Space, *conditions: Any) -> Any:
        match, condition = self._models.MatchValue, self._models.FieldCondition
        own = [
            condition(key="tenant", match=match(value=space.site.tenant)),
            condition(key="site", match=match(value=space.site.site)),
        ]
        return self._models.Filter(must=[*own, *conditions])

    def _exists(self, space: Space) -> bool:
        with self._request("find the collection"):
            return self._client.collection_exists(_collection(space))

    def _create(self, space: Space) -> None:
        models = self._models
        with self._request("create the collection", also=_EXISTS):  # another process may have been first
            self._client.create_collection(
                _collection(space),
                vectors_config=models.VectorParams(size=space.dimensions, distance=models.Distance.COSINE),
            )
        for field, is_tenant in (("tenant", True), ("site", False)):
            with self._request("create the index of a field"):
                self._client.create_payload_index(
                    _collection(space),
                    field,
                    models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=is_tenant),
                )

    @contextmanager
    def _request(self, what: str, *, also: int = 0) -> Iterator[None]:
        """Translate errors. `also`: a status code that is no error."""
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse  # noqa: PLC0415 - optional

        try:
            yield
        except UnexpectedResponse as error:
            status = error.status_code or 0
            if status == also:
                return
            if status >= _SERVER_ERROR or status == _THROTTLED:
                raise StoreBusyError(f"Qdrant cannot {what}: {error}") from error
            raise PermanentError(f"Qdrant cannot {what}: {error}") from error
        except ApiException as error:
            raise StoreBusyError(f"Qdrant does not respond ({what}): {error}") from error

    @cached_property
    def _client(self) -> "QdrantClient":
        return self._connect()

    @cached_property
    def _models(self) -> Any:
        with needed("qdrant-client", extra="qdrant"):
            from qdrant_client import models  # noqa: PLC0415 - optional

        return models


def _collection(space: Space) -> str:
    """Return the name of the collection: any name of an embedder becomes letters and digits."""
    return f"wavecrawl-{xxh3_64_hexdigest(space.embedder.encode())}-{space.dimensions}"
