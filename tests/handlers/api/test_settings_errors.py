"""The webhook, the API, its sites and the command line report errors in settings with the same messages."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import ask
from tests.support.functions import Context, Deployment
from tests.support.signing import webhook

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.cli.options import settings_from
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.errors import InvalidSettingsError

URL = "http://site.example/"
MISTAKES: dict[str, Any] = {
    "max_pages": "many",
    "max_depth": -1,
    "polite": {"interval": None},
    "scope": {"mode": "all"},
    "sitemaps": {"most": 1},
}


@pytest.fixture
def expected() -> tuple[str, ...]:
    with pytest.raises(InvalidSettingsError) as caught:
        crawl_settings(MISTAKES, bounds=REQUEST_BOUNDS)
    assert len(caught.value.problems) == len(MISTAKES)
    return caught.value.problems


@pytest.mark.parametrize("path", ["/v1/crawls", "/v1/sites"])
def test_the_api_names_them(stack: Deployment, expected: tuple[str, ...], path: str) -> None:
    answered = ask(stack.load("api").handler, "POST", path, {"url": URL, "settings": MISTAKES})
    assert (answered.status, tuple(answered.body["errors"])) == (400, expected)


@pytest.mark.parametrize("path", ["/v1/crawls", "/v1/sites"])
def test_the_api_says_where_a_setting_belongs(stack: Deployment, path: str) -> None:
    answered = ask(stack.load("api").handler, "POST", path, {"url": URL, "max_depth": 3, "depth": 3})
    place = "max_depth: unknown field; if it is the crawl setting, put it under settings (settings.max_depth)"
    assert (answered.status, sorted(answered.body["errors"])) == (400, ["depth: unknown field", place])


def test_a_change_of_a_site_names_them(stack: Deployment, expected: tuple[str, ...]) -> None:
    handler = stack.load("api").handler
    site = ask(handler, "POST", "/v1/sites", {"url": URL}).body["site"]
    answered = ask(handler, "PATCH", f"/v1/sites/{site}", {"settings": MISTAKES})
    assert (answered.status, tuple(answered.body["errors"])) == (400, expected)


def test_the_webhook_names_them(stack: Deployment, context: Context, expected: tuple[str, ...]) -> None:
    answer = stack.load("webhook").handler(webhook({"url": URL, "settings": MISTAKES}), context)
    assert (answer["statusCode"], tuple(json.loads(answer["body"])["errors"])) == (400, expected)


@pytest.mark.parametrize("render", [{"mode": "always"}, {"screenshots": "home"}])
@pytest.mark.parametrize("path", ["/v1/crawls", "/v1/sites"])
def test_a_crawl_that_needs_a_browser_is_refused_if_the_deployment_has_none(
    stack: Deployment, path: str, render: dict[str, str]
) -> None:
    body = {"url": URL, "settings": {"render": render}}
    answered = ask(stack.load("api", WAVECRAWL_RENDER_QUEUE_URL="").handler, "POST", path, body)
    assert (answered.status, len(answered.body["errors"])) == (400, 1)
    assert answered.body["errors"][0].startswith("this deployment renders no pages")
    never = {"url": URL, "settings": {"render": render | {"mode": "never"}}}
    answered = ask(stack.load("api", WAVECRAWL_RENDER_QUEUE_URL="").handler, "POST", path, never)
    assert answered.status in ((400,) if "screenshots" in render else (201, 202))  # no browser makes screenshots
    assert ask(stack.load("api").handler, "POST", path, body).status in (201, 202, 409)


def test_the_command_line_names_them(tmp_path: Path, expected: tuple[str, ...]) -> None:
    file = tmp_path / "settings.json"
    file.write_text(json.dumps(MISTAKES), encoding="utf-8")
    with pytest.raises(InvalidSettingsError) as caught:
        settings_from(URL, {}, file=file)
    assert caught.value.problems == expected
