"""`wavecrawl doctor`: APIs that respond as they should not."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import requests

from wavecrawl.adapters.aws.deployed_api import DeployedApi
from wavecrawl.adapters.aws.secrets import Secrets

SECRET = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLWRvY3Rvcg=="
CRAWL = "/v1/crawls/c1"

Answers = Mapping[str, tuple[int, object] | Exception]
Serve = Callable[[Answers], None]


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Return a function that sets the API's responses by path, with ` with key` after the path if there is a key."""

    def use(answers: Answers) -> None:
        def request(method: str, url: str, **more: Any) -> requests.Response:
            headers = more.get("headers", {})
            path = url.removeprefix("https://api.example") + (" with key" if "authorization" in headers else "")
            answer = answers[path]
            if isinstance(answer, Exception):
                raise answer
            response = requests.Response()
            response.status_code = answer[0]
            response._content = json.dumps(answer[1]).encode()
            response.request = requests.Request(method, url).prepare()
            return response

        monkeypatch.setattr(requests, "request", request)

    return use


def api(*keys: str) -> DeployedApi:
    secrets = Secrets(api_keys=keys, webhook_secrets=(SECRET,))
    return DeployedApi(url="https://api.example", secrets=secrets, sleep=lambda _: None)


def problems(found: DeployedApi) -> dict[str, str]:
    return {finding.check: finding.problem for finding in found.findings()}


def test_an_api_that_does_not_respond_is_reported(serve: Serve) -> None:
    broken = requests.ConnectionError("refused")
    serve({"/health": broken, "/v1/crawls?limit=1": broken, "/webhooks/crawl": broken})
    found = problems(api("key"))
    assert found["health"] == "GET /health: refused"
    assert set(found.values()) == {
        "GET /health: refused",
        "GET /v1/crawls?limit=1: refused",
        "POST /webhooks/crawl: refused",
    }


def test_an_api_that_accepts_everyone_is_reported(serve: Serve) -> None:
    serve({"/health": (200, {}), "/v1/crawls?limit=1": (200, {}), "/webhooks/crawl": (202, {})})
    found = problems(api("key"))
    assert found["health"] == ""
    assert found["API key"].startswith("GET /v1/crawls?limit=1 without a key: status 200 instead of 401")
    assert "with an unknown signature: status 202 instead of 401" in found["webhook signature"]


def test_keys_that_are_not_known_yet_are_reported_with_the_time_of_the_cache(serve: Serve) -> None:
    no: tuple[int, object] = (401, {})
    serve({"/health": (200, {}), "/v1/crawls?limit=1": no, "/v1/crawls?limit=1 with key": no, "/webhooks/crawl": no})
    found = problems(api("key"))
    assert "with the API key: status 401 instead of 200" in found["API key"]
    assert "with a valid signature and an empty message: status 401 instead of 400" in found["webhook signature"]
    assert all(
        "Functions cache the secret for five minutes" in found[check] for check in ("API key", "webhook signature")
    )


@pytest.mark.parametrize(
    ("shown", "problem"),
    [
        ({"status": "completed", "counters": {"fetched": 1}}, ""),
        ({"status": "completed", "counters": {"fetched": 0}}, "crawl c1 is completed: 0 pages fetched"),
        (
            {"status": "failed", "counters": {"fetched": 0}, "error": "no robots.txt"},
            "crawl c1 is failed: no robots.txt",
        ),
        ({"status": "running", "counters": {"fetched": 0}, "error": ""}, "crawl c1 is running: 0 pages fetched"),
    ],
)
def test_a_crawl_must_complete_with_a_page(serve: Serve, shown: dict[str, object], problem: str) -> None:
    serve({"/webhooks/crawl": (202, {"crawl": "c1"}), f"{CRAWL} with key": (200, shown)})
    finding = api("key").crawl_finding("https://site.example/")
    assert (finding.check, finding.problem) == ("crawl https://site.example/", problem)


def test_a_crawl_that_is_refused_is_reported(serve: Serve) -> None:
    serve({"/webhooks/crawl": (409, {"detail": "the site is being crawled"})})
    assert "status 409 instead of 202" in api("key").crawl_finding("https://site.example/").problem
