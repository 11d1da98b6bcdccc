"""The OpenAPI document and its operations."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, Final, cast

from wavecrawl.api.app import Api
from wavecrawl.api.backend import Backend

Schema = Mapping[str, Any]
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """An operation of the document."""

    id: str
    method: str  # upper case
    path: str
    tag: str
    summary: str
    description: str
    role: str  # "" = no API key needed
    parameters: tuple[Schema, ...]
    body: Schema | None  # its schema
    responses: Mapping[str, Schema]

    @property
    def successes(self) -> dict[str, Schema]:
        """The success responses by status code."""
        return {status: response for status, response in self.responses.items() if status.startswith("2")}

    def named(self, where: str) -> list[Schema]:
        """Return the parameters of a place: path, query or header."""
        return [one for one in self.parameters if one["in"] == where]


@cache
def served_document() -> Schema:
    """Return the response of GET /openapi.json. It needs no deployment: no other route is called."""
    settings = SimpleNamespace(tenant="default", max_body_bytes=65_536, requests_a_minute=600, cors_origins=())
    api = Api(cast("Backend", SimpleNamespace(settings=settings, signing_key=b"none")))
    response = api.resolve(_get("/openapi.json"), SimpleNamespace(aws_request_id="document"))
    document: Schema = json.loads(response["body"])
    return document


def operations_of(document: Mapping[str, Any]) -> list[Described]:
    """Return all operations by tag and path."""
    found = sorted(_operations(document), key=lambda one: (one.path.replace("{", "~"), _METHODS.index(one.method)))
    tags = list(dict.fromkeys(one["name"] for one in document.get("tags", ()))) or sorted({one.tag for one in found})
    return sorted(found, key=lambda one: tags.index(one.tag))


def _operations(document: Mapping[str, Any]) -> Iterator[Described]:
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            content = one.get("requestBody", {}).get("content", {}).get("application/json")
            yield Described(
                id=one["operationId"],
                method=method.upper(),
                path=path,
                tag=one["tags"][0],
                summary=one["summary"],
                description=one.get("description", ""),
                role=one.get("x-role", ""),
                parameters=tuple(one.get("parameters", ())),
                body=content["schema"] if content else None,
                responses=one["responses"],
            )


def _get(path: str) -> dict[str, Any]:
    """Return the event of a GET: https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html."""
    http = {"method": "GET", "path": path, "protocol": "HTTP/1.1", "sourceIp": "127.0.0.1", "userAgent": "generate"}
    context = {"http": http, "requestId": "document", "stage": "$default", "routeKey": f"GET {path}"}
    return {
        "version": "2.0",
        "routeKey": f"GET {path}",
        "rawPath": path,
        "rawQueryString": "",
        "headers": {},
        "requestContext": context,
        "isBase64Encoded": False,
    }
