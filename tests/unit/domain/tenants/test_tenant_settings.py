import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.domain.tenants.defaulted import DEFAULTED
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.tenant_settings import TenantSettings
from wavecrawl.errors import InvalidSettingsError


@pytest.mark.parametrize(
    ("plan", "pages"),
    [
        (Plan.FREE, None),
        (Plan.FREE, 10),
        (Plan.FREE, 500),
        (Plan.PRO, 1_000),
        (Plan.PREMIUM, 25_000),
        (Plan.UNLIMITED, 3_000_000),
    ],
)
def test_a_tenants_page_limit_holds_within_the_bounds(plan: Plan, pages: int | None) -> None:
    settings = TenantSettings(max_pages=pages)
    assert settings.validated(plan) is settings


@pytest.mark.parametrize(
    ("plan", "pages", "most"),
    [
        (Plan.FREE, 9, "500"),
        (Plan.FREE, 501, "500"),
        (Plan.PRO, 1_001, "1,000"),
        (Plan.UNLIMITED, 100_000_001, "100,000,000"),
    ],
)
def test_a_page_limit_out_of_bounds_is_refused(plan: Plan, pages: int, most: str) -> None:
    with pytest.raises(InvalidSettingsError, match=f"^max_pages must be between 10 and {most}: {pages}$"):
        TenantSettings(max_pages=pages).validated(plan)


def test_every_problem_is_named() -> None:
    settings = TenantSettings(max_pages=1, schedule=Schedule(frequency=Frequency.CRON, cron="61 * * * *"))
    with pytest.raises(InvalidSettingsError) as caught:
        settings.validated(Plan.PRO)
    assert [problem.split()[0] for problem in caught.value.problems] == ["max_pages", "schedule.cron"]


def test_without_defaults_the_settings_of_a_crawl_stay() -> None:
    settings = CrawlSettings(max_pages=7, media=MediaSettings(include=(MediaGroup.VIDEOS,), max_video_mb=3))
    assert TenantSettings().fill(settings, named=()) == settings


def test_defaults_fill_what_is_not_named() -> None:
    defaults = TenantSettings(max_pages=40, include_media=True, max_video_mb=20)
    settings = CrawlSettings(max_depth=3, media=MediaSettings(max_width=500))
    everything = MediaSettings(max_width=500, include=tuple(MediaGroup), max_video_mb=20)
    assert defaults.fill(settings, named=()) == replace(settings, max_pages=40, media=everything)
    assert defaults.fill(settings, named=DEFAULTED) == settings
    assert defaults.fill(settings, named=["media.include"]).media == MediaSettings(max_width=500, max_video_mb=20)


@pytest.mark.parametrize(
    ("include", "types", "stored"),
    [
        (None, (MediaGroup.IMAGES,), ()),
        (False, (MediaGroup.IMAGES,), ()),
        (True, (MediaGroup.IMAGES,), (MediaGroup.IMAGES,)),
        (True, None, (MediaGroup.IMAGES, MediaGroup.VIDEOS, MediaGroup.DOCUMENTS)),
    ],
)
def test_media_types_are_those_that_are_stored_if_media_are(
    *, include: bool | None, types: tuple[MediaGroup, ...] | None, stored: tuple[MediaGroup, ...]
) -> None:
    settings = TenantSettings(include_media=include, media_types=types)
    assert settings.fill(CrawlSettings(), named=()).media.include == stored


SHOP = TenantSettings(
    settings=CrawlSettings(max_depth=4, max_retries=2, scope=ScopeSettings(exclude=("/cart/*",))),
    named=frozenset({"max_depth", "max_retries", "scope.exclude"}),
)


def test_any_setting_of_a_crawl_may_have_a_default() -> None:
    filled = SHOP.fill(CrawlSettings(scope=ScopeSettings(include=("/shop/*",))), named=["scope.include"])
    assert filled.max_depth == 4
    assert filled.scope == ScopeSettings(include=("/shop/*",), exclude=("/cart/*",))


def test_a_default_gives_way_even_to_the_crawlers_default_if_that_is_named() -> None:
    filled = SHOP.fill(CrawlSettings(), named=["max_depth", "scope.exclude"])
    assert filled == CrawlSettings()


def test_a_site_that_was_stored_without_the_names_of_its_settings_keeps_them() -> None:
    assert SHOP.fill(CrawlSettings(max_depth=9), named=()).max_depth == 9


@pytest.mark.parametrize("path", ["urls", "contact", "allowed_addresses", "waves.lease", "media.document_mb"])
def test_what_belongs_to_one_crawl_or_to_the_operator_has_no_default(path: str) -> None:
    assert path not in DEFAULTED
    assert {"max_depth", "scope.exclude", "render.mode", "media.include", "extract.rules"} <= DEFAULTED


def test_a_setting_has_one_default() -> None:
    twice = TenantSettings(
        settings=CrawlSettings(urls=("https://a.example/",)), named=frozenset({"max_pages", "media.include", "mode"})
    )
    with pytest.raises(InvalidSettingsError) as caught:
        twice.validated(Plan.PRO)
    assert caught.value.problems == (
        "settings.max_pages must be left out; set max_pages of the tenant's settings instead",
        "settings.media.include must be left out; set include_media and media_types of the tenant's settings instead",
        "settings.urls must be left out: a list of URLs belongs to one crawl or site",
    )
