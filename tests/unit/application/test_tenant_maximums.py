"""The ranges of settings that a tenant may use: those of its plan, or those that the operator set for it."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.tenants import SqliteTenants
from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.application.tenants import TenantChange, change_settings, change_tenant, create_tenant, within_plan
from wavecrawl.domain.crawl.setting_paths import with_values
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.domain.tenants.defaulted import DEFAULTED
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import ConflictError, InvalidSettingsError, PlanLimitError
from wavecrawl.ports.tenants import TenantRow

OPERATOR = OperatorSettings()
ACME = TenantRow(tenant="acme", name="Acme", plan=Plan.PRO)


@pytest.mark.parametrize(
    ("settings", "limit", "ceiling"),
    [
        ({"polite": PoliteSettings(in_flight=11)}, "polite.in_flight", 10),
        ({"limits": FetchLimits(max_bytes=10_485_761)}, "limits.max_bytes", 10_485_760),
        ({"limits": FetchLimits(max_decoded_bytes=20_971_521)}, "limits.max_decoded_bytes", 20_971_520),
    ],
)
def test_settings_of_a_tenant_stay_within_what_a_worker_can_bear(
    settings: dict[str, Any], limit: str, ceiling: int
) -> None:
    with pytest.raises(PlanLimitError, match=rf"^{limit} may be at most {ceiling:,} for tenant acme, not ") as caught:
        within_plan(CrawlSettings(**settings), ACME, OPERATOR, named=DEFAULTED)
    assert (caught.value.limit, caught.value.ceiling) == (limit, ceiling)
    within_plan(CrawlSettings(**settings), replace(ACME, plan=Plan.UNLIMITED), OPERATOR, named=DEFAULTED)


def test_defaults_above_a_limit_are_lowered_to_it() -> None:
    maximums = {"polite.in_flight": 3, "max_depth": 4.0, "render.settle": 1.5}
    acme = replace(ACME, plan=Plan.FREE, maximums=maximums)
    tenant = TenantSettings(
        settings=CrawlSettings(max_depth=9, max_tries=900, render=RenderSettings(settle=7.0)),
        named=frozenset({"max_depth", "max_tries", "render.settle"}),
    )
    allowed = within_plan(CrawlSettings(), replace(acme, settings=tenant), OPERATOR, named=())
    found = (allowed.polite.in_flight, allowed.max_depth, allowed.render.settle, allowed.max_tries, allowed.max_pages)
    assert found == (3, 4, 1.5, 500, 50)
    assert type(allowed.max_depth) is int
    named = CrawlSettings(max_depth=5)
    with pytest.raises(PlanLimitError, match="max_depth may be at most 4 for tenant acme, not 5"):
        within_plan(named, acme, OPERATOR, named={"max_depth"})


def test_a_default_above_a_maximum_is_refused_when_it_is_set(tmp_path: Path) -> None:
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    acme = create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    too_many = TenantSettings(
        settings=CrawlSettings(polite=PoliteSettings(in_flight=11)), named=frozenset({"polite.in_flight"})
    )
    with pytest.raises(PlanLimitError, match=r"polite\.in_flight may be at most 10"):
        change_settings(acme, too_many, tenants=tenants, operator=OPERATOR, now=2.0)


def test_only_the_operator_lets_a_tenant_ignore_robots(tmp_path: Path) -> None:
    ignoring = CrawlSettings(polite=PoliteSettings(obey_robots=False))
    with pytest.raises(InvalidSettingsError, match="obey_robots can be false only with the operator's permission"):
        within_plan(ignoring, ACME, OPERATOR, named={"polite.obey_robots"})
    assert within_plan(ignoring, ACME, OPERATOR, named=()).polite.obey_robots  # a default from before
    own = replace(ACME, tenant=OPERATOR.tenant)
    assert not within_plan(ignoring, own, OPERATOR, named={"polite.obey_robots"}).polite.obey_robots
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    change_tenant("acme", TenantChange(may_ignore_robots=True), tenants=tenants, own="own", now=2.0)
    acme = change_tenant("acme", TenantChange(name="A"), tenants=tenants, own="own", now=3.0)
    assert not within_plan(ignoring, acme, OPERATOR, named={"polite.obey_robots"}).polite.obey_robots


@pytest.mark.parametrize("suffix", ["Googlebot/2.1", "audit/1.0 (compatible; bingbot/2.0)", "x/1 GPTBot", "ClaudeBot"])
def test_only_the_operator_lets_a_tenant_name_another_crawler(suffix: str, tmp_path: Path) -> None:
    named = CrawlSettings(user_agent_suffix=suffix)
    with pytest.raises(InvalidSettingsError, match=r"user_agent_suffix can name another crawler .* only with the oper"):
        within_plan(named, ACME, OPERATOR, named={"user_agent_suffix"})
    assert within_plan(named, ACME, OPERATOR, named=()).user_agent_suffix == "", "a default from before"
    own = replace(ACME, tenant=OPERATOR.tenant)
    assert within_plan(named, own, OPERATOR, named={"user_agent_suffix"}).user_agent_suffix == suffix
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    change_tenant("acme", TenantChange(may_name_crawlers=True), tenants=tenants, own="own", now=2.0)
    acme = change_tenant("acme", TenantChange(name="A"), tenants=tenants, own="own", now=3.0)
    assert within_plan(named, acme, OPERATOR, named={"user_agent_suffix"}).user_agent_suffix == suffix


@pytest.mark.parametrize("suffix", ["", "staging-audit/2.1", "botany/1.0 (about slurping)", "my-googlebot-audit/1"])
def test_other_products_may_be_named(suffix: str) -> None:
    named = CrawlSettings(user_agent_suffix=suffix)
    assert within_plan(named, ACME, OPERATOR, named={"user_agent_suffix"}).user_agent_suffix == suffix


@pytest.mark.parametrize(
    ("plan", "path", "ceiling"),
    [
        (Plan.FREE, "checks.max_urls", 500),
        (Plan.FREE, "media.max_assets", 500),
        (Plan.FREE, "sitemaps.max_files", 500),
        (Plan.FREE, "sitemaps.max_listed", 50_000),
        (Plan.FREE, "max_links", 100_000),
        (Plan.FREE, "max_frontier", 100_000),
        (Plan.PREMIUM, "max_frontier", 500_000),
        (Plan.PREMIUM, "sitemaps.max_files", 1_000),
        (Plan.PREMIUM, "checks.max_urls", 250_000),
    ],
)
def test_what_costs_memory_or_requests_has_a_maximum_in_each_plan(plan: Plan, path: str, ceiling: int) -> None:
    tenant = replace(ACME, plan=plan)
    more = with_values(CrawlSettings(), {path: ceiling + 1})
    with pytest.raises(PlanLimitError) as caught:
        within_plan(more, tenant, OPERATOR, named={path})
    assert (caught.value.limit, caught.value.ceiling) == (path, ceiling)
    within_plan(with_values(more, {path: ceiling}), tenant, OPERATOR, named={path})
    within_plan(more, replace(tenant, plan=Plan.UNLIMITED), OPERATOR, named={path})


@pytest.mark.parametrize("plan", Plan)
def test_the_defaults_are_allowed_in_every_plan(plan: Plan) -> None:
    allowed = within_plan(CrawlSettings(), replace(ACME, plan=plan), OPERATOR, named=())
    assert (allowed.limits, allowed.polite) == (CrawlSettings().limits, CrawlSettings().polite)


def test_the_operator_sets_maximums_of_a_tenant(tmp_path: Path) -> None:
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    change = TenantChange(maximums={"polite.in_flight": 50, "max_depth": 3})
    acme = change_tenant("acme", change, tenants=tenants, own="own", now=2.0)
    assert tenants.read("acme") == acme
    many = CrawlSettings(max_depth=3, polite=PoliteSettings(in_flight=50))
    named = {"max_depth", "polite.in_flight"}
    assert within_plan(many, acme, OPERATOR, named=named).polite.in_flight == 50
    with pytest.raises(PlanLimitError, match="max_depth"):
        within_plan(replace(many, max_depth=4), acme, OPERATOR, named=named)
    unchanged = change_tenant("acme", TenantChange(name="A"), tenants=tenants, own="own", now=3.0)
    assert unchanged.maximums == change.maximums


def test_a_maximum_must_be_of_a_setting_and_in_its_range(tmp_path: Path) -> None:
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    change = TenantChange(maximums={"speed": 1, "polite.in_flight": 101})
    with pytest.raises(InvalidSettingsError) as caught:
        change_tenant("acme", change, tenants=tenants, own="own", now=2.0)
    assert caught.value.problems == (
        "maximums: polite.in_flight must be between 1 and 100: 101",
        "maximums: speed is no numeric setting",
    )


def test_a_default_of_media_is_in_the_range_of_the_setting(tmp_path: Path) -> None:
    tenants = SqliteTenants(Database(tmp_path / "db.sqlite"))
    create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    change = TenantChange(settings=TenantSettings(max_video_mb=501))
    with pytest.raises(InvalidSettingsError, match=r"media\.max_video_mb must be between 0.001 and 500: 501"):
        change_tenant("acme", change, tenants=tenants, own="own", now=2.0)


def test_settings_made_from_an_earlier_version_replace_no_newer_ones(tmp_path: Path) -> None:
    tenants, operator = SqliteTenants(Database(tmp_path / "db.sqlite")), OperatorSettings(tenant="own")
    first = create_tenant("acme", name="", plan=Plan.PRO, tenants=tenants, now=1.0)
    second = change_settings(first, TenantSettings(max_pages=40), tenants=tenants, operator=operator, now=2.0)
    with pytest.raises(ConflictError, match="acme was changed by another request"):
        change_settings(first, TenantSettings(max_video_mb=9), tenants=tenants, operator=operator, now=3.0)
    assert tenants.read("acme") == second


@pytest.mark.parametrize(
    ("plan", "own", "asked", "allowed"),
    [
        (Plan.FREE, {}, 0, 500_000_000),
        (Plan.FREE, {}, 20_000_000, 20_000_000),
        (Plan.PRO, {}, 0, 10_000_000_000),
        (Plan.FREE, {"render.max_crawl_bytes": 7e8}, 0, 700_000_000),
        (Plan.UNLIMITED, {}, 0, 0),
        (Plan.UNLIMITED, {"render.max_crawl_bytes": 1e9}, 0, 1_000_000_000),
    ],
)
def test_rendered_pages_of_a_crawl_receive_at_most_the_bytes_of_its_plan(
    plan: Plan, own: dict[str, float], asked: int, allowed: int
) -> None:
    acme = replace(ACME, plan=plan, maximums=own)
    named = {"render.max_crawl_bytes"} if asked else ()
    settings = CrawlSettings(render=RenderSettings(max_crawl_bytes=asked))
    found = within_plan(settings, acme, OPERATOR, named=named).render.max_crawl_bytes
    assert (found, type(found)) == (allowed, int)


def test_more_bytes_for_rendered_pages_than_the_plan_allows_are_refused() -> None:
    settings = CrawlSettings(render=RenderSettings(max_crawl_bytes=500_000_001))
    with pytest.raises(PlanLimitError, match=r"render\.max_crawl_bytes may be at most 500,000,000 ") as caught:
        within_plan(settings, replace(ACME, plan=Plan.FREE), OPERATOR, named={"render.max_crawl_bytes"})
    assert caught.value.limit == "render.max_crawl_bytes"
