from wavecrawl.domain.crawl.setting_paths import paths_of, with_values_of
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.crawl.settings_bounds import RANGES
from wavecrawl.domain.fetching.limits import FetchLimits


def test_the_paths_are_those_of_single_settings() -> None:
    paths = list(paths_of(CrawlSettings()))
    assert {"max_pages", "scope.exclude", "render.detect.roots", "traps.calendar.max_empty"} <= set(paths)
    assert not {"scope", "render.detect", "traps.calendar"} & set(paths)
    assert RANGES.keys() <= set(paths)
    assert len(paths) == len(set(paths))


def test_only_the_values_of_the_given_paths_are_taken() -> None:
    settings = CrawlSettings(max_depth=3, scope=ScopeSettings(include=("/a/*",), exclude=("/b/*",)))
    other = CrawlSettings(
        max_depth=9, max_pages=4, scope=ScopeSettings(exclude=("/c/*",)), limits=FetchLimits(timeout=7)
    )
    expected = CrawlSettings(
        max_depth=3, scope=ScopeSettings(include=("/a/*",), exclude=("/c/*",)), limits=FetchLimits(timeout=7)
    )
    assert with_values_of(settings, other, {"scope.exclude", "limits.timeout"}) == expected
    assert with_values_of(settings, other, ()) == settings
