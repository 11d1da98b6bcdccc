import pytest
from msgspec.structs import replace

from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeSettings, WaveSettings
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.focus.settings import FocusSettings
from wavecrawl.domain.knowledge.settings import KnowledgeSettings
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.recrawl.settings import Mode, RecrawlSettings
from wavecrawl.domain.rendering.settings import DetectSettings, RenderSettings
from wavecrawl.errors import InvalidSettingsError

DEFAULT = CrawlSettings()
MANY = ",".join(f"term {chr(ord('a') + number // 26)}{chr(ord('a') + number % 26)}" for number in range(51))


def test_the_defaults_hold_and_are_those_of_the_specification() -> None:
    assert DEFAULT.validated() is DEFAULT
    assert (DEFAULT.max_depth, DEFAULT.max_retries, DEFAULT.max_redirects) == (25, 2, 5)
    assert (DEFAULT.limits.timeout, DEFAULT.limits.max_bytes) == (10.0, 5 * 1024 * 1024)
    assert (DEFAULT.polite.in_flight, DEFAULT.polite.interval) == (5, 0.04)
    assert (DEFAULT.sitemaps.max_urls, DEFAULT.sitemaps.timeout, DEFAULT.sitemaps.max_depth) == (50_000, 5.0, 3)
    assert (DEFAULT.waves.max_urls, DEFAULT.waves.batch_size, DEFAULT.frontier_limit) == (5_000, 100, 100_000)


def test_the_limit_on_waiting_urls_grows_with_the_pages() -> None:
    assert CrawlSettings(max_pages=5_000).frontier_limit == 100_000
    assert CrawlSettings(max_pages=50_000).frontier_limit == 1_000_000
    assert CrawlSettings(max_pages=50_000, max_frontier=7).frontier_limit == 7


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (replace(DEFAULT, max_pages=0), "max_pages must be between 1 and 100,000,000: 0"),
        (replace(DEFAULT, max_depth=-1), "max_depth must be between 0 and 10,000: -1"),
        (replace(DEFAULT, limits=FetchLimits(timeout=0)), "limits.timeout must be between 0.05 and 600: 0"),
        (replace(DEFAULT, polite=PoliteSettings(in_flight=0)), "polite.in_flight must be between 1 and 1,000: 0"),
        (replace(DEFAULT, polite=PoliteSettings(interval=float("nan"))), "polite.interval must be between"),
        (replace(DEFAULT, waves=WaveSettings(batch_size=0)), "waves.batch_size must be between 1 and 100: 0"),
        (replace(DEFAULT, scope=ScopeSettings(path_prefix="docs")), "scope.path_prefix must start with '/': 'docs'"),
        (replace(DEFAULT, scope=ScopeSettings(include=("",))), "scope.include has an empty pattern"),
        (replace(DEFAULT, focus=FocusSettings(path_weights=("/a = 2",))), "focus.path_weights must be '/PREFIX = "),
        (
            replace(DEFAULT, recrawl=RecrawlSettings(intervals=("/a = 1",))),
            "recrawl.intervals must be '/PREFIX = NUMBER' with a number from 60 to 315,360,000: '/a = 1'",
        ),
        (replace(DEFAULT, scope=ScopeSettings(exclude=(" ",))), "scope.exclude has an empty pattern"),
        (replace(DEFAULT, focus=FocusSettings(terms=("event loop", " "))), "focus.terms must contain words; numbers"),
        (replace(DEFAULT, focus=FocusSettings(terms=(MANY,))), "focus.terms may have at most 50 terms; it has 51"),
        (replace(DEFAULT, discovery=Discovery.LIST), "urls must name at least one URL"),
        (replace(DEFAULT, urls=("https://example.com/",)), "urls requires discovery 'list'"),
        (
            replace(DEFAULT, mode=Mode.DUE_ONLY, discovery=Discovery.SITEMAP_ONLY),
            "mode 'due_only' follows links, but discovery 'sitemap_only' follows none",
        ),
        (
            replace(DEFAULT, recrawl=RecrawlSettings(min_interval=7_200.0, max_interval=3_600.0)),
            "recrawl.min_interval must not be longer than recrawl.max_interval",
        ),
        (
            replace(DEFAULT, knowledge=KnowledgeSettings(passage_characters=1_000, overlap_characters=1_000)),
            "knowledge.overlap_characters must be smaller than knowledge.passage_characters",
        ),
        (replace(DEFAULT, contact="x\r\ny"), "contact must be a URL or e-mail address"),
        (replace(DEFAULT, contact="a(b)"), "contact must be a URL or e-mail address"),
        (replace(DEFAULT, robots_product="my bot/1.0"), "robots_product may contain only letters"),
        (replace(DEFAULT, robots_product=""), "robots_product may contain only letters"),
        (replace(DEFAULT, also_obey=("Googlebot", "b/2")), "also_obey may contain only letters"),
        (replace(DEFAULT, also_obey=("b",) * 11), "also_obey may have at most 10 product tokens; it has 11"),
        (
            replace(DEFAULT, render=RenderSettings(detect=DetectSettings(roots=("#app", "div.app")))),
            "render.detect.roots must be '#id', a tag name or '[attribute]': 'div.app'",
        ),
        (replace(DEFAULT, allowed_addresses=("10.0.0.1/8",)), "allowed_addresses must be networks"),
        (replace(DEFAULT, allowed_addresses=("localhost",)), "allowed_addresses must be networks"),
        (
            replace(DEFAULT, max_pages="many"),  # what a settings file may hold
            "max_pages must be between",
        ),
    ],
)
def test_a_setting_that_does_not_hold_is_named(settings: CrawlSettings, said: str) -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        settings.validated()
    assert len(caught.value.problems) == 1
    assert said in caught.value.problems[0]


def test_all_problems_are_named_at_once() -> None:
    with pytest.raises(InvalidSettingsError) as caught:
        replace(DEFAULT, max_pages=0, max_retries=-1, contact="(").validated()
    assert len(caught.value.problems) == 3
    assert "max_pages" in str(caught.value)


def test_a_list_of_urls_goes_with_its_discovery() -> None:
    settings = replace(
        DEFAULT, discovery=Discovery.LIST, urls=("https://example.com/",), contact="https://example.com/bot"
    )
    assert settings.validated() is settings
