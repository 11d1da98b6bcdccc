"""Uploaded lists of URLs: the functions over moto."""

import gzip
import json
from types import ModuleType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from tests.support.asking import Response, ask
from tests.support.functions import Context, Deployment
from tests.support.signing import webhook

from wavecrawl.application.api_keys import create_key
from wavecrawl.application.url_list import load_urls
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.tenants import TenantRow

SITE = "https://site.example/"
URLS = tuple(f"https://site.example/{number}" for number in range(20_000))
TEXT = "\n".join(URLS).encode()


class Service:
    """The functions that lists concern."""

    def __init__(self, stack: Deployment) -> None:
        self.stack = stack
        self.api, self.results = stack.load("api"), stack.load("results")

    def ask(self, method: str, path: str, body: Any = None, *, key: str = "") -> Response:
        function = self.results if path.endswith("/check") else self.api
        return ask(function.handler, method, path, body, **({"key": key} if key else {}))

    def key(self, tenant: str, plan: Plan = Plan.PRO) -> str:
        cloud = self.api.cloud
        assert cloud.tenants.create(TenantRow(tenant=tenant, name=tenant, plan=plan))
        made = create_key(tenant, role=Role.TENANT, name="tests", keys=cloud.keys, now=cloud.clock.now())
        return str(made.secret)

    def create(self, data: bytes = TEXT, *, key: str = "", **body: Any) -> dict[str, Any]:
        """Create a list and upload its file, as a client of S3 does with the URL."""
        made = self.ask("POST", "/v1/lists", {"bytes": len(data), **body}, key=key)
        assert made.status == 201, made.text
        name = unquote(urlsplit(made.body["upload"]["url"]).path).removeprefix("/")
        self.stack.clients.s3.put_object(Bucket=self.stack.bucket, Key=name, Body=data)
        return dict(made.body)

    def check(self, list_: str, *, key: str = "") -> Response:
        return self.ask("POST", f"/v1/lists/{list_}/check", key=key)

    def ready(self, data: bytes = TEXT, *, key: str = "") -> str:
        list_ = str(self.create(data, key=key)["list"])
        checked = self.check(list_, key=key)
        assert (checked.status, checked.body["state"]) == (200, "ready"), checked.text
        return list_

    def crawl(self, list_: str, *, key: str = "", **settings: Any) -> Response:
        asked = {"url": SITE, "settings": {"discovery": "list", "url_list": list_, **settings}}
        return self.ask("POST", "/v1/crawls", asked, key=key)

    def save(self, list_: str, **more: Any) -> Response:
        asked = {"url": SITE, "settings": {"discovery": "list", "url_list": list_}, **more}
        return self.ask("POST", "/v1/sites", asked)

    def list(self, list_: str) -> dict[str, Any]:
        return dict(self.ask("GET", f"/v1/lists/{list_}").body)

    def tags(self, name: str) -> dict[str, str]:
        found = self.stack.clients.s3.get_object_tagging(Bucket=self.stack.bucket, Key=name)["TagSet"]
        return {one["Key"]: one["Value"] for one in found}


@pytest.fixture(name="service")
def a_service(stack: Deployment) -> Service:
    return Service(stack)


def test_the_upload_url_takes_a_file_of_the_named_size(service: Service) -> None:
    made = service.ask("POST", "/v1/lists", {"bytes": 1_234, "name": "Products"})
    assert (made.status, made.headers["location"]) == (201, f"/v1/lists/{made.body['list']}")
    assert (made.body["state"], made.body["name"], made.body["urls"]) == ("waiting", "Products", 0)
    upload = made.body["upload"]
    assert upload["method"] == "PUT"
    url, query = urlsplit(upload["url"]), parse_qs(urlsplit(upload["url"]).query)
    assert url.path == f"/uploads/default/{made.body['list']}"
    assert query["X-Amz-SignedHeaders"] == ["content-length;host"]
    assert query["X-Amz-Expires"] == ["3600"]
    s3 = service.api.cloud.clients.s3
    of_other_size = s3.generate_presigned_url(
        "put_object", Params={"Bucket": service.stack.bucket, "Key": url.path[1:], "ContentLength": 1_235}
    )
    assert parse_qs(urlsplit(of_other_size).query)["X-Amz-Signature"] != query["X-Amz-Signature"]


