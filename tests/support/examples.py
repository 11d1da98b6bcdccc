"""The examples of docs/api.md, sent one after the other: a service whose every operation was used."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from string import Template
from typing import Any

import msgspec
import requests
from generate.document import Described, operations_of
from generate.examples import EXAMPLES, Example, path_of
from tests.support.patience import HANG, eventually

Send = Callable[..., requests.Response]
"""A function of method, path and further arguments of `requests.request`."""


def variables_of(site: str) -> dict[str, str]:
    """Return the variables of a site with this URL, which also receives the messages of webhooks."""
    return {"URL": site, "HOOK": f"{site}hooks"}


class Story(msgspec.Struct, kw_only=True):
    """A client that sends the examples and keeps the values that later examples need."""

    send: Send
    variables: dict[str, str]  # named as in docs/api.md
    operations: Mapping[str, Described] = msgspec.field(default_factory=dict)  # by id

    def __post_init__(self) -> None:
        if self.operations:
            return
        document = self.send("GET", "/openapi.json").json()
        self.operations = {one.id: one for one in operations_of(document)}

    def ask(self, operation: str, *, key: str = "") -> requests.Response:
        """Send an operation's example, with another key if one is given."""
        one, example = self.operations[operation], EXAMPLES[operation]
        headers = dict(header.split(": ", 1) for header in example.headers)
        headers.pop("Idempotency-Key", None)  # the same story may run twice
        if one.role:
            headers["authorization"] = f"Bearer {key or self.variables['API_KEY']}"
        if example.body:
            headers["content-type"] = "application/json"
        query = f"?{self.filled(example.query)}" if example.query else ""
        body = self.filled(example.body).encode() if example.body else None
        return self.send(one.method, self.path(operation) + query, headers=headers, data=body)

    def path(self, operation: str) -> str:
        """Return the path of an operation's example."""
        return self.filled(path_of(self.operations[operation]))

    def names_in_path(self, operation: str) -> list[str]:
        """Return the names of the variables in the path of an operation's example."""
        return re.findall(r"\$(\w+)", path_of(self.operations[operation]))

    def go_on(self, operation: str) -> requests.Response:
        """Send an operation that must succeed, and keep the values that later examples need."""
        answer = self.ask(operation)
        assert answer.ok, f"{operation}: {answer.status_code} {answer.text}"
        self.take(EXAMPLES[operation], answer.text)
        return answer

    def use_everything(self, *, but: Collection[str] = ()) -> None:
        """Send every operation that creates something, except the crawl that is made to be cancelled, which is slow.

        Each site is crawled twice, so that two crawls can be compared.
        """
        for operation, example in EXAMPLES.items():
            if example.kept and "RUNNING" not in example.kept and operation not in but:
                self.go_on(operation)
                if operation == "start_site_crawl":
                    self.go_on(operation)
        self.variables["RUNNING"] = self.variables["STOPPED"] = self.variables["CRAWL"]

    def take(self, example: Example, text: str) -> None:
        """Keep the values of a response that later examples need. Upload files and wait for crawls they depend on."""
        if example.uploads:
            stored = requests.put(json.loads(text)["upload"]["url"], data=example.uploads.encode(), timeout=HANG)
            assert stored.ok, f"{stored.status_code} {stored.text}"
        for variable, place in example.kept.items():
            self.variables[variable] = str(at(json.loads(text), place))
        if example.ends:
            self.wait_for(self.variables[example.ends])

    def wait_for(self, crawl: str) -> dict[str, Any]:
        """Return a crawl once it has ended."""
        headers = {"authorization": f"Bearer {self.variables['API_KEY']}"}

        def shown() -> Any:
            return self.send("GET", f"/v1/crawls/{crawl}", headers=headers).json()

        assert eventually(lambda: shown()["status"] not in ("queued", "running"), poll=0.5), (
            f"crawl {crawl} has not ended: {shown()}"
        )
        found: dict[str, Any] = shown()
        return found

    def filled(self, text: str) -> str:
        """Return a text with its variables replaced."""
        return Template(text).substitute(self.variables)


def at(value: Any, place: str) -> Any:
    """Return the value at a path such as `keys.0.key`."""
    for step in place.split("."):
        value = value[int(step)] if step.isdigit() else value[step]
    return value
