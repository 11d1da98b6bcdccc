"""`wavecrawl doctor`: APIs that respond as they should not."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import requests

from wavecrawl.adapters.aws.deployed_api import DeployedApi
from wavecrawl.adapters.aws.secrets import Secrets
from wavecrawl.errors import PermanentError

SECRET = "whsec_dGVzdC1zZWNyZXQtb2YtdGhlLWRvY3Rvcg=="

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
    return DeployedApi(url="https://api.example", secrets=secrets)


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


def test_a_crawl_that_is_refused_is_reported(serve: Serve) -> None:
    serve({"/webhooks/crawl": (409, {"detail": "the site is being crawled"})})
    with pytest.raises(PermanentError, match="that starts a crawl: status 409 instead of 202"):
        api("key").start("https://site.example/", {})


def test_a_request_that_fails_names_its_path_and_status(serve: Serve) -> None:
    serve({"/v1/sites with key": (400, {"detail": "url: required"})})
    with pytest.raises(PermanentError, match=r"POST /v1/sites with the API key: status 400 instead of 200.*required"):
        api("key").ask("POST", "/v1/sites", {})
