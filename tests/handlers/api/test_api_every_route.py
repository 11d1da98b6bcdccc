"""Rules that every route of the API follows."""

import base64
import re
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.asking import ask, request
from tests.support.functions import Context, Deployment
from tests.support.still_clock import StillClock

from wavecrawl.api.app import RESOURCES, Api
from wavecrawl.api.http_api import ROUTES, modules_of
from wavecrawl.application.api_keys import create_key
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.tenants import TenantRow

EVERY = [route for routes in ROUTES.values() for route in routes]
OPEN = {"/health", "/openapi.json", "/docs"}


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    return stack.load("api")


def key_of(function: ModuleType, role: Role, tenant: str = "acme") -> str:
    cloud = function.cloud
    cloud.tenants.create(TenantRow(tenant=tenant, name=tenant, plan=Plan.PRO))
    return create_key(tenant, role=role, name="tests", keys=cloud.keys, now=cloud.clock.now()).secret


def filled(path: str) -> str:
    return path.replace("{crawl}", "20261121-100000-aaaaaaaa").replace("{", "").replace("}", "")


def test_the_list_of_routes_is_what_the_resolver_has(function: ModuleType) -> None:
    assert {(one.method, one.path) for one in function.api.operations} == set(EVERY)
    assert len(EVERY) == len(set(EVERY))


def test_each_route_is_in_the_module_that_its_requests_load(function: ModuleType) -> None:
    made = [(name, one) for name, make in RESOURCES.items() for one in make(function.cloud).operations]
    assert len(made) == len(EVERY)
    assert [(name, modules_of(filled(one.path))) for name, one in made] == [(name, {name}) for name, _ in made]


@pytest.mark.parametrize("path", ["/", "/v1", "/v1/crawls/", "/v1/crawls/c/pages/k/other", "/v2/crawls", ""])
def test_the_path_of_no_route_loads_nothing(path: str) -> None:
    assert modules_of(path) == set()


def test_at_most_one_route_with_parameters_has_the_path_of_a_request(function: ModuleType) -> None:
    """Else the order in which resources are loaded could decide which of them responds."""
    routes = function.api.operations
    assert routes
    for one in routes:
        same = [other for other in routes if other.method == one.method and overlap(one.path, other.path)]
        assert [other for other in same if "{" in other.path] == ([one] if "{" in one.path else [])


def overlap(one: str, other: str) -> bool:
    """Return whether two paths with parameters can be the path of one request."""
    parts, others = one.split("/"), other.split("/")
    pairs = zip(parts, others, strict=False)
    return len(parts) == len(others) and all(a == b or "{" in a + b for a, b in pairs)


def test_the_document_does_not_depend_on_the_requests_before(stack: Deployment) -> None:
    untouched, used = stack.load("api"), stack.load("api")
    for path in ("/v1/webhooks", "/v1/sites/s/search", "/health"):
        ask(used.handler, "GET", path)
    bodies = [ask(one.handler, "GET", "/openapi.json").text for one in (untouched, used)]
    assert bodies[0] == bodies[1]


def test_only_the_description_is_open(function: ModuleType) -> None:
    assert {one.path for one in function.api.operations if one.needs is None} == OPEN


def test_every_status_that_a_description_names_is_documented(function: ModuleType) -> None:
    paths = ask(function.handler, "GET", "/openapi.json").body["paths"]
    assert paths
    for operations in paths.values():
        for operation in operations.values():
            named = set(re.findall(r"\b[45]\d\d\b", operation["description"]))
            assert named <= operation["responses"].keys(), operation["operationId"]


@pytest.mark.parametrize(("method", "path"), [route for route in EVERY if route[1] not in OPEN])
def test_without_a_key_no_route_says_anything(function: ModuleType, method: str, path: str) -> None:
    answered = ask(function.handler, method, filled(path), "no JSON", key="wck_000000000000_" + "A" * 43)
    assert (answered.status, answered.body["title"]) == (401, "Unauthorized")
    assert "ratelimit" not in answered.headers


@pytest.mark.parametrize(("method", "path"), [route for route in EVERY if route[0] != "GET"])
def test_a_key_that_may_only_read_changes_nothing(function: ModuleType, method: str, path: str) -> None:
    answered = ask(function.handler, method, filled(path), "no JSON", key=key_of(function, Role.READ))
    assert answered.status == 403
    assert answered.body["detail"].endswith("the API key has role read")