@pytest.mark.parametrize("data", [TEXT, gzip.compress(TEXT)], ids=["text", "gzip"])
def test_a_list_larger_than_a_body_is_uploaded_checked_and_crawled(service: Service, data: bytes) -> None:
    made = service.create(data)
    list_ = made["list"]
    checked = service.check(list_)
    assert checked.status == 200, checked.text
    assert (checked.body["state"], checked.body["urls"], checked.body["problem"]) == ("ready", 20_000, None)
    assert checked.body == service.list(list_) == service.ask("GET", "/v1/lists").body["lists"][0]
    assert service.check(list_).body == checked.body
    started = service.crawl(list_)
    assert started.status == 202, started.text
    crawl = CrawlId(tenant="default", site=started.body["site"], crawl=started.body["crawl"])
    copy = f"tenants/default/sites/{crawl.site}/crawls/{crawl.crawl}/frontier/{list_}.txt"
    assert service.tags(copy) == {"lifetime": "crawl"}
    assert service.ask("DELETE", f"/v1/lists/{list_}").status == 204
    assert service.ask("GET", f"/v1/lists/{list_}").status == 404
    assert tuple(load_urls(service.api.cloud.objects, crawl, list_)) == URLS
    detail = service.ask("GET", f"/v1/crawls/{crawl.crawl}").body
    assert (detail["settings"]["url_list"], detail["settings"]["urls"]) == (list_, [])


def test_the_upload_is_deleted_when_it_is_checked(service: Service) -> None:
    list_ = service.ready()
    objects = service.stack.clients.s3.list_objects_v2(Bucket=service.stack.bucket)["Contents"]
    assert [one["Key"] for one in objects] == [f"tenants/default/lists/{list_}.txt.gz"]
    assert service.tags(f"tenants/default/lists/{list_}.txt.gz") == {"lifetime": "list"}


def test_a_bad_line_is_named_and_the_list_cannot_be_crawled(service: Service) -> None:
    data = b"# header\nhttps://site.example/1\n\nsite.example/2\n"
    list_ = service.create(data)["list"]
    refused = service.check(list_)
    assert refused.status == 400
    problem = "line 4: not a URL: 'site.example/2'. Use an absolute URL, such as https://example.com/"
    assert refused.body["detail"].startswith(f"list {list_}: {problem}. Correct the file, and upload it as a new list")
    assert (service.list(list_)["state"], service.list(list_)["problem"]) == ("invalid", problem)
    for answer in (service.crawl(list_), service.save(list_)):
        assert answer.status == 400
        assert answer.body["detail"].startswith(f"url_list: list {list_} cannot be used: {problem}")
    assert service.ask("GET", "/v1/crawls").body["crawls"] == []
    assert service.ask("GET", "/v1/sites").body["sites"] == []


def test_a_list_that_is_not_ready_is_refused(service: Service) -> None:
    list_ = service.ask("POST", "/v1/lists", {"bytes": 9}).body["list"]
    unchecked = service.check(list_)
    assert (unchecked.status, unchecked.body["detail"]) == (
        409,
        f"nothing was uploaded for list {list_}: send the file to upload.url",
    )
    refused = service.crawl(list_)
    assert refused.status == 400
    assert f"list {list_} is not checked yet; upload the file, then send POST" in refused.body["detail"]


@pytest.mark.parametrize(
    ("settings", "problem"),
    [
        ({"url_list": "list-1"}, "url_list requires discovery 'list'; discovery is 'links_first'"),
        ({"discovery": "list"}, "urls must name at least one URL if discovery is 'list', or url_list an uploaded list"),
        (
            {"discovery": "list", "url_list": "list-1", "urls": [SITE]},
            "urls and url_list must not both be set; upload one list with all URLs",
        ),
    ],
)
def test_settings_that_name_a_list_wrongly_are_refused(
    service: Service, settings: dict[str, Any], problem: str
) -> None:
    refused = service.ask("POST", "/v1/crawls", {"url": SITE, "settings": settings})
    assert (refused.status, refused.body["errors"]) == (400, [problem])


