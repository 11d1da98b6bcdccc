"""The operator's controls end crawls that are running, at their next wave."""

import json
from pathlib import Path
from typing import Any

from tests.handlers.cloud.test_whole_crawl import downloaded, start
from tests.support.functions import Deployment
from tests.support.plain_site import plain_site
from tests.support.serverless import Serverless

from wavecrawl.application.operator_controls import CurrentControls
from wavecrawl.demo.model import Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.ports.tenants import TenantRow

SITE = plain_site(pages=30, body_bytes=500, links_per_page=6)


def a_minute_later(service: Serverless) -> None:
    """Let every function read the controls again."""
    for function in service.functions.values():
        cloud: Any = function.cloud
        cloud.current_controls = CurrentControls(cloud.controls, cloud.clock)


def summary(stack: Deployment, crawl: dict[str, str], folder: Path) -> Any:
    return json.loads((downloaded(stack, crawl, folder) / "summary.json").read_text(encoding="utf-8"))


def test_when_all_crawls_are_stopped_a_running_one_is_cancelled_with_its_results(
    stack: Deployment, tmp_path: Path
) -> None:
    with SiteServer(SITE) as server:
        crawl, service = start(stack, server.url), Serverless(stack)
        cloud = service.functions["run_wave"].cloud

        def stop(wave: int) -> None:
            if wave == 2:
                assert cloud.controls.update(OperatorControls(stopped=True, version=1))
                a_minute_later(service)

        finished = service.run(crawl, after_wave=stop)
        served = len(server.log)
        assert finished["status"] == "cancelled"
        assert 0 < finished["pages"] < 30
        assert summary(stack, crawl, tmp_path / "cloud")["status"] == "cancelled"
        assert cloud.crawls.read(CrawlId(**crawl)).cancel_asked
        assert len(server.log) == served


def test_a_crawl_ends_when_the_month_s_limit_is_reached_and_names_it(stack: Deployment, tmp_path: Path) -> None:
    with SiteServer(SITE) as server:
        crawl, service = start(stack, server.url), Serverless(stack)
        cloud = service.functions["run_wave"].cloud

        def limit(wave: int) -> None:
            if wave == 2:
                cloud.tenants.create(
                    TenantRow(tenant="default", name="own", plan=Plan.UNLIMITED, budget_usd_a_month=0.000_000_1)
                )

        finished = service.run(crawl, after_wave=limit)
        assert finished["status"] == "budget_exhausted"
        assert 0 < finished["pages"] < 30
        found = summary(stack, crawl, tmp_path / "cloud")
        assert found["reasons"]["monthly_budget"] > 0
        month = f"{crawl['crawl'][:4]}-{crawl['crawl'][4:6]}"
        assert 0 < cloud.spending.spent(month, "default") == cloud.spending.spent(month)


def test_the_cost_of_a_whole_crawl_is_added_to_the_month_without_any_limit(stack: Deployment) -> None:
    with SiteServer(Site(pages=(page("/", "/a"), page("/a")))) as server:
        crawl, service = start(stack, server.url), Serverless(stack)
        service.run(crawl)
        cloud = service.functions["finish_crawl"].cloud
        month = f"{crawl['crawl'][:4]}-{crawl['crawl'][4:6]}"
        once = cloud.spending.spent(month, "default")
        assert once > 0
        service.call("finish_crawl", {"crawl": crawl, "continued": 0})
        assert cloud.spending.spent(month, "default") == once
