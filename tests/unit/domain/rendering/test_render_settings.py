import pytest

from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots


@pytest.mark.parametrize(
    ("mode", "screenshots", "needed"),
    [
        (RenderMode.AUTO, Screenshots.NONE, False),
        (RenderMode.AUTO, Screenshots.HOME, True),
        (RenderMode.ALWAYS, Screenshots.NONE, True),
        (RenderMode.NEVER, Screenshots.ALL, False),
    ],
)
def test_a_crawl_needs_a_browser_if_it_cannot_do_without(
    mode: RenderMode, screenshots: Screenshots, *, needed: bool
) -> None:
    assert RenderSettings(mode=mode, screenshots=screenshots).needs_browser is needed


def test_screenshots_are_of_the_root_or_of_all_pages() -> None:
    shows = [RenderSettings(screenshots=which).takes_screenshot for which in Screenshots]
    assert [(show(is_root=True), show(is_root=False)) for show in shows] == [
        (False, False),
        (True, False),
        (True, True),
    ]


def test_a_page_may_be_read_after_its_time_is_over() -> None:
    assert RenderSettings(timeout=100.0).longest == 120.0