def test_a_list_is_its_tenants_alone(service: Service) -> None:
    mine, other = service.key("mine"), service.key("other")
    list_ = service.ready(key=mine)
    for method, path in (("GET", ""), ("DELETE", ""), ("POST", "/check")):
        answer = service.ask(method, f"/v1/lists/{list_}{path}", key=other)
        assert (answer.status, answer.body["detail"]) == (404, f"list {list_} does not exist")
    assert service.ask("GET", "/v1/lists", key=other).body["lists"] == []
    refused = service.crawl(list_, key=other)
    assert refused.status == 400
    assert refused.body["detail"] == f"url_list: there is no list '{list_}'; upload it first: POST /v1/lists"
    assert service.crawl(list_, key=mine).status == 202


def test_a_plan_limits_the_urls_of_a_list(service: Service) -> None:
    key = service.key("small", Plan.FREE)
    list_ = service.create(key=key)["list"]
    refused = service.check(list_, key=key)
    assert refused.status == 402
    assert {name: refused.body[name] for name in ("plan", "limit", "ceiling")} == {
        "plan": "free",
        "limit": "max_list_urls",
        "ceiling": 1_000,
    }
    assert service.crawl(list_, key=key).status == 400


def test_the_deployment_limits_the_urls_and_the_size_of_a_list(stack: Deployment) -> None:
    stack.environment |= {"WAVECRAWL_MAX_LIST_URLS": "19999", "WAVECRAWL_MAX_LIST_MB": "1"}
    service = Service(stack)
    refused = service.check(service.create()["list"])
    assert refused.status == 400
    assert "more than 19,999 URLs, and this deployment allows 19,999 per list" in refused.body["detail"]
    large = service.ask("POST", "/v1/lists", {"bytes": 1_000_001})
    assert (large.status, large.body["detail"]) == (
        400,
        "bytes: must be from 1 to 1,000,000, not 1,000,001; compress the file with gzip, or divide it",
    )


def test_a_repeated_request_creates_one_list(service: Service) -> None:
    headers = {"idempotency-key": "once"}
    first, second = (
        ask(service.api.handler, "POST", "/v1/lists", {"bytes": 9}, headers=headers).body["list"] for _ in range(2)
    )
    assert first == second
    assert len(service.ask("GET", "/v1/lists").body["lists"]) == 1


def test_a_saved_site_keeps_its_list(service: Service) -> None:
    list_ = service.ready()
    assert service.list(list_)["expires_at"] is not None
    saved = service.save(list_)
    assert (saved.status, saved.body["settings"]["url_list"]) == (201, list_)
    site, name = saved.body["site"], f"tenants/default/lists/{list_}.txt.gz"
    assert (service.list(list_)["sites"], service.list(list_)["expires_at"]) == (1, None)
    assert service.tags(name) == {"lifetime": "site"}
    refused = service.ask("DELETE", f"/v1/lists/{list_}")
    assert refused.status == 409
    assert f"belongs to 1 saved site, such as {site}" in refused.body["detail"]
    assert service.save(list_).status == 409  # the site exists
    assert service.list(list_)["sites"] == 1
    assert service.ask("PATCH", f"/v1/sites/{site}", {"name": "Renamed"}).status == 200
    assert service.list(list_)["sites"] == 1
    started = service.ask("POST", f"/v1/sites/{site}/crawls")
    assert started.status == 202, started.text
    crawl = CrawlId(tenant="default", site=site, crawl=started.body["crawl"])
    assert tuple(load_urls(service.api.cloud.objects, crawl, list_)) == URLS
    assert service.ask("DELETE", f"/v1/sites/{site}").status == 204
    assert service.list(list_)["sites"] == 0
    assert service.tags(name) == {"lifetime": "list"}


