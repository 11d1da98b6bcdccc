"""Amazon S3 Vectors in memory, behind a real client of botocore, which checks and encodes every request.

It has the limits of the service: https://docs.aws.amazon.com/AmazonS3/latest/userguide/s3-vectors-limitations.html
"""

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

import botocore.session

if TYPE_CHECKING:
    from mypy_boto3_s3vectors import S3VectorsClient

Body = dict[str, Any]


class FakeS3Vectors:
    """The service. `requests` counts the requests of each operation."""

    def __init__(self) -> None:
        self.indexes: dict[str, dict[str, list[float]]] = {}
        self.dimensions: dict[str, int] = {}
        self.requests: dict[str, int] = {}

    def client(self) -> "S3VectorsClient":
        """Return a client whose requests come here."""
        session = botocore.session.Session()
        session.set_credentials("test", "test")
        client = session.create_client("s3vectors", region_name="eu-central-1")
        client.meta.events.register("before-call.s3vectors", self._respond)  # type: ignore[arg-type]  # it may respond
        return cast("S3VectorsClient", client)

    def _respond(self, *, model: Any, params: Any, **_: object) -> tuple[SimpleNamespace, Body]:
        status, answer = self.respond(model.name, json.loads(params["body"]))
        if status == 200:
            return SimpleNamespace(status_code=200), answer
        error = {"Code": answer["code"], "Message": answer["code"]}
        return SimpleNamespace(status_code=status), {"Error": error, "ResponseMetadata": {"HTTPStatusCode": status}}

    def respond(self, operation: str, body: Body) -> tuple[int, Body]:
        """Return the HTTP status and the body of a response; of an error, its code."""
        self.requests[operation] = self.requests.get(operation, 0) + 1
        operations: dict[str, Callable[[Body], Body]] = {
            "CreateIndex": self._create,
            "DeleteIndex": lambda _: (self.indexes.pop(body["indexName"]) and {}) or {},
            "PutVectors": self._put,
            "DeleteVectors": self._delete,
            "ListVectors": self._list,
            "QueryVectors": self._query,
        }
        if body["indexName"] not in self.indexes and operation != "CreateIndex":
            return 404, {"code": "NotFoundException"}
        if body["indexName"] in self.indexes and operation == "CreateIndex":
            return 409, {"code": "ConflictException"}
        return 200, operations[operation](body)

    def _create(self, body: Body) -> Body:
        assert body["distanceMetric"] == "cosine"
        self.indexes[body["indexName"]] = {}
        self.dimensions[body["indexName"]] = body["dimension"]
        return {"indexArn": "arn"}

    def _put(self, body: Body) -> Body:
        assert 1 <= len(body["vectors"]) <= 500
        for row in body["vectors"]:
            vector = row["data"]["float32"]
            assert len(vector) == self.dimensions[body["indexName"]]
            assert any(
                vector
            )  # https://docs.aws.amazon.com/AmazonS3/latest/API/API_S3VectorBuckets_PutInputVector.html
            self.indexes[body["indexName"]][row["key"]] = vector
        return {}

    def _delete(self, body: Body) -> Body:
        assert 1 <= len(body["keys"]) <= 500
        for key in body["keys"]:
            self.indexes[body["indexName"]].pop(key, None)
        return {}

    def _list(self, body: Body) -> Body:
        keys = sorted(self.indexes[body["indexName"]])
        start = int(body.get("nextToken", 0))
        end = start + min(body["maxResults"], 250)  # responses may have fewer than asked for
        page: Body = {"vectors": [{"key": key} for key in keys[start:end]]}
        return page | ({"nextToken": str(end)} if end < len(keys) else {})

    def _query(self, body: Body) -> Body:
        assert 1 <= body["topK"] <= 100
        wanted = body["queryVector"]["float32"]

        def similarity(vector: list[float]) -> float:
            product = sum(one * two for one, two in zip(vector, wanted, strict=True))
            length = (sum(one * one for one in vector) * sum(two * two for two in wanted)) ** 0.5
            return float(product / length)

        rows = self.indexes[body["indexName"]]
        best = sorted(rows, key=lambda key: (-similarity(rows[key]), key))[: body["topK"]]
        return {"vectors": [{"key": key} for key in best], "distanceMetric": "cosine"}
