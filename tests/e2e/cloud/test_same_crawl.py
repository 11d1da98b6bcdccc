"""The same crawl in the cloud (webhook, API Gateway, Step Functions, SQS, Lambda) and in embedded mode."""

from collections.abc import Callable, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.adapters.analytics.results_service import ResultsService
from tests.support import changing_site
from tests.support.campaign import CAMPAIGN, MANY_FUNCTIONS
from tests.support.chromium import executable
from tests.support.cloud import Service
from tests.support.comparing import fingerprint
from tests.support.crawling import Done, crawl_inline, on_loopback
from tests.support.docs_sites import SITES
from tests.support.folder_server import FolderServer
from tests.support.page_memories import download_memory, histories
from tests.support.shell_site import APP, scripted_site, shop_browser
from typer.testing import CliRunner

from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.browser import Browser

SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}
GIT_DOC = next(site for site in SITES if site.package == "git-doc")
CONTACT = "https://crawler.example/about"  # of the deployment


def compared(
    service: Service,
    server: SiteServer | FolderServer,
    folder: Path,
    more: Mapping[str, Any] = MappingProxyType({}),
    *,
    browser: Browser | None = None,
) -> tuple[CrawlId, Done]:
    """Crawl in the cloud and in embedded mode. Every export must be the same. Return both crawls.

    `browser` renders in embedded mode. Without one, nothing is rendered in the cloud either.
    """
    asked = {**SETTINGS, **({} if browser else {"render": {"mode": "never"}}), **more}
    crawl = service.start(server.url, asked)
    shown = service.wait_for(crawl)
    assert (shown["status"], shown["error"]) == ("completed", None)
    assert_no_step_failed(service, crawl)
    cloud = service.download(crawl, folder / crawl)
    server.forget()  # flaky pages fail again
    settings = on_loopback(asked, contact=CONTACT)
    done = crawl_inline(server.url, folder / "here", settings, browser=browser)

    assert CliRunner().invoke(app, ["compare", "--edges", str(cloud), str(done.exports)]).exit_code == 0
    ours, theirs = fingerprint(done.exports, server.origin), fingerprint(cloud, server.origin)
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert theirs[name] == content, f"{name} differs"
    return CrawlId(tenant="default", site=shown["site"], crawl=crawl), done


def assert_no_step_failed(service: Service, crawl: str) -> None:
    """Check the execution's history as the console displays it."""
    execution = service.deployment.executions()[crawl]
    states = service.deployment.client("stepfunctions")
    events = states.get_execution_history(executionArn=execution, maxResults=1000)["events"]
    kinds = {event["type"] for event in events}
    assert {"TaskSucceeded", "ChoiceStateEntered"} <= kinds
    assert {kind for kind in kinds if kind.endswith(("Failed", "TimedOut", "Aborted"))} == set()


@pytest.mark.parametrize("workers", [1, MANY_FUNCTIONS])
def test_the_demo_site_is_crawled_as_on_one_machine(service: Service, workers: int, tmp_path: Path) -> None:
    service.deployment.set_fetch_concurrency(workers)
    with SiteServer(demo_site()) as server:
        compared(service, server, tmp_path)


def test_best_first_is_the_same_as_on_one_machine(service: Service, tmp_path: Path) -> None:
    more = {"strategy": "best_first", "max_pages": 61, "focus": {"terms": ["radar gauge"]}}
    with SiteServer(demo_site()) as server:
        compared(service, server, tmp_path, more)


def test_a_site_that_needs_a_browser_is_rendered_as_on_one_machine(service: Service, tmp_path: Path) -> None:
    """Chromium renders in the cloud. The browser in embedded mode knows what the site's scripts make."""
    executable()
    more = {"render": {"learn_after": 1, "sample_every": 0, "settle": 0.5, "timeout": 30.0}}
    with SiteServer(scripted_site()) as server:
        _, done = compared(service, server, tmp_path, more, browser=shop_browser())
    assert done.summary.rendered > len(APP)


@pytest.mark.parametrize("workers", [1, MANY_FUNCTIONS] if CAMPAIGN else [MANY_FUNCTIONS])
def test_the_manual_of_git_is_crawled_as_on_one_machine(service: Service, workers: int, tmp_path: Path) -> None:
    service.deployment.set_fetch_concurrency(workers)
    with FolderServer(GIT_DOC.folder) as server:
        compared(service, server, tmp_path)


@pytest.mark.parametrize("workers", [1, MANY_FUNCTIONS] if CAMPAIGN else [MANY_FUNCTIONS])
def test_three_crawls_of_a_changing_site_are_the_same_as_on_one_machine(
    service: Service, workers: int, tmp_path: Path
) -> None:
    service.deployment.set_fetch_concurrency(workers)
    port = 0
    crawls: list[tuple[CrawlId, Done]] = []
    for version, settings in enumerate(changing_site.SETTINGS):
        with SiteServer(changing_site.changing_site(version), port=port) as server:
            port = server.port
            crawls.append(compared(service, server, tmp_path, settings))
    there, here = crawls[-1]
    (bucket,) = service.deployment.named("AWS::S3::Bucket")
    download_memory(service.deployment.client("s3"), bucket, there, tmp_path / "there")
    remembered = histories(tmp_path / "here", here.row.id)
    assert len(remembered) > 150
    assert histories(tmp_path / "there", there) == remembered

    shown = []
    with closing(ResultsService(tmp_path / "here")) as local:
        for (base, old), (crawl, new) in pairwise(crawls):
            found = findings(lambda path, **query: service.api("GET", f"{path}?{urlencode(query)}"), base, crawl)
            expected = findings(lambda path, **query: local.ask("GET", path, query=query).body, old.row.id, new.row.id)
            assert found == expected
            shown.append(found)
    second, third = shown
    # The first crawl stopped at a limit. It read the page that moves, which is not found later; that its text is at
    # another URL now is known, even if the first crawl did not know this URL. The site moves one page (`_MOVED`).
    assert (second["kinds"]["moved"], len(second["texts"]), second["missed"]) == (1, 6, [["coverage"], []])
    assert {kind: count for kind, count in third["kinds"].items() if count} == {"changed": 2}


def findings(get: Callable[..., Any], first: CrawlId, second: CrawlId) -> dict[str, Any]:
    """Return what the API finds in two crawls, without their ids."""
    base, crawl = first.crawl, second.crawl
    kinds = get(f"/v1/crawls/{crawl}/diff", base=base)["kinds"]
    listed = [get(f"/v1/crawls/{crawl}/diff", base=base, kind=one, limit="100") for one in kinds if kinds[one]]
    objectives = [get(f"/v1/crawls/{one}/statistics")["objectives"] for one in (base, crawl)]
    return {
        "kinds": kinds,
        "differences": [one["differences"] for one in listed],
        "texts": get(f"/v1/crawls/{crawl}/diff/texts", base=base)["changes"],
        "duplicates": get(f"/v1/crawls/{crawl}/duplicates", limit="100")["duplicates"],
        "objectives": objectives,
        "missed": [[one["name"] for one in all_ if one["met"] is False] for all_ in objectives],
    }
