"""Every route of the API, by the function that answers it. Deployment and tests go by this list; it imports nothing."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ROUTES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {
        "api": (
            ("GET", "/health"),
            ("GET", "/openapi.json"),
            ("GET", "/docs"),
            ("GET", "/v1/crawls"),
            ("POST", "/v1/crawls"),
            ("GET", "/v1/crawls/{crawl}"),
            ("POST", "/v1/crawls/{crawl}/cancel"),
            ("GET", "/v1/crawls/{crawl}/exports"),
            ("GET", "/v1/crawls/{crawl}/events"),
            ("GET", "/v1/webhooks"),
            ("POST", "/v1/webhooks"),
            ("GET", "/v1/webhooks/{webhook}"),
            ("PATCH", "/v1/webhooks/{webhook}"),
            ("DELETE", "/v1/webhooks/{webhook}"),
            ("POST", "/v1/webhooks/{webhook}/secret"),
            ("POST", "/v1/webhooks/{webhook}/test"),
            ("GET", "/v1/webhooks/{webhook}/deliveries"),
            ("GET", "/v1/webhooks/{webhook}/deliveries/{delivery}"),
            ("POST", "/v1/webhooks/{webhook}/deliveries/{delivery}/redeliver"),
        ),
    }
)
"""Function, then method and path."""