@pytest.mark.parametrize(("method", "path"), [route for route in EVERY if route[1] not in OPEN])
def test_a_parameter_that_a_route_does_not_know_is_refused(function: ModuleType, method: str, path: str) -> None:
    answered = ask(function.handler, method, filled(path), query={"limti": "5"})
    assert (answered.status, answered.body["errors"]) == (400, ["limti: unknown parameter"])


@pytest.mark.parametrize(("path", "most"), [("pages", 1_000), ("urls", 1_000), ("issues", 100)])
def test_a_response_has_a_largest_number_of_items(function: ModuleType, path: str, most: int) -> None:
    url = f"/v1/crawls/20261121-100000-aaaaaaaa/{path}"
    statuses = [ask(function.handler, "GET", url, query={"limit": str(limit)}).status for limit in (most, most + 1)]
    assert statuses == [404, 400]


@pytest.mark.parametrize("id_", ["\udcff", "\u0903", "\r", "%00"])
def test_an_id_that_none_can_be_is_not_there(function: ModuleType, id_: str) -> None:
    answered = ask(function.handler, "GET", f"/v1/crawls/{id_}")
    assert (answered.status, answered.headers["content-type"]) == (404, "application/problem+json")


def document(function: ModuleType) -> dict[str, Any]:
    found: dict[str, Any] = ask(function.handler, "GET", "/openapi.json").body
    return found


def test_the_document_describes_every_route_and_each_of_its_problems(function: ModuleType) -> None:
    described = document(function)
    assert described["openapi"].startswith("3.1")
    routes = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert routes == set(EVERY)
    for method, path in EVERY:
        operation = described["paths"][path][method.lower()]
        wanted = {"500", "503"} if path in OPEN else {"400", "401", "403", "429", "500", "503"}
        assert wanted <= set(operation["responses"])
        assert (operation.get("security") == []) == (path in OPEN)
        assert operation["summary"]
        assert operation["description"]


def test_each_parameter_that_is_described_is_known(function: ModuleType) -> None:
    described = document(function)["paths"]
    assert function.api.operations
    for operation in function.api.operations:
        parameters = described[operation.path][operation.method.lower()].get("parameters", [])
        assert {one["name"] for one in parameters if one["in"] == "query"} == operation.query


def test_the_document_refers_to_nothing_that_is_not_there(function: ModuleType) -> None:
    described = document(function)
    references = set(_references(described))
    assert references
    for reference in references:
        place = described
        for part in reference.removeprefix("#/").split("/"):
            place = place[part]


def _references(value: Any) -> list[str]:
    if isinstance(value, dict):
        found = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return found + [one for inner in value.values() for one in _references(inner)]
    return [one for inner in value for one in _references(inner)] if isinstance(value, list) else []


def test_the_document_bears_the_bounds_of_settings_and_none_of_the_operators(function: ModuleType) -> None:
    schemas = document(function)["components"]["schemas"]
    settings = schemas["CrawlSettings"]["properties"]
    assert (settings["max_pages"]["minimum"], settings["max_pages"]["maximum"]) == (1, 100_000_000)
    assert schemas["FetchLimits"]["properties"]["timeout"]["maximum"] == 30
    assert not {"allowed_addresses", "contact", "robots_product", "waves"} & set(settings)
    assert schemas["CrawlSettings"]["additionalProperties"] is False


def test_the_page_to_read_loads_nothing_and_runs_nothing(function: ModuleType) -> None:
    answered = ask(function.handler, "GET", "/docs", headers={"authorization": ""})
    assert answered.status == 200
    assert answered.headers["content-type"] == "text/html; charset=utf-8"
    assert answered.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in answered.text
    assert "src=" not in answered.text
    assert "(RFC 9457, <code>application/problem+json</code>)" in answered.text
    for method, path in EVERY:
        assert f'<span class="method">{method}</span><code>{path}</code>' in answered.text


def test_every_answer_names_its_request(function: ModuleType) -> None:
    for answered in (ask(function.handler, "GET", "/health"), ask(function.handler, "GET", "/nowhere")):
        assert answered.headers["x-request-id"] == "JKJaXmPLvHcESHA="
        assert answered.headers["x-content-type-options"] == "nosniff"


