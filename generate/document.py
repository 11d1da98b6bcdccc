"""The OpenAPI document, as the API serves it."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, Final, cast

from wavecrawl.api.app import Api
from wavecrawl.api.backend import Backend

Schema = Mapping[str, Any]
_METHODS: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Described:
    """One operation of the document."""

    id: str
    method: str  # upper case
    path: str
    tag: str
    summary: str
    description: str
    role: str  # "" = open to everybody
    parameters: tuple[Schema, ...]
    body: Schema | None  # its schema
    responses: Mapping[str, Schema]

    @property
    def successes(self) -> dict[str, Schema]:
        """Return the answers that are successes, with or without content, by status."""
        return {status: answer for status, answer in self.responses.items() if status.startswith("2")}

    def named(self, where: str) -> list[Schema]:
        """Return the parameters in path, query or header."""
        return [one for one in self.parameters if one["in"] == where]

    def content(self) -> tuple[str, Schema] | None:
        """Return media type and schema of what a success brings, None where none brings anything."""
        for answer in self.successes.values():
            for media, one in (answer.get("content") or {}).items():
                return media, one.get("schema", {})
        return None


def served_document() -> dict[str, Any]:
    """Return what GET /openapi.json answers. No deployment is needed for it: no route is asked anything else."""
    settings = SimpleNamespace(tenant="default", max_body_bytes=65_536, requests_a_minute=600, cors_origins=())
    api = Api(cast("Backend", SimpleNamespace(settings=settings, signing_key=b"none")))
    answer = api.resolve(_asked("/openapi.json"), SimpleNamespace(aws_request_id="document"))
    document: dict[str, Any] = json.loads(answer["body"])
    return document


def operations_of(document: Mapping[str, Any]) -> list[Described]:
    """Return every operation, tag by tag, and of each tag by path."""
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


def _asked(path: str) -> dict[str, Any]:
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