def test_a_site_can_be_given_another_list_or_none(service: Service) -> None:
    first, second = service.ready(), service.ready()
    site = service.save(first).body["site"]
    changed = service.ask(
        "PATCH", f"/v1/sites/{site}", {"settings": {"discovery": "list", "url_list": second, "max_pages": 5}}
    )
    assert changed.status == 200, changed.text
    assert (service.list(first)["sites"], service.list(second)["sites"]) == (0, 1)
    unknown = service.ask("PATCH", f"/v1/sites/{site}", {"settings": {"discovery": "list", "url_list": "list-0"}})
    assert (unknown.status, unknown.body["detail"][:35]) == (400, "url_list: there is no list 'list-0'")
    assert service.list(second)["sites"] == 1
    assert service.ask("PATCH", f"/v1/sites/{site}", {"settings": {"max_pages": 5}}).status == 200
    assert (service.list(first)["sites"], service.list(second)["sites"]) == (0, 0)


def test_a_change_that_comes_too_late_keeps_no_list(service: Service) -> None:
    first, second = service.ready(), service.ready()
    site = service.save(first).body["site"]
    sites = service.api.cloud.sites
    read = sites.read

    def read_and_changed(tenant: str, name: str) -> SiteRow | None:
        row = read(tenant, name)
        sites.read = read
        assert service.ask("PATCH", f"/v1/sites/{site}", {"name": "Another"}).status == 200
        return row  # type: ignore[no-any-return]

    sites.read = read_and_changed
    late = service.ask("PATCH", f"/v1/sites/{site}", {"settings": {"discovery": "list", "url_list": second}})
    assert late.status == 412
    assert (service.list(first)["sites"], service.list(second)["sites"]) == (1, 0)


def test_a_crawl_of_a_site_may_name_another_list(service: Service) -> None:
    site = service.save(service.ready()).body["site"]
    other = service.ready(b"https://site.example/other")
    settings = {"discovery": "list", "url_list": other}
    started = service.ask("POST", f"/v1/sites/{site}/crawls", {"settings": settings})
    crawl = CrawlId(tenant="default", site=site, crawl=started.body["crawl"])
    assert tuple(load_urls(service.api.cloud.objects, crawl, other)) == ("https://site.example/other",)
    service.api.cloud.crawls.finish(crawl, status=CrawlStatus.COMPLETED, now=1.0)
    named = {"discovery": "list", "urls": ["https://site.example/named"]}
    started = service.ask("POST", f"/v1/sites/{site}/crawls", {"settings": named})
    assert started.status == 202, started.text
    row = service.api.cloud.crawls.find("default", started.body["crawl"])
    assert row.settings.url_list == ""
    assert load_urls(service.api.cloud.objects, row.id) == ("https://site.example/named",)


def test_the_defaults_of_a_tenant_name_no_list(service: Service) -> None:
    refused = service.ask("PATCH", "/v1/settings", {"settings": {"discovery": "list", "url_list": "list-1"}})
    assert refused.status == 400
    assert "settings.url_list must be left out: a list of URLs belongs to one crawl or site" in refused.body["detail"]


def deliver(function: ModuleType, list_: str, id_: str) -> tuple[int, dict[str, Any]]:
    asked = {"url": SITE, "settings": {"discovery": "list", "url_list": list_}}
    answer = function.handler(webhook(asked, id_=id_), Context())
    return answer["statusCode"], json.loads(answer["body"])


def test_a_signed_message_may_name_a_list(stack: Deployment, service: Service) -> None:
    function, list_ = stack.load("webhook"), service.ready()
    status, body = deliver(function, "list-0", "msg_1")
    assert (status, body["detail"]) == (400, "url_list: there is no list 'list-0'; upload it first: POST /v1/lists")
    status, body = deliver(function, list_, "msg_2")
    assert status == 202, body
    crawl = CrawlId(tenant="default", site=body["site"], crawl=body["crawl"])
    assert tuple(load_urls(service.api.cloud.objects, crawl, list_)) == URLS


@pytest.mark.parametrize(
    "body", [{}, {"bytes": 0}, {"bytes": "9"}, {"bytes": 9, "urls": 3}, {"bytes": 9, "name": "\n"}]
)
def test_a_list_that_is_described_wrongly_is_not_created(service: Service, body: dict[str, Any]) -> None:
    assert service.ask("POST", "/v1/lists", body).status == 400
    assert service.ask("GET", "/v1/lists").body["lists"] == []