def test_what_did_not_change_is_not_sent_again(function: ModuleType) -> None:
    first = ask(function.handler, "GET", "/v1/crawls")
    again = ask(function.handler, "GET", "/v1/crawls", headers={"if-none-match": f'"other", W/{first.headers["etag"]}'})
    assert (again.status, again.text) == (304, "")
    assert again.headers["etag"] == first.headers["etag"]
    assert "content-type" not in again.headers
    other = ask(function.handler, "GET", "/v1/crawls", headers={"if-none-match": '"other"'})
    assert other.status == 200


def test_requests_of_a_key_are_limited_per_minute(stack: Deployment) -> None:
    function = stack.load("api", WAVECRAWL_REQUESTS_A_MINUTE="2")
    mine, other = key_of(function, Role.TENANT), key_of(function, Role.TENANT)
    function.cloud.clock = StillClock(1_795_255_240.0)  # second 40 of a minute
    answers = [ask(function.handler, "GET", "/v1/crawls", key=mine) for _ in range(3)]
    assert [one.status for one in answers] == [200, 200, 429]
    assert answers[0].headers["ratelimit-policy"] == '"key";q=2;w=60, "tenant";q=6;w=60'
    assert answers[0].headers["ratelimit"] == '"key";r=1;t=20, "tenant";r=5;t=20'
    assert answers[2].body["detail"] == "the API key can send 2 requests per minute; retry in 20 seconds"
    assert answers[2].headers["retry-after"] == "20"
    assert ask(function.handler, "GET", "/v1/crawls", key=other).status == 200


def test_a_tenant_has_requests_for_three_of_its_keys(stack: Deployment) -> None:
    function = stack.load("api", WAVECRAWL_REQUESTS_A_MINUTE="2")
    function.cloud.clock = StillClock(1_795_255_240.0)  # second 40 of a minute
    keys = [key_of(function, Role.TENANT) for _ in range(4)]
    answers = [ask(function.handler, "GET", "/v1/crawls", key=key) for key in keys for _ in range(2)]
    assert [one.status for one in answers] == [200] * 6 + [429] * 2
    assert answers[6].headers["ratelimit"] == '"key";r=2;t=20, "tenant";r=0;t=20'
    assert answers[6].headers["retry-after"] == "20"
    message = "all keys of the tenant together can send 6 requests per minute; retry in 20 seconds"
    assert answers[6].body["detail"] == message


def test_a_repeated_request_is_done_once_and_answered_as_before(stack: Deployment, function: ModuleType) -> None:
    body, headers = {"url": "http://site.example/"}, {"idempotency-key": "one"}
    first = ask(function.handler, "POST", "/v1/crawls", body, headers=headers)
    again = ask(function.handler, "POST", "/v1/crawls", body, headers=headers)
    assert (again.status, again.body, again.headers["location"]) == (202, first.body, first.headers["location"])
    assert again.headers["idempotency-replayed"] == "true"
    assert "idempotency-replayed" not in first.headers
    assert stack.executions() == [first.body["crawl"]]


def test_a_key_of_another_request_is_refused(stack: Deployment, function: ModuleType) -> None:
    headers = {"idempotency-key": "one"}
    ask(function.handler, "POST", "/v1/crawls", {"url": "http://site.example/"}, headers=headers)
    other = ask(function.handler, "POST", "/v1/crawls", {"url": "http://other.example/"}, headers=headers)
    assert other.status == 422
    assert len(stack.executions()) == 1


def test_a_request_that_did_nothing_may_be_sent_again(function: ModuleType) -> None:
    headers = {"idempotency-key": "one"}
    assert ask(function.handler, "POST", "/v1/crawls", {"url": "no URL"}, headers=headers).status == 400
    good = ask(function.handler, "POST", "/v1/crawls", {"url": "http://site.example/"}, headers=headers)
    assert good.status == 202


