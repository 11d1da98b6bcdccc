"""One curl command for each operation, for docs/api.md. A test runs every one of them, in the order given here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from generate.document import Described

VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "API": "where the API is, such as `http://127.0.0.1:8787`",
        "ADMIN_KEY": "an API key of role `admin`: the operator's",
        "KEY": "an API key of role `tenant`",
        "URL": "a site to crawl, such as `https://example.com/`",
        "TENANT": "the id of a tenant",
        "TENANT_KEY_ID": "the id of a key of that tenant",
        "KEY_ID": "the id of an API key, which is no secret",
        "SITE": "the id of a saved site",
        "CRAWL": "the id of a crawl that has ended",
        "WEBHOOK": "the id of a webhook",
        "DELIVERY": "the id of one of its deliveries",
        "BASE": "the id of an earlier crawl of the same site",
        "PAGE": "the key of a page of that crawl",
        "RUNNING": "the id of a crawl that has not",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """How an operation is asked, beside what its path says."""

    body: str = ""  # JSON, in which the shell replaces variables
    query: str = ""
    headers: tuple[str, ...] = ()
    ids: Mapping[str, str] = field(default_factory=dict)  # parameter of the path, then another variable than its own
    kept: Mapping[str, str] = field(
        default_factory=dict
    )  # variable, then its place in the answer, such as `keys.0.key`
    ends: str = ""  # the variable that holds a crawl which has to end before the next example


EXAMPLES: Final[Mapping[str, Example]] = MappingProxyType(
    {
        "health": Example(),
        "openapi": Example(),
        "docs": Example(),
        "make_tenant": Example(body='{"tenant": "acme", "name": "Acme", "plan": "pro"}', kept={"TENANT": "tenant"}),
        "list_tenants": Example(query="limit=10"),
        "read_tenant": Example(),
        "change_a_tenant": Example(body='{"plan": "advanced"}'),
        "make_key_of_tenant": Example(
            body='{"name": "first", "role": "tenant"}', kept={"KEY": "secret", "TENANT_KEY_ID": "key"}
        ),
        "list_keys_of_tenant": Example(),
        "read_settings": Example(),
        "change_settings": Example(body='{"max_pages": 200, "schedule": {"frequency": "weekly"}}'),
        "read_usage": Example(),
        "make_key": Example(body='{"name": "a dashboard", "role": "read"}', kept={"KEY_ID": "key"}),
        "list_keys": Example(),
        "rotate_a_key": Example(body='{"grace_seconds": 3600}'),
        "revoke_a_key": Example(),
        "save_site": Example(
            body='{"url": "$URL", "name": "My site", "settings": {"max_pages": 100, "revalidate": false},'
            ' "schedule": {"frequency": "cron", "cron": "30 4 * * 1-5", "timezone": "Europe/Berlin"}}',
            kept={"SITE": "site"},
        ),
        "list_sites": Example(),
        "read_site": Example(),
        "update_site": Example(body='{"schedule": {"frequency": "weekly"}}', headers=("If-Match: *",)),
        "start_crawl": Example(
            body='{"url": "$URL", "settings": {"max_pages": 50, "polite": {"interval": 0.5}}}',
            headers=("Idempotency-Key: 8f14e45f-ceea-467f",),
            kept={"RUNNING": "crawl"},
        ),
        "cancel_crawl": Example(ids={"crawl": "RUNNING"}, ends="RUNNING"),
        "crawl_site": Example(kept={"CRAWL": "crawl"}, ends="CRAWL"),
        "list_site_crawls": Example(kept={"BASE": "crawls.1.crawl"}),
        "list_crawls": Example(query="limit=10"),
        "read_crawl": Example(),
        "read_crawl_summary": Example(),
        "list_exports": Example(),
        "list_pages": Example(query="state=fetched&limit=10", kept={"PAGE": "pages.0.key"}),
        "read_page": Example(),
        "read_content": Example(),
        "read_graph": Example(query="depth=2"),
        "list_orphans": Example(),
        "list_issues": Example(query="kind=broken_link"),
        "read_statistics": Example(),
        "compare_crawls": Example(query="base=$BASE&kind=changed"),
        "follow_events": Example(query="last_event_id=0"),
        "add_webhook": Example(
            body='{"url": "${URL}hooks", "events": ["crawl.completed", "crawl.failed"]}', kept={"WEBHOOK": "webhook"}
        ),
        "list_webhooks": Example(),
        "read_webhook": Example(),
        "update_webhook": Example(body='{"description": "the shop"}'),
        "rotate_webhook_secret": Example(body='{"grace_hours": 24}'),
        "test_webhook": Example(kept={"DELIVERY": "delivery"}),
        "list_deliveries": Example(query="limit=10"),
        "read_delivery": Example(),
        "redeliver": Example(),
        "delete_webhook": Example(),
        "delete_page": Example(),
        "delete_crawl": Example(),
        "remove_site": Example(),
        "revoke_key_of_tenant": Example(),
    }
)
"""By operation id."""


def curl_of(one: Described) -> str:
    """Return the command that asks for an operation."""
    example = EXAMPLES[one.id]
    query = f"?{example.query}" if example.query else ""
    method = "" if one.method == "GET" or (one.method == "POST" and example.body) else f" -X {one.method}"
    lines = [f'curl{method} "$API{path_of(one)}{query}"']
    if one.role:
        lines.append(f'-H "Authorization: Bearer ${key_of(one)}"')
    lines += [f'-H "{header}"' for header in example.headers]
    if not example.body:
        return " \\\n  ".join(lines)
    lines.append('-H "Content-Type: application/json" -d @- <<END')
    return " \\\n  ".join(lines) + f"\n{example.body}\nEND"


def key_of(one: Described) -> str:
    """Return the variable of the key that an operation is asked with."""
    return "ADMIN_KEY" if one.role == "admin" else "KEY"


def path_of(one: Described) -> str:
    """Return an operation's path, with a variable in place of each parameter."""
    ids = EXAMPLES[one.id].ids
    return re.sub(
        r"/(\w+)/\{(\w+)\}",
        lambda found: f"/{found[1]}/${ids.get(found[2]) or variable_of(one.path, found[1])}",
        one.path,
    )


def variable_of(path: str, collection: str) -> str:
    """Return the variable of an id, which the segment before it names."""
    if collection == "keys":
        return "TENANT_KEY_ID" if path.startswith("/v1/admin/") else "KEY_ID"
    return _VARIABLES_OF[collection]


_VARIABLES_OF: Final = {
    "crawls": "CRAWL",
    "pages": "PAGE",
    "sites": "SITE",
    "tenants": "TENANT",
    "webhooks": "WEBHOOK",
    "deliveries": "DELIVERY",
}
