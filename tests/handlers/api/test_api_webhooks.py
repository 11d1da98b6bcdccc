"""Webhooks in the API function over moto."""

from types import ModuleType
from typing import Any

import pytest
from tests.support.asking import Response, ask
from tests.support.functions import Deployment

from wavecrawl.adapters.aws.delivery_queue import delivery_from
from wavecrawl.adapters.aws.webhook_key import WebhookKey
from wavecrawl.application.api_keys import create_key
from wavecrawl.application.webhooks import MOST
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryId
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.tenants import TenantRow

URL = "https://hooks.example/in?for=shop"


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    return stack.load("api")


def created(function: ModuleType, **more: Any) -> Response:
    return ask(function.handler, "POST", "/v1/webhooks", {"url": URL, **more})


def webhook_id(function: ModuleType, **more: Any) -> str:
    return str(created(function, **more).body["webhook"])


def test_a_webhook_shows_its_secret_once(function: ModuleType) -> None:
    made = created(function, events=["crawl.failed", "site.changed", "crawl.failed"], description="the shop")
    assert made.status == 201
    secret = made.body.pop("secret") if isinstance(made.body, dict) else ""
    assert str(secret).startswith("whsec_")
    shown = {name: value for name, value in made.body.items() if name != "secret"}
    assert made.headers["location"] == f"/v1/webhooks/{shown['webhook']}"
    assert shown["url"] == URL
    assert shown["events"] == ["crawl.failed", "site.changed"]
    assert (shown["description"], shown["disabled"], shown["old_secret_until"]) == ("the shop", False, None)
    read = ask(function.handler, "GET", f"/v1/webhooks/{shown['webhook']}")
    assert read.body == shown
    assert ask(function.handler, "GET", "/v1/webhooks").body == {"webhooks": [shown]}
    assert "whsec_" not in read.text


def test_a_webhook_is_not_made_twice_by_one_request(function: ModuleType) -> None:
    headers = {"Idempotency-Key": "once"}
    first = ask(function.handler, "POST", "/v1/webhooks", {"url": URL}, headers=headers)
    again = ask(function.handler, "POST", "/v1/webhooks", {"url": URL}, headers=headers)
    assert first.status == 201
    assert "whsec_" not in again.text
    assert len(ask(function.handler, "GET", "/v1/webhooks").body["webhooks"]) == 1


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({}, "url"),
        ({"url": "ftp://hooks.example/"}, "http"),
        ({"url": "https://user:secret@hooks.example/"}, "contains a user or a password"),
        ({"url": "https://user@hooks.example/"}, "contains a user or a password"),
        ({"url": "https://10.0.0.1/"}, "10.0.0.1 is not a public IP address"),
        ({"url": "http://[::1]/"}, "::1 is not a public IP address"),
        ({"url": "http://169.254.169.254/latest"}, "169.254.169.254 is not a public IP address"),
        ({"url": "http://hooks.example/"}, "url: use https"),
        ({"url": "http://8.8.8.8/"}, "url: use https"),
        ({"url": "http://localhost:9/"}, "url: use https"),
        ({"url": URL, "events": ["webhook.test"]}, "events"),
        ({"url": URL, "secret": "whsec_bXk="}, "secret"),
    ],
)
def test_what_cannot_be_a_webhook_is_refused(function: ModuleType, body: dict[str, Any], said: str) -> None:
    answered = ask(function.handler, "POST", "/v1/webhooks", body)
    assert answered.status == 400
    assert said in answered.text


def test_networks_that_the_operator_allows_may_hold_webhooks(function: ModuleType) -> None:
    assert ask(function.handler, "POST", "/v1/webhooks", {"url": "http://127.0.0.1:8080/in"}).status == 201


def test_the_webhooks_of_a_tenant_are_limited(function: ModuleType) -> None:
    assert {created(function).status for _ in range(MOST)} == {201}
    assert created(function).status == 409


