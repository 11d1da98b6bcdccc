"""What the deployment of the HTTP API shares with the API: routes and CORS headers. It imports nothing else."""

from collections.abc import Mapping, Sequence
from itertools import chain
from types import MappingProxyType
from typing import Final

_RESOURCES: Final[Mapping[str, Mapping[str, tuple[tuple[str, str], ...]]]] = MappingProxyType(
    {
        "api": {
            "description": (
                ("GET", "/health"),
                ("GET", "/openapi.json"),
                ("GET", "/docs"),
            ),
            "crawls": (
                ("GET", "/v1/crawls"),
                ("POST", "/v1/crawls"),
                ("GET", "/v1/crawls/{crawl}"),
                ("DELETE", "/v1/crawls/{crawl}"),
                ("GET", "/v1/crawls/{crawl}/summary"),
                ("POST", "/v1/crawls/{crawl}/cancel"),
                ("POST", "/v1/crawls/{crawl}/resume"),
                ("GET", "/v1/crawls/{crawl}/exports"),
                ("POST", "/v1/crawls/{crawl}/exports"),
                ("GET", "/v1/crawls/{crawl}/exports/{file}"),
            ),
            "crawl_events": (("GET", "/v1/crawls/{crawl}/events"),),
            "webhooks": (
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
            "url_lists": (
                ("GET", "/v1/lists"),
                ("POST", "/v1/lists"),
                ("GET", "/v1/lists/{list}"),
                ("DELETE", "/v1/lists/{list}"),
            ),
            "sites": (
                ("GET", "/v1/sites"),
                ("POST", "/v1/sites"),
                ("GET", "/v1/sites/{site}"),
                ("PATCH", "/v1/sites/{site}"),
                ("DELETE", "/v1/sites/{site}"),
                ("GET", "/v1/sites/{site}/crawls"),
                ("POST", "/v1/sites/{site}/crawls"),
                ("GET", "/v1/schedules/starts"),
            ),
            "credentials": (
                ("GET", "/v1/sites/{site}/credentials"),
                ("PUT", "/v1/sites/{site}/credentials"),
                ("DELETE", "/v1/sites/{site}/credentials"),
            ),
            "settings": (
                ("GET", "/v1/settings"),
                ("PATCH", "/v1/settings"),
                ("GET", "/v1/usage"),
            ),
            "keys": (
                ("GET", "/v1/me"),
                ("GET", "/v1/keys"),
                ("POST", "/v1/keys"),
                ("DELETE", "/v1/keys/{key}"),
                ("POST", "/v1/keys/{key}/rotate"),
            ),
            "admin": (
                ("GET", "/v1/admin/controls"),
                ("PATCH", "/v1/admin/controls"),
                ("GET", "/v1/admin/tenants"),
                ("POST", "/v1/admin/tenants"),
                ("GET", "/v1/admin/tenants/{tenant}"),
                ("PATCH", "/v1/admin/tenants/{tenant}"),
                ("GET", "/v1/admin/tenants/{tenant}/settings"),
                ("PATCH", "/v1/admin/tenants/{tenant}/settings"),
                ("GET", "/v1/admin/tenants/{tenant}/keys"),
                ("POST", "/v1/admin/tenants/{tenant}/keys"),
                ("DELETE", "/v1/admin/tenants/{tenant}/keys/{key}"),
            ),
        },
        "results": {
            "knowledge": (("GET", "/v1/sites/{site}/search"), ("GET", "/v1/sites/{site}/index")),
            "pages": (
                ("GET", "/v1/crawls/{crawl}/pages"),
                ("GET", "/v1/crawls/{crawl}/pages/{key}"),
                ("DELETE", "/v1/crawls/{crawl}/pages/{key}"),
                ("GET", "/v1/crawls/{crawl}/pages/{key}/content"),
                ("GET", "/v1/crawls/{crawl}/pages/{key}/response"),
            ),
            "urls": (
                ("GET", "/v1/crawls/{crawl}/urls"),
                ("GET", "/v1/crawls/{crawl}/suppressions"),
                ("GET", "/v1/crawls/{crawl}/urls/explain"),
            ),
            "analysis": (
                ("GET", "/v1/crawls/{crawl}/graph"),
                ("GET", "/v1/crawls/{crawl}/orphans"),
                ("GET", "/v1/crawls/{crawl}/issues"),
                ("GET", "/v1/crawls/{crawl}/duplicates"),
                ("GET", "/v1/crawls/{crawl}/statistics"),
                ("GET", "/v1/crawls/{crawl}/brand"),
                ("GET", "/v1/crawls/{crawl}/diff"),
                ("GET", "/v1/crawls/{crawl}/diff/texts"),
            ),
            "checks": (("GET", "/v1/crawls/{crawl}/checks"),),
            "media": (
                ("GET", "/v1/crawls/{crawl}/media"),
                ("GET", "/v1/crawls/{crawl}/media/{asset}/uses"),
                ("GET", "/v1/media/{asset}"),
                ("DELETE", "/v1/media/{asset}"),
            ),
            "sites": (("GET", "/v1/sites/{site}/brand"),),
            "url_lists": (("POST", "/v1/lists/{list}/check"),),
        },
    }
)
"""Routes by function, then by module of `api.routes`: method and path."""

ROUTES: Final[Mapping[str, tuple[tuple[str, str], ...]]] = MappingProxyType(
    {function: tuple(chain.from_iterable(modules.values())) for function, modules in _RESOURCES.items()}
)
"""Routes by function: method and path."""


def modules_of(path: str) -> set[str]:
    """Return the modules of `api.routes` that have a route for the path of a request."""
    given = path.split("/")
    return {
        name
        for modules in _RESOURCES.values()
        for name, routes in modules.items()
        if any(_matches(template, given) for _, template in routes)
    }


def _matches(template: str, given: Sequence[str]) -> bool:
    parts = template.split("/")
    return len(parts) == len(given) and all(
        part == one or (part.startswith("{") and bool(one)) for part, one in zip(parts, given, strict=True)
    )


DASHBOARD: Final = (("GET", "/"), ("GET", "/assets/{file}"))
"""Routes of the dashboard's files, in the function `api`. They are no operations of the API."""

CHECK_SITE: Final = (
    ("GET", "/robots.txt"),
    ("GET", "/sitemap.xml"),
    ("GET", "/check/{page+}"),
    ("POST", "/check/hook"),
)
"""Routes of the site that `wavecrawl doctor --crawl` crawls (`adapters.aws.check_site`), in the function `api`."""

PUBLIC: Final = (*DASHBOARD, *CHECK_SITE, ("GET", "/health"), ("GET", "/openapi.json"), ("GET", "/docs"))
"""Routes that need no API key, in the function `api`."""

REQUEST_HEADERS: Final = tuple(
    "authorization content-type idempotency-key if-match if-none-match last-event-id".split()
)
"""Headers that pages of other origins may send (CORS).

API Gateway responds to preflight requests in the cloud, `api.app` elsewhere:
https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-cors.html
"""

RESPONSE_HEADERS: Final = tuple(
    "etag idempotency-replayed location ratelimit ratelimit-policy retry-after x-request-id".split()
)
"""Headers that pages of other origins may read (CORS)."""

PREFLIGHT_SECONDS: Final = 3600
"""How long a browser may cache the response to a preflight request."""
