"""The same crawl in the cloud (webhook, API Gateway, Step Functions, SQS, Lambda) and in embedded mode."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from tests.support.cloud import Service
from tests.support.comparing import fingerprint
from tests.support.crawling import QUICK, crawl_inline
from tests.support.docs_sites import SITES
from tests.support.folder_server import FolderServer
from typer.testing import CliRunner

from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.focus.settings import FocusSettings, Strategy

SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}
GIT_DOC = next(site for site in SITES if site.package == "git-doc")
SAME = replace(QUICK, contact="https://crawler.example/about")


def compared(
    service: Service,
    server: SiteServer | FolderServer,
    folder: Path,
    more: Mapping[str, Any] = MappingProxyType({}),
    same: CrawlSettings = SAME,
) -> None:
    """Crawl in the cloud and in embedded mode. Every export must be the same."""
    crawl = service.start(server.url, {**SETTINGS, **more})
    shown = service.wait_for(crawl)
    assert (shown["status"], shown["error"]) == ("completed", None)
    assert_no_step_failed(service, crawl)
    cloud = service.download(crawl, folder / "cloud")
    server.forget()  # flaky pages fail again
    here = crawl_inline(server.url, folder / "here", same).exports

    assert CliRunner().invoke(app, ["compare", "--edges", str(cloud), str(here)]).exit_code == 0
    ours, theirs = fingerprint(here, server.origin), fingerprint(cloud, server.origin)
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert theirs[name] == content, f"{name} differs"


def assert_no_step_failed(service: Service, crawl: str) -> None:
    """Check the execution's history as the console displays it."""
    execution = f"{service.deployment.outputs['StateMachineArn'].replace(':stateMachine:', ':execution:')}:{crawl}"
    states = service.deployment.client("stepfunctions")
    events = states.get_execution_history(executionArn=execution, maxResults=1000)["events"]
    kinds = {event["type"] for event in events}
    assert {"TaskSucceeded", "ChoiceStateEntered"} <= kinds
    assert {kind for kind in kinds if kind.endswith(("Failed", "TimedOut", "Aborted"))} == set()


@pytest.mark.parametrize("workers", [1, 10])
def test_the_demo_site_is_crawled_as_on_one_machine(service: Service, workers: int, tmp_path: Path) -> None:
    service.deployment.set_fetch_concurrency(workers)
    with SiteServer(demo_site()) as server:
        compared(service, server, tmp_path)


def test_the_best_first_is_the_same_as_on_one_machine(service: Service, tmp_path: Path) -> None:
    more = {"strategy": "best_first", "max_pages": 61, "focus": {"terms": ["radar gauge"]}}
    same = replace(SAME, strategy=Strategy.BEST_FIRST, max_pages=61, focus=FocusSettings(terms=("radar gauge",)))
    with SiteServer(demo_site()) as server:
        compared(service, server, tmp_path, more, same)


@pytest.mark.parametrize("workers", [1, 10])
def test_the_manual_of_git_is_crawled_as_on_one_machine(service: Service, workers: int, tmp_path: Path) -> None:
    service.deployment.set_fetch_concurrency(workers)
    with FolderServer(GIT_DOC.folder) as server:
        compared(service, server, tmp_path)
