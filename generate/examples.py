"""A curl command for each operation, for docs/api.md. A test runs all of them in this order."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from generate.document import Described

VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "API": "URL of the API, such as `http://127.0.0.1:8787`",
        "API_KEY": "API key, such as the first key, which has role `admin`",
        "URL": "URL to crawl, such as `https://example.com/`",
        "HOOK": "URL that receives the messages of a webhook, such as `https://example.com/hooks`",
        "TENANT": "ID of a tenant",
        "TENANT_KEY_ID": "ID of an API key of that tenant",
        "KEY_ID": "ID of an API key (not its secret)",
        "SITE_ID": "ID of a site",
        "CRAWL": "ID of a crawl that has ended",
        "WEBHOOK": "ID of a webhook",
        "DELIVERY": "ID of a delivery to that webhook",
        "LIST": "ID of a list, whose file was sent to `upload.url`",
        "ASSET": "Hash of an asset that that crawl stored",
        "FILE": "Name of a result file of that crawl, such as `graph.json`",
        "BASE": "ID of an earlier crawl of the same site",
        "PAGE": "Key of a page of that crawl",
        "RUNNING": "ID of a running crawl",
        "STOPPED": "ID of a cancelled crawl",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """A request of an operation, in addition to its path."""

    body: str = ""  # JSON with shell variables
    query: str = ""
    headers: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)  # variables of path parameters, if not the usual ones
    kept: Mapping[str, str] = field(default_factory=dict)  # variables to set from the response: `keys.0.key`
    uploads: str = ""  # file to send to `upload.url` of the response, before the next example
    ends: str = ""  # variable of a crawl that must end before the next example


EXAMPLES: Final[Mapping[str, Example]] = MappingProxyType(
    {
        "get_health": Example(),
        "get_openapi": Example(),
        "get_docs": Example(),
        "get_controls": Example(),
        "update_controls": Example(body='{"denied_hosts": ["example.com"]}'),
        "create_tenant": Example(body='{"tenant": "acme", "name": "Acme", "plan": "pro"}', kept={"TENANT": "tenant"}),
        "list_tenants": Example(query="limit=10"),
        "get_tenant": Example(),
        "update_tenant": Example(body='{"plan": "advanced"}'),
        "get_tenant_settings": Example(),
        "update_tenant_settings": Example(body='{"include_media": false, "max_video_mb": 20}'),
        "create_tenant_key": Example(
            body='{"name": "first", "role": "tenant"}', kept={"TENANT_KEY": "secret", "TENANT_KEY_ID": "key"}
        ),
        "list_tenant_keys": Example(),
        "get_settings": Example(),
        "update_settings": Example(
            body='{"max_pages": 200, "schedule": {"frequency": "weekly"},'
            ' "settings": {"scope": {"exclude": ["/cart/*"]}, "max_depth": 10}}'
        ),
        "get_usage": Example(),
        "get_caller": Example(),
        "create_key": Example(body='{"name": "Dashboard", "role": "read"}', kept={"KEY_ID": "key"}),
        "list_keys": Example(),
        "rotate_key": Example(body='{"grace_seconds": 3600}'),
        "revoke_key": Example(),
        "create_site": Example(
            body='{"url": "$URL", "name": "My site", "settings": {"max_pages": 100, "revalidate": false,'
            ' "media": {"include": ["documents"]}},'
            ' "schedule": {"frequency": "cron", "cron": "30 4 * * 1-5", "timezone": "Europe/Berlin"}}',
            kept={"SITE_ID": "site"},
        ),
        "list_sites": Example(),
        "list_schedule_starts": Example(query="frequency=cron&cron=30+4+*+*+1-5&timezone=Europe/Berlin"),
        "get_site": Example(),
        "get_site_brand": Example(),
        "set_site_credentials": Example(
            body='{"headers": {"X-Staging-Key": "not-a-real-key"}, "cookies": {"session": "not-a-real-session"},'
            ' "basic_auth": {"username": "crawler", "password": "not-a-real-password"}}'
        ),
        "get_site_credentials": Example(),
        "update_site": Example(body='{"schedule": {"frequency": "weekly"}}', headers=("If-Match: *",)),
        "start_crawl": Example(
            body='{"url": "$URL", "settings": {"max_pages": 20, "polite": {"interval": 0.5}}}',
            headers=("Idempotency-Key: 8f14e45f-ceea-467f",),
            kept={"RUNNING": "crawl", "STOPPED": "crawl"},
        ),
        "cancel_crawl": Example(ids={"crawl": "RUNNING"}, ends="RUNNING"),
        "resume_crawl": Example(ids={"crawl": "STOPPED"}, ends="STOPPED"),
        "start_site_crawl": Example(kept={"CRAWL": "crawl"}, ends="CRAWL"),
        "list_site_crawls": Example(kept={"BASE": "crawls.1.crawl"}),
        "list_crawls": Example(query="limit=10"),
        "get_crawl": Example(),
        "get_crawl_progress": Example(),
        "list_exports": Example(kept={"FILE": "exports.0.name"}),
        "create_exports": Example(),
        "get_export": Example(),
        "list_pages": Example(query="state=fetched&limit=10", kept={"PAGE": "pages.0.key"}),
        "get_page": Example(),
        "list_urls": Example(query="state=skipped&limit=10"),
        "explain_url": Example(query="url=%2Fcontact"),
        "list_suppressions": Example(),
        "get_page_content": Example(),
        "get_page_response": Example(),
        "get_graph": Example(query="depth=2"),
        "list_orphans": Example(),
        "list_issues": Example(query="kind=broken_link"),
        "list_duplicates": Example(query="kind=near"),
        "get_statistics": Example(),
        "list_checks": Example(query="kind=link&broken=true"),
        "list_media": Example(query="kind=document&limit=10", kept={"ASSET": "media.0.hash"}),
        "list_media_uses": Example(),
        "get_asset": Example(),
        "get_crawl_brand": Example(),
        "compare_crawls": Example(query="base=$BASE&kind=changed"),
        "list_text_changes": Example(query="base=$BASE"),
        "stream_events": Example(query="last_event_id=0"),
        "create_webhook": Example(
            body='{"url": "$HOOK", "events": ["crawl.completed", "crawl.failed"]}', kept={"WEBHOOK": "webhook"}
        ),
        "list_webhooks": Example(),
        "get_webhook": Example(),
        "update_webhook": Example(body='{"description": "Main site"}'),
        "rotate_webhook_secret": Example(body='{"grace_hours": 24}'),
        "test_webhook": Example(kept={"DELIVERY": "delivery"}),
        "list_deliveries": Example(query="limit=10"),
        "get_delivery": Example(),
        "redeliver": Example(),
        "delete_webhook": Example(),
        "create_list": Example(
            body='{"bytes": 44, "name": "Products"}',
            kept={"LIST": "list"},
            uploads="https://example.com/1\nhttps://example.com/2\n",
        ),
        "list_lists": Example(),
        "get_list": Example(),
        "check_list": Example(),
        "delete_list": Example(),
        "delete_asset": Example(query="force=true"),
        "get_search_index": Example(),
        "search_site": Example(query="q=how+to+order&limit=5"),
        "delete_page": Example(),
        "delete_crawl": Example(),
        "delete_site_credentials": Example(),
        "delete_site": Example(),
        "revoke_tenant_key": Example(),
    }
)
"""By operation ID."""


def curl_of(one: Described) -> str:
    """Return the curl command of an operation."""
    example = EXAMPLES[one.id]
    query = f"?{example.query}" if example.query else ""
    method = "" if one.method == "GET" or (one.method == "POST" and example.body) else f" -X {one.method}"
    lines = [f'curl{method} "$API{path_of(one)}{query}"']
    if one.role:
        lines.append('-H "Authorization: Bearer $API_KEY"')
    lines += [f'-H "{header}"' for header in example.headers]
    if not example.body:
        return " \\\n  ".join(lines)
    lines.append('-H "Content-Type: application/json" -d @- <<END')
    return " \\\n  ".join(lines) + f"\n{example.body}\nEND"


def path_of(one: Described) -> str:
    """Return the path of an operation with variables for its parameters."""
    ids = EXAMPLES[one.id].ids
    return re.sub(
        r"/(\w+)/\{(\w+)\}",
        lambda found: f"/{found[1]}/${ids.get(found[2]) or variable_of(one.path, found[1])}",
        one.path,
    )


def variable_of(path: str, collection: str) -> str:
    """Return the variable of an id after the path segment `collection`."""
    if collection == "keys":
        return "TENANT_KEY_ID" if path.startswith("/v1/admin/") else "KEY_ID"
    return _VARIABLES_OF[collection]


_VARIABLES_OF: Final = {
    "crawls": "CRAWL",
    "exports": "FILE",
    "lists": "LIST",
    "media": "ASSET",
    "pages": "PAGE",
    "sites": "SITE_ID",
    "tenants": "TENANT",
    "webhooks": "WEBHOOK",
    "deliveries": "DELIVERY",
}
