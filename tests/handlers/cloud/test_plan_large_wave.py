"""Crawls with more URLs than the function run_wave has memory for: a task plans their waves, or they end."""

import csv
import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.handlers.cloud.test_whole_crawl import downloaded, start
from tests.support.comparing import fingerprint
from tests.support.crawling import QUICK, crawl_inline
from tests.support.functions import Context, Deployment
from tests.support.serverless import Serverless

from wavecrawl.cloud import plan_large_wave
from wavecrawl.cloud.planners import CloudPlanners
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.planner_memory import MEBIBYTE
from wavecrawl.ports.signals import NextStep

PAGES = Site(pages=(page("/", "/a", "/b"), page("/a", "/c"), page("/b"), page("/c", "/d"), page("/d")))
WITH_TASK = "1000000"
"""A deployment has the task if it knows from how many pages the task finishes crawls."""


def with_no_memory(stack: Deployment, *, finish_pages: str = "") -> Serverless:
    """Return the functions of a deployment whose planner has no memory for any URL."""
    stack.environment["WAVECRAWL_FINISH_PAGES"] = finish_pages
    serverless = Serverless(stack)
    serverless.context = Context(remaining=300_000, memory_limit_in_mb=0)
    return serverless


def test_a_crawl_whose_waves_a_task_plans_has_the_results_of_one_machine(stack: Deployment, tmp_path: Path) -> None:
    stack.environment["WAVECRAWL_CONTACT"] = ""
    serverless = with_no_memory(stack, finish_pages=WITH_TASK)
    with SiteServer(demo_site()) as server:
        crawl = start(stack, server.url)
        finished = serverless.run(crawl)
        found = fingerprint(downloaded(stack, crawl, tmp_path / "cloud"), server.origin)
        outputs = serverless.signals.outputs
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path / "local", replace(QUICK, files_at_once=()))
        expected = fingerprint(done.exports, server.origin)
    assert finished == {"status": "completed", "pages": done.summary.pages}
    assert found == expected
    planned = [token for token, following in outputs.items() if following.next is NextStep.PLAN]
    assert planned, "the task planned no wave"
    assert serverless.calls.count("plan_large_wave") == len(planned)
    first = f"token-{min(int(token.removeprefix('token-')) for token in planned)}"
    assert first == "token-2", "the first wave has no URLs before it"


def test_the_event_and_the_metrics_of_a_wave_are_those_of_the_function(
    stack: Deployment, capsys: pytest.CaptureFixture[str]
) -> None:
    serverless = with_no_memory(stack, finish_pages=WITH_TASK)
    with SiteServer(PAGES) as server:
        crawl = start(stack, server.url, discovery="links_only")
        serverless.run_waves(crawl)
    log = serverless.functions["run_wave"].cloud.event_log.after(CrawlId(**crawl), -1, limit=99)
    assert [entry.data["planned"] for entry in log if "planned" in entry.data] == [1, 2, 1, 1, 0]
    assert [entry.data["known"] for entry in log if "planned" in entry.data] == [1, 3, 4, 5, 5]
    metrics = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    lines = [line for line in metrics if "UrlsPlanned" in line]
    assert [line["UrlsPlanned"][0] for line in lines] == [1, 2, 1, 1, 0]
    assert {line["Redispatches"][0] for line in lines} == {0}
    planning = [line["PlanningDuration"] for line in metrics if "PlanningDuration" in line]
    assert [len(seconds) for seconds in planning] == [1] * 5  # the function plans the first wave, the task the others
    assert ["PlanningDuration" in line for line in lines] == [True, False, False, False, False]


def ledger(stack: Deployment, crawl: dict[str, str], folder: Path) -> dict[str, str]:
    """Return the reason of each URL that was not requested, by path."""
    lines = (downloaded(stack, crawl, folder) / "ledger.csv").read_text(encoding="utf-8-sig").splitlines()
    return {row["url"].rpartition("/")[2]: row["reason"] for row in csv.DictReader(lines) if row["reason"]}


