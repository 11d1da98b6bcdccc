"""Schedules run by `wavecrawl serve`."""

from pathlib import Path
from typing import Any

import pytest
from tests.support.campaign import slow
from tests.support.patience import eventually
from tests.support.plain_site import plain_site
from tests.support.serving import Served, served
from tests.support.some_ports import some_ports
from tests.support.still_clock import StillClock

from wavecrawl.adapters.embedded.schedules import SqliteSchedules
from wavecrawl.application.sites import create_site
from wavecrawl.bootstrap.local_settings import DEFAULTS, LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.sites import SiteRow

QUICK = CrawlSettings(polite=PoliteSettings(interval=0.0, adapt=False))
EVERY_MINUTE = {"frequency": "cron", "cron": "* * * * *"}


@pytest.fixture(name="site")
def a_site() -> SiteServer:
    return SiteServer(plain_site(pages=3, body_bytes=500, links_per_page=2))


def crawls(service: Served, site: str) -> list[dict[str, Any]]:
    """Return the crawls of a site."""
    found: list[dict[str, Any]] = service.ask("GET", f"/v1/sites/{site}/crawls").json()["crawls"]
    return found


def first_crawl(service: Served, site: str) -> dict[str, Any]:
    """Wait until a crawl of the site has started and ended."""
    assert eventually(lambda: crawls(service, site), poll=0.5), f"no crawl of {site} was started"
    return service.wait_for(crawls(service, site)[-1]["crawl"])


def test_what_came_due_while_nothing_ran_is_crawled_once(tmp_path: Path, site: SiteServer) -> None:
    store = LocalStore(tmp_path)
    long_ago = StillClock(store.clock.now() - 100 * 86_400.0)
    daily = Schedule(frequency=Frequency.CRON, cron="0 3 * * *", timezone="Europe/Berlin")
    with site:
        new = SiteRow(tenant=LOCAL_TENANT, site="", url=site.url, name="", settings=QUICK, schedule=daily)
        schedules = SqliteSchedules(store.database, long_ago)
        ports = some_ports(sites=store.sites, schedules=schedules, tenants=store.tenants, clock=long_ago)
        saved = create_site(new, ports, DEFAULTS)
        store.close()
        with served(tmp_path) as service:
            crawl = first_crawl(service, saved.site)
            assert (crawl["status"], crawl["counters"]["fetched"]) == ("completed", 3)
            assert len(crawls(service, saved.site)) == 1
            following = service.ask("GET", f"/v1/sites/{saved.site}").json()["schedule"]["next_at"]
            assert following > crawl["started_at"]


@slow  # waits for the next minute
def test_a_changed_schedule_takes_effect_at_once(tmp_path: Path, site: SiteServer) -> None:
    with site, served(tmp_path) as service:
        weekly = {"url": site.url, "settings": {"polite": {"interval": 0.0}}, "schedule": {"frequency": "weekly"}}
        saved = service.ask("POST", "/v1/sites", weekly).json()["site"]
        changed = service.ask("PATCH", f"/v1/sites/{saved}", {"schedule": EVERY_MINUTE})
        assert changed.status_code == 200
        assert first_crawl(service, saved)["status"] == "completed"
        rests = service.ask("PATCH", f"/v1/sites/{saved}", {"schedule": {"frequency": "manual"}})
        assert rests.json()["schedule"]["next_at"] is None
