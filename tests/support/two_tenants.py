"""Two tenants that have each used every operation, to check that neither sees the other's data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

import requests
from generate.document import Described
from generate.examples import EXAMPLES
from msgspec.structs import replace
from tests.support.examples import Send, Story, variables_of
from tests.support.plain_site import plain_site

from wavecrawl.demo.model import Link, Page, Site

_OPERATORS = ("create_tenant", "create_tenant_key")


def site_with_document(number: int) -> Site:
    """Return a site with a document of its own."""
    root, *others = plain_site(pages=5).pages
    path = "/sheet.pdf"
    document = Page(path=path, content_type="application/pdf", body=b"%%PDF-1.4\n%d" % number, header_charset="")
    root = replace(root, links=(*root.links, Link(to=path, text="A sheet")))
    return Site(pages=(root, *others, document), name="Plain")


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoTenants:
    """The ids of both tenants, by the variables of docs/api.md."""

    mine: Story
    others: Story
    reader: str  # a key of the first tenant that may only read

    @property
    def operations(self) -> Mapping[str, Described]:
        """Every operation by its id."""
        return self.mine.operations

    @property
    def stories(self) -> tuple[Story, Story]:
        """Both tenants."""
        return self.mine, self.others

    def ask_as_other(self, operation: str) -> requests.Response:
        """Send an operation for the first tenant's resources with the other tenant's key."""
        return self.mine.ask(operation, key=self.others.variables["API_KEY"])

    def ask_as_other_under_its_own(self, operation: str) -> requests.Response:
        """Send an operation with the other tenant's key. Only the last id in the path belongs to the first tenant."""
        last = self.mine.names_in_path(operation)[-1]
        mixed = self.others.variables | {last: self.mine.variables[last]}
        return replace(self.others, variables=mixed).ask(operation)

    def page(self, story: Story, operation: str, **query: str) -> requests.Response:
        """Return a page of a tenant's list."""
        one = self.operations[operation]
        asked = dict(parse_qsl(story.filled(EXAMPLES[operation].query))) | query
        headers = {"authorization": f"Bearer {story.variables['API_KEY']}"}
        return story.send(one.method, story.path(operation), headers=headers, params=asked)


def two_tenants(
    send: Send, admin_key: str, *, mine: Sequence[str], others: str, api: str, but: Sequence[str] = ()
) -> TwoTenants:
    """Let two tenants use all operations except `but`. Each crawls its own sites, whose URLs are given."""
    first = Story(send=send, variables={"API": api, "API_KEY": admin_key, **variables_of(mine[0])})
    for operation in _OPERATORS:
        first.go_on(operation)
    second = replace(first, variables=first.variables | variables_of(others) | {"TENANT": "other"})
    admin = {"authorization": f"Bearer {admin_key}"}
    made = send("POST", "/v1/admin/tenants", json={"tenant": "other", "plan": "pro"}, headers=admin)
    assert made.status_code == 201, made.text
    second.go_on("create_tenant_key")
    for story, url in (*((first, url) for url in mine), (second, others)):
        story.variables |= variables_of(url)
        story.variables["API_KEY"] = story.variables["TENANT_KEY"]
        story.use_everything(but=(*_OPERATORS, *but))
    return TwoTenants(mine=first, others=second, reader=_reader(first))


def ids_in(path: str) -> int:
    """Return the number of ids in a path. Each crawl has files of the same names, so their names are no ids."""
    return path.count("{") - path.count("{file}")


def named(answer: requests.Response) -> Any:
    """Return status and title of a response that is a problem (RFC 9457)."""
    assert answer.headers["content-type"] == "application/problem+json", answer.text
    return answer.status_code, answer.json()["title"]


def _reader(story: Story) -> str:
    body = {"name": "reader", "role": "read"}
    headers = {"authorization": f"Bearer {story.variables['API_KEY']}"}
    return str(story.send("POST", "/v1/keys", json=body, headers=headers).json()["secret"])
