"""What a crawl can find."""

from typing import Any

import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeSettings
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.recrawl.reach import Reach
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings
from wavecrawl.domain.traps.settings import TrapSettings

USUAL = CrawlSettings()


def of(
    settings: CrawlSettings = USUAL, root_key: str = "r", *, authenticated: bool = False, media: bool = False
) -> Reach:
    return Reach.of(settings, root_key=root_key, authenticated=authenticated, media=media)


def test_a_crawl_covers_itself_and_nothing_unknown() -> None:
    assert of().covers(str(of()))
    assert not of().covers("")


def test_another_start_page_or_login_is_another_site() -> None:
    assert not of().covers(str(of(root_key="s")))
    assert not of().covers(str(of(authenticated=True)))


@pytest.mark.parametrize(
    "changes",
    [
        {"scope": ScopeSettings(exclude=("/x*",))},
        {"follow_nofollow": True},
        {"ignored_parameters": ("page",)},
        {"tracking_parameters": ()},
        {"session_parameters": ()},
        {"polite": PoliteSettings(obey_robots=False)},
        {"robots_product": "other"},
        {"also_obey": ("other",)},
        {"traps": TrapSettings(first_urls=0)},
    ],
)
def test_settings_that_leave_urls_out_must_be_the_same(changes: dict[str, Any]) -> None:
    changed = of(replace(USUAL, **changes))
    assert not of().covers(str(changed))
    assert not changed.covers(str(of()))
    assert changed.covers(str(changed))


@pytest.mark.parametrize("changes", [{"max_pages": 5}, {"max_depth": 1}, {"max_links": 9}, {"max_seconds": 1.0}])
def test_limits_do_not_matter_as_a_crawl_that_reaches_one_knows_it(changes: dict[str, Any]) -> None:
    assert of(replace(USUAL, **changes)).covers(str(of()))


def test_a_crawl_covers_those_that_use_fewer_ways_of_discovery() -> None:
    for discovery in (Discovery.LINKS_ONLY, Discovery.SITEMAP_ONLY, Discovery.SITEMAP_FIRST):
        other = of(replace(USUAL, discovery=discovery))
        assert of().covers(str(other))
        assert other.covers(str(of())) is (discovery is Discovery.SITEMAP_FIRST)
    listed = of(replace(USUAL, discovery=Discovery.LIST))
    assert not of().covers(str(listed))
    assert not listed.covers(str(listed))
    due = of(replace(USUAL, mode=Mode.DUE_ONLY))
    assert of().covers(str(due))
    assert not due.covers(str(of()))


def test_rendering_finds_what_is_found_without() -> None:
    modes = {mode: of(replace(USUAL, render=RenderSettings(mode=mode))) for mode in RenderMode}
    assert modes[RenderMode.ALWAYS].covers(str(modes[RenderMode.AUTO]))
    assert modes[RenderMode.AUTO].covers(str(modes[RenderMode.NEVER]))
    assert not modes[RenderMode.NEVER].covers(str(modes[RenderMode.AUTO]))


def test_media_are_found_only_by_crawls_that_look_for_them() -> None:
    documents = replace(USUAL, media=MediaSettings(include=(MediaGroup.DOCUMENTS,)))
    assert of(documents).covers(str(of()))
    assert not of(media=True).covers(str(of(documents, media=True)))
    assert of(documents, media=True).covers(str(of(documents, media=True)))