def test_a_request_that_is_being_worked_on_is_not_done_beside_it(
    function: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    headers, body = {"idempotency-key": "one"}, {"url": "http://site.example/"}
    monkeypatch.setattr(function.cloud.repeats, "forget", lambda *_: None)
    monkeypatch.setattr(function.cloud.launcher, "launch", lambda _: 1 / 0)
    assert ask(function.handler, "POST", "/v1/crawls", body, headers=headers).status == 500
    meanwhile = ask(function.handler, "POST", "/v1/crawls", body, headers=headers)
    assert (meanwhile.status, meanwhile.headers["retry-after"]) == (409, "5")


@pytest.mark.parametrize("key", ["", "x" * 256, "\u00e9", "a\tb"])
def test_a_repeat_key_that_is_none_is_named(function: ModuleType, key: str) -> None:
    answered = ask(function.handler, "POST", "/v1/crawls", {}, headers={"idempotency-key": key})
    assert (answered.status, answered.body["detail"].partition(":")[0]) == (400, "idempotency-key")


@pytest.mark.parametrize(
    "body", ["", "{", "[]", '[{"url": "http://site.example/"}]', "null", '"url"', '{"url": NaN}', '{"url": "\\ud800"}']
)
def test_a_body_that_is_no_object_is_refused(stack: Deployment, function: ModuleType, body: str) -> None:
    answered = ask(function.handler, "POST", "/v1/crawls", body)
    assert (answered.status, answered.headers["content-type"]) == (400, "application/problem+json")
    assert stack.executions() == []


def test_a_body_as_deep_as_an_abyss_is_refused(function: ModuleType) -> None:
    assert ask(function.handler, "POST", "/v1/crawls", "[" * 60_000).status == 400


def crawls(function: ModuleType, key: str, **query: str) -> Any:
    return ask(function.handler, "GET", "/v1/crawls", key=key, query=query)


def test_a_cursor_is_of_its_tenant_and_list_alone(function: ModuleType) -> None:
    mine, other = key_of(function, Role.TENANT), key_of(function, Role.TENANT, "other")
    for name in ("a", "b"):
        ask(function.handler, "POST", "/v1/crawls", {"url": f"http://{name}.example/"}, key=mine)
    cursor = crawls(function, mine, limit="1").body["next_cursor"]
    assert len(crawls(function, mine, limit="1", cursor=cursor).body["crawls"]) == 1
    assert crawls(function, other, cursor=cursor).status == 400
    for tampered in (cursor[:-2] + ("A" if cursor[-2] != "A" else "B") + cursor[-1], cursor[1:], "\u00e9", "=", "AAAA"):
        answered = crawls(function, mine, cursor=tampered)
        assert (answered.status, answered.body["detail"].partition(":")[0]) == (400, "cursor")


def test_a_tenant_sees_no_crawl_of_another(function: ModuleType) -> None:
    mine, other = key_of(function, Role.TENANT), key_of(function, Role.TENANT, "other")
    crawl = ask(function.handler, "POST", "/v1/crawls", {"url": "http://a.example/"}, key=mine).body["crawl"]
    assert ask(function.handler, "GET", f"/v1/crawls/{crawl}", key=mine).status == 200
    for method, rest in (("GET", ""), ("POST", "/cancel"), ("GET", "/exports")):
        assert ask(function.handler, method, f"/v1/crawls/{crawl}{rest}", key=other).status == 404
    assert crawls(function, other).body["crawls"] == []


@pytest.mark.parametrize("allowed", ["https://a.example", "*"])
def test_a_page_of_an_allowed_origin_may_call(function: ModuleType, allowed: str) -> None:
    function.cloud.settings = replace(function.cloud.settings, cors_origins=(allowed,))
    resolve = Api(function.cloud).resolve
    headers = {"origin": "https://a.example", "authorization": ""}
    preflight = ask(resolve, "OPTIONS", "/v1/crawls", headers=headers)
    assert (preflight.status, preflight.headers["access-control-allow-origin"]) == (204, allowed)
    assert "idempotency-key" in preflight.headers["access-control-allow-headers"].lower()
    assert ask(resolve, "GET", "/health", headers=headers).headers["access-control-allow-origin"] == allowed


def test_without_the_operators_word_no_page_may_call(function: ModuleType) -> None:
    answered = ask(function.handler, "OPTIONS", "/v1/crawls", headers={"origin": "https://a.example"})
    assert answered.status == 405
    assert "access-control-allow-origin" not in answered.headers


def test_an_unexpected_binary_body_is_no_server_error(function: ModuleType) -> None:
    sent = request("POST", "/v1/crawls/none/cancel", headers={"idempotency-key": "one"})
    sent |= {"body": base64.b64encode(b"\xff\xfe").decode(), "isBase64Encoded": True}
    assert function.handler(sent, Context())["statusCode"] == 400
