"""The deployed API: two tenants that cannot see each other's data, and generated requests."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import requests
from generate.document import operations_of, served_document
from tests.support.campaign import examples
from tests.support.cloud import API_KEY, Service
from tests.support.fuzzing import fuzz
from tests.support.patience import HANG, eventually
from tests.support.two_tenants import TwoTenants, ids_in, named, site_with_document, two_tenants

from wavecrawl.demo.server import SiteServer

OWN = [one for one in operations_of(served_document()) if one.role in {"read", "tenant"}]
STARTS_OR_SENDS = ("start_crawl", "start_site_crawl", "test_webhook", "redeliver")
"""Operations that would send requests to generated URLs. tests/e2e/local/test_api_fuzz.py covers them."""
LATER = ("search_site",)
"""Operations that work only some time after a crawl: its texts are indexed after its end."""
EMULATORS_OWN = ("get_health",)
"""Operations whose path the emulator itself responds to, for every host."""


@pytest.fixture(name="tenants", scope="module")
def both(service: Service) -> Iterator[TwoTenants]:
    with ExitStack() as opened:
        mine, others = (opened.enter_context(SiteServer(site_with_document(number))).url for number in range(2))
        api = service.deployment.endpoint
        both = two_tenants(service.request, API_KEY, mine=[mine], others=others, api=api, but=LATER)
        assert eventually(lambda: {story.ask(one).status_code for story in both.stories for one in LATER} == {200})
        yield both


@pytest.fixture(scope="module")
def stranger(tenants: TwoTenants) -> str:
    """A key of a third tenant."""
    headers = {"authorization": f"Bearer {API_KEY}"}
    send = tenants.mine.send
    assert send("POST", "/v1/admin/tenants", json={"tenant": "stranger"}, headers=headers).status_code == 201
    made = send("POST", "/v1/admin/tenants/stranger/keys", json={"name": "first"}, headers=headers)
    return str(made.json()["secret"])


@pytest.mark.parametrize("operation", [one.id for one in OWN if ids_in(one.path)])
def test_what_is_mine_is_not_there_for_another_tenant_of_the_stack(
    tenants: TwoTenants, stranger: str, operation: str
) -> None:
    assert named(tenants.mine.ask(operation, key=stranger)) == (404, "Not Found")


@pytest.mark.parametrize("operation", [one.id for one in OWN if ids_in(one.path) and one.method == "GET"])
def test_what_is_mine_is_there_for_me_in_the_stack(tenants: TwoTenants, operation: str) -> None:
    """Check that the resources of the test above exist."""
    assert tenants.mine.ask(operation).status_code in {200, 204}


def test_a_download_names_an_object_of_its_tenant_alone_and_ends(tenants: TwoTenants) -> None:
    files = tenants.mine.ask("list_exports").json()["exports"]
    assert files
    for file in files:
        url = urlsplit(file["url"])
        assert f"/{tenants.mine.variables['TENANT']}/" in unquote(url.path)
        assert tenants.mine.variables["CRAWL"] in unquote(url.path)
        assert int(parse_qs(url.query)["X-Amz-Expires"][0]) <= 3_600
        assert requests.get(file["url"], timeout=HANG).status_code == 200


def test_whatever_the_stack_is_asked_its_answer_is_a_documented_one(
    tenants: TwoTenants, service: Service, tmp_path: Path
) -> None:
    """Requests use the other tenant's key, because ids found in responses are deleted too."""
    assert {*STARTS_OR_SENDS, *EMULATORS_OWN} <= {one.id for one in operations_of(served_document())}
    excluded = [option for name in (*STARTS_OR_SENDS, *EMULATORS_OWN) for option in ("--exclude-operation-id", name)]
    code, report = fuzz(
        service.deployment.endpoint,
        tenants.others.variables["API_KEY"],
        tenants.others.variables,
        tmp_path,
        examples=examples(5, long=50),
        phases="fuzzing",
        options=["--header", f"Host: {service.host}", *excluded],
    )
    assert code == 0, report
