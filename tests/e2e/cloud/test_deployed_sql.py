"""SQL over the crawls of a deployed stack."""

import json
from http import HTTPStatus
from typing import Any

import pytest
from tests.support.cloud import Service
from tests.support.emulator import CREDENTIALS
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import program
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer

SETTINGS = {"retry_base": 0.0, "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4}}


def test_a_deployed_crawl_is_queried_until_it_is_deleted(own_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service = own_service
    for name, value in (CREDENTIALS | {"AWS_ENDPOINT_URL": service.deployment.endpoint}).items():
        monkeypatch.setenv(name, value)
    with SiteServer(demo_site()) as server:
        crawl = service.start(server.url, SETTINGS)
        assert service.wait_for(crawl)["status"] == "completed"
    statistics = service.api("GET", f"/v1/crawls/{crawl}/statistics")
    assert rows(f"SELECT pages FROM crawls WHERE crawl = '{crawl}'") == [{"pages": statistics["pages"]}]  # noqa: S608
    states = rows("SELECT state, count(*) AS urls FROM current_urls GROUP BY state")
    assert {row["state"]: row["urls"] for row in states} == statistics["states"]
    (root,) = rows("SELECT key, links FROM pages WHERE depth = 0")
    assert root["links"] > 0

    delete(service, f"/v1/crawls/{crawl}/pages/{root['key']}")
    assert rows("SELECT key FROM pages WHERE depth = 0") == []
    assert registered(service) == [crawl]
    delete(service, f"/v1/crawls/{crawl}")
    assert rows("SELECT count(*) AS pages FROM pages") == [{"pages": 0}]
    assert registered(service) == []


def delete(service: Service, path: str) -> None:
    assert service.response_to("DELETE", path).status_code == HTTPStatus.NO_CONTENT


def rows(query: str) -> list[dict[str, Any]]:
    done = CliRunner().invoke(program("sql"), ["sql", query, "--stack", "wavecrawl", "--format", "json"])
    assert done.exit_code == Exit.OK, done.output
    return [json.loads(line) for line in done.stdout.splitlines()]


def registered(service: Service) -> list[str]:
    glue, database = service.deployment.client("glue"), service.deployment.outputs["SqlDatabase"]
    found = glue.get_partitions(DatabaseName=database, TableName="urls")["Partitions"]
    return [partition["Values"][2] for partition in found]
