"""What pages of other origins may send and read (CORS): said by the HTTP API in the cloud, by the resolver elsewhere.

https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
"""

from typing import Final

SENT: Final = ("authorization", "content-type", "idempotency-key", "if-match", "if-none-match", "last-event-id")
"""Header fields of requests."""

READ: Final = (
    "etag",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "x-request-id",
)
"""Header fields of answers."""

KEPT: Final = 3600
"""Seconds a browser may remember it."""