def test_a_webhook_changes_where_it_is_named(function: ModuleType) -> None:
    id_ = webhook_id(function, events=["crawl.failed"], description="old")
    changed = ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"disabled": True, "events": []})
    assert changed.status == 200
    assert (changed.body["disabled"], changed.body["events"], changed.body["description"]) == (True, [], "old")
    moved = ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"url": "https://new.example", "disabled": False})
    assert (moved.body["url"], moved.body["disabled"]) == ("https://new.example/", False)
    assert ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"url": "http://10.0.0.1/"}).status == 400
    assert ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"url": "http://new.example/"}).status == 400


def test_one_of_two_concurrent_updates_is_refused(function: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    id_ = webhook_id(function)
    monkeypatch.setattr(function.cloud.webhooks, "update", lambda _: False)
    assert ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"disabled": True}).status == 409


def test_a_webhook_is_deleted(function: ModuleType) -> None:
    id_ = webhook_id(function)
    deleted = ask(function.handler, "DELETE", f"/v1/webhooks/{id_}")
    assert deleted.status == 204
    assert not deleted.text
    assert ask(function.handler, "GET", f"/v1/webhooks/{id_}").status == 404
    assert ask(function.handler, "DELETE", f"/v1/webhooks/{id_}").status == 404


def test_a_webhook_whose_secret_cannot_be_read_is_listed_and_can_be_deleted(
    function: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost, kept = webhook_id(function), webhook_id(function)
    opened = WebhookKey.open

    def without_its_key(key: WebhookKey, sealed: str, context: str) -> str:
        if context.endswith(lost):
            raise CorruptDataError(f"the secret of {context} cannot be decrypted")
        return opened(key, sealed, context)

    monkeypatch.setattr(WebhookKey, "open", without_its_key)
    listed = ask(function.handler, "GET", "/v1/webhooks").body["webhooks"]
    assert {one["webhook"] for one in listed} == {lost, kept}
    assert ask(function.handler, "GET", f"/v1/webhooks/{lost}").status == 500
    assert ask(function.handler, "DELETE", f"/v1/webhooks/{lost}").status == 204
    assert [one["webhook"] for one in ask(function.handler, "GET", "/v1/webhooks").body["webhooks"]] == [kept]


def test_a_new_secret_signs_beside_the_old_one(function: ModuleType) -> None:
    made = created(function).body
    path = f"/v1/webhooks/{made['webhook']}"
    rotated = ask(function.handler, "POST", f"{path}/secret", {"grace_hours": 2})
    assert rotated.status == 200
    assert rotated.body["secret"] != made["secret"]
    assert rotated.body["old_secret_until"] is not None
    row = function.cloud.webhooks.read("default", made["webhook"])
    now = function.cloud.clock.now()
    assert row.secrets(now) == (rotated.body["secret"], made["secret"])
    assert row.secrets(now + 7_201) == (rotated.body["secret"],)


def test_a_secret_that_is_lost_ends_at_once(function: ModuleType) -> None:
    made = created(function).body
    rotated = ask(function.handler, "POST", f"/v1/webhooks/{made['webhook']}/secret", {"grace_hours": 0})
    assert rotated.body["old_secret_until"] is None
    row = function.cloud.webhooks.read("default", made["webhook"])
    assert made["secret"] not in row.secrets(0.0)


def test_a_test_message_is_on_its_way(function: ModuleType, stack: Deployment) -> None:
    id_ = webhook_id(function)
    sent = ask(function.handler, "POST", f"/v1/webhooks/{id_}/test")
    assert sent.status == 202
    assert (sent.body["event"], sent.body["state"], sent.body["attempts"]) == ("webhook.test", "pending", [])
    (record,) = stack.messages(stack.deliveries)
    assert delivery_from(record["body"]).delivery == sent.body["delivery"]
    read = ask(function.handler, "GET", sent.headers["location"])
    assert read.body == sent.body
    ask(function.handler, "PATCH", f"/v1/webhooks/{id_}", {"disabled": True})
    assert ask(function.handler, "POST", f"/v1/webhooks/{id_}/test").status == 409


def delivered(function: ModuleType, webhook: str, name: str) -> Delivery:
    id_ = DeliveryId(tenant="default", webhook=webhook, delivery=name)
    new = Delivery(id=id_, kind="crawl.completed", body='{"type":"crawl.completed"}', created_at=1.0, due_at=1.0)
    function.cloud.deliveries.add(new)
    tried = new.attempted(Attempt(at=2.0, error="connect: refused", elapsed=0.25), chance=0.0)
    function.cloud.deliveries.save(tried)
    done = tried.attempted(Attempt(at=10.0, status=204, elapsed=0.5), chance=0.0)
    function.cloud.deliveries.save(done)
    return done


def test_deliveries_are_listed_with_every_attempt(function: ModuleType) -> None:
    id_ = webhook_id(function)
    for number in range(3):
        delivered(function, id_, f"msg_{number}")
    path = f"/v1/webhooks/{id_}/deliveries"
    first = ask(function.handler, "GET", path, query={"limit": "2"}).body
    assert [one["delivery"] for one in first["deliveries"]] == ["msg_2", "msg_1"]
    assert first["deliveries"][0]["attempts"] == [
        {"at": "1970-01-01T00:00:02Z", "status": None, "error": "connect: refused", "seconds": 0.25},
        {"at": "1970-01-01T00:00:10Z", "status": 204, "error": None, "seconds": 0.5},
    ]
    assert (first["deliveries"][0]["state"], first["deliveries"][0]["next_attempt_at"]) == ("delivered", None)
    rest = ask(function.handler, "GET", path, query={"limit": "2", "cursor": first["next_cursor"]}).body
    assert ([one["delivery"] for one in rest["deliveries"]], rest["next_cursor"]) == (["msg_0"], None)


def test_a_message_is_sent_once_more(function: ModuleType, stack: Deployment) -> None:
    id_ = webhook_id(function)
    delivered(function, id_, "msg_0")
    again = ask(function.handler, "POST", f"/v1/webhooks/{id_}/deliveries/msg_0/redeliver")
    assert (again.status, again.body["state"], len(again.body["attempts"])) == (202, "pending", 2)
    assert again.body["message"] == '{"type":"crawl.completed"}'
    (record,) = stack.messages(stack.deliveries)
    assert delivery_from(record["body"]).delivery == "msg_0"


def test_what_is_not_there_is_404(function: ModuleType) -> None:
    id_ = webhook_id(function)
    asked: tuple[tuple[str, str, Any], ...] = (
        ("GET", "/v1/webhooks/hook-none", None),
        ("POST", "/v1/webhooks/hook-none/test", None),
        ("POST", "/v1/webhooks/hook-none/secret", {}),
        ("GET", "/v1/webhooks/hook-none/deliveries", None),
        ("GET", f"/v1/webhooks/{id_}/deliveries/msg_none", None),
        ("GET", f"/v1/webhooks/{id_}/deliveries/%20", None),
        ("POST", f"/v1/webhooks/{id_}/deliveries/msg_none/redeliver", None),
    )
    assert {ask(function.handler, method, path, body).status for method, path, body in asked} == {404}


def test_another_tenant_sees_nothing_of_them(function: ModuleType) -> None:
    cloud = function.cloud
    cloud.tenants.create(TenantRow(tenant="acme", name="acme", plan=Plan.PRO))
    theirs = create_key("acme", role=Role.TENANT, name="tests", keys=cloud.keys, now=cloud.clock.now()).secret
    id_ = webhook_id(function)
    delivered(function, id_, "msg_0")
    path = f"/v1/webhooks/{id_}"
    asked: tuple[tuple[str, str, Any], ...] = (
        ("GET", path, None),
        ("PATCH", path, {"disabled": True}),
        ("DELETE", path, None),
        ("POST", f"{path}/secret", {}),
        ("POST", f"{path}/test", None),
        ("GET", f"{path}/deliveries", None),
        ("GET", f"{path}/deliveries/msg_0", None),
        ("POST", f"{path}/deliveries/msg_0/redeliver", None),
    )
    assert {ask(function.handler, method, one, body, key=theirs).status for method, one, body in asked} == {404}
    assert ask(function.handler, "GET", "/v1/webhooks", key=theirs).body == {"webhooks": []}
