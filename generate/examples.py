"""One curl command for each operation, for docs/api.md. A test runs every one of them, in the order given here.

The shell variables are those that `VARIABLES` explains; `KEPT` says which of them an answer gives.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from generate.document import Described

VARIABLES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "API": "where the API is, such as `http://127.0.0.1:8787`",
        "KEY": "an API key",
        "URL": "the site to crawl",
        "CRAWL": "the id of a crawl",
        "KEY_ID": "the id of a key",
        "ADMIN_KEY": "an API key of role `admin`",
        "TENANT": "the id of a tenant",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """How an operation is asked, beside what its path says."""

    body: str = ""  # JSON, in which the shell replaces variables
    query: str = ""
    kept: Mapping[str, str] = field(
        default_factory=dict
    )  # variable, then the place in the answer, such as `exports.0.url`
    headers: tuple[str, ...] = ()


EXAMPLES: Final[Mapping[str, Example]] = MappingProxyType(
    {
        "health": Example(),
        "openapi": Example(),
        "docs": Example(),
        "start_crawl": Example(body='{"url": "$URL", "settings": {"max_pages": 100}}', kept={"CRAWL": "crawl"}),
        "list_crawls": Example(query="limit=10"),
        "read_crawl": Example(),
        "list_exports": Example(),
        "cancel_crawl": Example(),
        "read_settings": Example(),
        "change_settings": Example(body='{"max_pages": 200, "schedule": {"frequency": "weekly"}}'),
        "read_usage": Example(),
        "make_key": Example(body='{"name": "report", "role": "read"}', kept={"KEY_ID": "key"}),
        "list_keys": Example(),
        "rotate_a_key": Example(body='{"grace_seconds": 3600}'),
        "revoke_a_key": Example(),
        "make_tenant": Example(body='{"tenant": "acme", "plan": "starter"}', kept={"TENANT": "tenant"}),
        "list_tenants": Example(query="limit=10"),
        "read_tenant": Example(),
        "change_a_tenant": Example(body='{"plan": "pro"}'),
        "make_key_of_tenant": Example(body='{"name": "first"}', kept={"KEY_ID": "key"}),
        "list_keys_of_tenant": Example(),
        "revoke_key_of_tenant": Example(),
    }
)
"""By operation id."""

_PATH_VARIABLES: Final = {"crawl": "CRAWL", "site": "SITE", "key": "KEY_ID", "tenant": "TENANT"}


def curl_of(one: Described) -> str:
    """Return the command that asks for an operation."""
    example = EXAMPLES[one.id]
    path = one.path
    for parameter in one.named("path"):
        path = path.replace(f"{{{parameter['name']}}}", f"${_PATH_VARIABLES[parameter['name']]}")
    query = f"?{example.query}" if example.query else ""
    method = "" if one.method == "GET" or (one.method == "POST" and example.body) else f" -X {one.method}"
    lines = [f'curl{method} "$API{path}{query}"']
    if one.role:
        lines.append(f'-H "Authorization: Bearer ${"ADMIN_KEY" if one.role == "admin" else "KEY"}"')
    lines += [f'-H "{header}"' for header in example.headers]
    if not example.body:
        return " \\\n  ".join(lines)
    lines.append('-H "Content-Type: application/json" -d @- <<END')
    return " \\\n  ".join(lines) + f"\n{example.body}\nEND"
