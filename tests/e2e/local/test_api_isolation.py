"""One tenant sees nothing of another in any route of `wavecrawl serve`, including crawls."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import requests
from generate.document import Described, operations_of, served_document
from tests.support.patience import HANG
from tests.support.serving import served
from tests.support.two_tenants import TwoTenants, ids_in, named, site_with_document, two_tenants

from wavecrawl.demo.server import SiteServer

EVERY = operations_of(served_document())
OWN = [one for one in EVERY if one.role in {"read", "tenant"}]
LISTS = [one for one in OWN if any(query["name"] == "cursor" for query in one.named("query"))]


def ids(operations: list[Described]) -> list[str]:
    return [one.id for one in operations]


@pytest.fixture(name="tenants", scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TwoTenants]:
    folder = tmp_path_factory.mktemp("serve")
    with ExitStack() as opened:
        sites = [opened.enter_context(SiteServer(site_with_document(number))).url for number in range(3)]
        service = opened.enter_context(served(folder))

        def send(method: str, path: str, **more: object) -> requests.Response:
            return requests.request(method, service.url + path, timeout=HANG, **more)  # type: ignore[arg-type]

        yield two_tenants(send, service.key, mine=sites[:2], others=sites[2], api=service.url)


@pytest.mark.parametrize("operation", ids([one for one in OWN if ids_in(one.path)]))
def test_what_is_mine_is_not_there_for_another(tenants: TwoTenants, operation: str) -> None:
    assert named(tenants.ask_as_other(operation)) == (404, "Not Found")


@pytest.mark.parametrize("operation", ids([one for one in OWN if ids_in(one.path) > 1]))
def test_what_is_mine_is_not_found_below_what_is_anothers(tenants: TwoTenants, operation: str) -> None:
    assert named(tenants.ask_as_other_under_its_own(operation)) == (404, "Not Found")


@pytest.mark.parametrize("operation", ids([one for one in OWN if ids_in(one.path) and one.method == "GET"]))
def test_it_is_there_for_me(tenants: TwoTenants, operation: str) -> None:
    """Check that the resources of the tests above exist."""
    assert tenants.mine.ask(operation).status_code in {200, 204, 302}


@pytest.mark.parametrize("operation", ids([one for one in OWN if not ids_in(one.path) and one.method == "GET"]))
def test_what_another_is_shown_names_nothing_of_mine(tenants: TwoTenants, operation: str) -> None:
    answer = tenants.ask_as_other(operation)
    assert answer.status_code == 200
    mine, others = tenants.mine.variables, tenants.others.variables
    secrets = {value for name, value in mine.items() if others.get(name) != value and name != "API"}
    assert not {value for value in secrets if value in answer.text}


@pytest.mark.parametrize("operation", ids([one for one in LISTS if not ids_in(one.path)]))
def test_a_stolen_cursor_opens_nothing(tenants: TwoTenants, operation: str) -> None:
    cursor = tenants.page(tenants.mine, operation, limit="1").json()["next_cursor"]
    assert cursor, "the list has too few entries for a second page: let the examples create more"
    assert tenants.page(tenants.mine, operation, limit="1", cursor=cursor).status_code == 200
    stolen = tenants.page(tenants.others, operation, limit="1", cursor=cursor)
    assert named(stolen) == (400, "Bad Request")
    assert stolen.json()["detail"].startswith("cursor: ")


@pytest.mark.parametrize("operation", ids(LISTS))
def test_a_cursor_opens_no_list_but_its_own(tenants: TwoTenants, operation: str) -> None:
    of = "list_crawls" if operation == "list_keys" else "list_keys"
    cursor = tenants.page(tenants.mine, of, limit="1").json()["next_cursor"]
    answer = tenants.page(tenants.mine, operation, cursor=cursor)
    assert named(answer) == (400, "Bad Request")
    assert answer.json()["detail"].startswith("cursor: ")


@pytest.mark.parametrize("operation", ids([one for one in EVERY if one.role == "admin"]))
@pytest.mark.parametrize("which", ["tenant", "read"])
def test_what_is_the_operators_takes_the_operators_key(tenants: TwoTenants, operation: str, which: str) -> None:
    key = tenants.reader if which == "read" else tenants.mine.variables["API_KEY"]
    assert named(tenants.mine.ask(operation, key=key)) == (403, "Forbidden")


def test_the_answer_to_my_repeated_request_is_not_given_to_another(tenants: TwoTenants) -> None:
    def asked(key: str) -> requests.Response:
        headers = {"authorization": f"Bearer {key}", "idempotency-key": "one and the same"}
        return tenants.mine.send("POST", "/v1/crawls", headers=headers, json={"url": "http://127.0.0.1:9/"})

    first, again = asked(tenants.mine.variables["API_KEY"]), asked(tenants.mine.variables["API_KEY"])
    assert (again.headers["idempotency-replayed"], again.json()) == ("true", first.json())
    other = asked(tenants.others.variables["API_KEY"])
    assert (other.status_code, "idempotency-replayed" in other.headers) == (202, False)
    assert other.json()["crawl"] != first.json()["crawl"]