@pytest.mark.parametrize(("finish_pages", "task_memory"), [("", 0), (WITH_TASK, 0)], ids=["no task", "a small task"])
def test_a_crawl_that_nobody_has_memory_for_ends_with_what_it_has_and_says_why(
    stack: Deployment, tmp_path: Path, logged: StringIO, finish_pages: str, task_memory: int
) -> None:
    serverless = with_no_memory(stack, finish_pages=finish_pages)
    serverless.task_memory = task_memory
    with SiteServer(PAGES) as server:
        crawl = start(stack, server.url, log_urls=1.0)
        finished = serverless.run(crawl)
    assert finished == {"status": "completed", "pages": 1}
    assert ledger(stack, crawl, tmp_path / "exports") == {"a": "planner_memory", "b": "planner_memory"}
    lines = [line for line in map(json.loads, logged.getvalue().splitlines()) if line["message"] == "url"]
    suppressed = [(line["url"], line["reason"]) for line in lines if line["state"] == "skipped"]
    assert suppressed == [(f"{server.url}a", "planner_memory"), (f"{server.url}b", "planner_memory")]


def test_the_task_plans_a_wave_once(stack: Deployment) -> None:
    serverless = with_no_memory(stack, finish_pages=WITH_TASK)
    with SiteServer(PAGES) as server:
        crawl = start(stack, server.url)
        serverless.call("open_crawl", {"crawl": crawl, "continued": 0})
        serverless.wave(crawl, "bfs", 1)
        for _ in range(2):
            serverless.plan(crawl, "bfs", 2)
    objects = serverless.functions["run_wave"].cloud.objects
    assert objects.get(CrawlId(**crawl), "frontier/000002.msgpack") is not None
    assert objects.get(CrawlId(**crawl), "frontier/000003.msgpack") is None


def test_an_error_ends_the_program_with_an_error(stack: Deployment) -> None:
    task = {"crawl": {"tenant": "t", "site": "s", "crawl": "none"}, "phase": "bfs", "wave": 2, "memory": 1}
    with pytest.raises(Exception, match="does not exist"):
        plan_large_wave.main(stack.environment | {"WAVECRAWL_TASK": json.dumps(task)})


class Two:
    """The planners of a warm function that has planned a wave of two crawls."""

    def __init__(self, stack: Deployment, resident: int = 0) -> None:
        self.resident = resident
        serverless = Serverless(stack)
        self.cloud: Any = serverless.functions["run_wave"].cloud
        self.planners = CloudPlanners(self.cloud, resident=lambda: self.resident)
        self.rows = []
        with SiteServer(PAGES) as server, SiteServer(PAGES) as other:
            for url in (server.url, other.url):
                crawl = start(stack, url)
                serverless.call("open_crawl", {"crawl": crawl, "continued": 0})
                serverless.wave(crawl, "bfs", 1)
                self.rows.append(self.cloud.crawl(CrawlId(**crawl)))
        for row in self.rows:
            self.planners.of(row).restore(1)

    def kept(self) -> list[bool]:
        """Return whether the process keeps the state of each crawl."""
        return [self.planners.of(row).held_bytes > 0 for row in self.rows]


def test_a_warm_function_drops_the_planner_of_another_crawl_if_there_is_room_for_one(stack: Deployment) -> None:
    two = Two(stack)
    first = two.rows[0]
    held = two.planners.of(first).held_bytes
    assert two.planners.has_room(first, 2, memory=1_769 * MEBIBYTE, measured=False)
    assert two.kept() == [True, True]
    assert two.planners.has_room(first, 2, memory=round(1.5 * 1.15 * held / 0.25), measured=False)
    assert two.kept() == [True, False]


def test_a_wave_that_is_planned_already_needs_no_room(stack: Deployment) -> None:
    two = Two(stack)
    assert two.planners.has_room(two.rows[0], 1, memory=0, measured=True)
    assert not two.planners.has_room(two.rows[0], 2, memory=0, measured=True)
    assert two.kept() == [False, True]


def test_a_process_that_is_nearly_full_has_no_room_whatever_the_urls_take(stack: Deployment) -> None:
    two = Two(stack, resident=900 * MEBIBYTE)
    assert two.planners.has_room(two.rows[0], 2, memory=1_000 * MEBIBYTE, measured=False)
    assert two.kept() == [True, True]
    assert not two.planners.has_room(two.rows[0], 2, memory=1_000 * MEBIBYTE, measured=True)
    assert two.kept() == [False, False]
