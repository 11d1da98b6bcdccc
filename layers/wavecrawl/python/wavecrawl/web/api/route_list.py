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
            ("DELETE", "/v1/crawls/{crawl}"),
            ("GET", "/v1/crawls/{crawl}/summary"),
            ("POST", "/v1/crawls/{crawl}/cancel"),
            ("GET", "/v1/crawls/{crawl}/exports"),
            ("GET", "/v1/sites"),
            ("POST", "/v1/sites"),
            ("GET", "/v1/sites/{site}"),
            ("PATCH", "/v1/sites/{site}"),
            ("DELETE", "/v1/sites/{site}"),
            ("GET", "/v1/sites/{site}/crawls"),
            ("POST", "/v1/sites/{site}/crawls"),
            ("GET", "/v1/settings"),
            ("PATCH", "/v1/settings"),
            ("GET", "/v1/usage"),
            ("GET", "/v1/keys"),
            ("POST", "/v1/keys"),
            ("DELETE", "/v1/keys/{key}"),
            ("POST", "/v1/keys/{key}/rotate"),
            ("GET", "/v1/admin/tenants"),
            ("POST", "/v1/admin/tenants"),
            ("GET", "/v1/admin/tenants/{tenant}"),
            ("PATCH", "/v1/admin/tenants/{tenant}"),
            ("GET", "/v1/admin/tenants/{tenant}/keys"),
            ("POST", "/v1/admin/tenants/{tenant}/keys"),
            ("DELETE", "/v1/admin/tenants/{tenant}/keys/{key}"),
        ),
    }
)
"""Function, then method and path."""
