"""The check of crawl settings from outside. tests/handlers/api/test_settings_errors.py covers its callers."""

import pytest

from wavecrawl.application.crawl_settings import crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, ScopeMode
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS, REQUEST_BOUNDS
from wavecrawl.errors import InvalidSettingsError

SITEMAPS = (
    "sitemaps.max_urls, sitemaps.timeout, sitemaps.max_depth, sitemaps.max_files, sitemaps.max_listed, "
    "sitemaps.max_bytes, sitemaps.min_compared"
)


def problems_of(given: object, *, operator: bool = False) -> list[str]:
    with pytest.raises(InvalidSettingsError) as caught:
        crawl_settings(given, bounds=OPERATOR_BOUNDS if operator else REQUEST_BOUNDS)
    return list(caught.value.problems)


@pytest.mark.parametrize("given", [None, {}, {"polite": {}}])
def test_settings_that_are_not_named_have_their_defaults(given: object) -> None:
    assert crawl_settings(given, bounds=REQUEST_BOUNDS) == CrawlSettings()


def test_named_settings_are_those_of_the_crawl() -> None:
    given = {
        "discovery": "list",
        "urls": ["http://site.example/a"],
        "scope": {"mode": "subdomains"},
        "polite": {"interval": 1},
    }
    settings = crawl_settings(given, bounds=REQUEST_BOUNDS)
    assert (settings.discovery, settings.urls) == (Discovery.LIST, ("http://site.example/a",))
    assert (settings.scope.mode, settings.polite.interval) == (ScopeMode.SUBDOMAINS, 1.0)
    assert settings.polite.in_flight == CrawlSettings().polite.in_flight


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ([], "settings must be an object of settings, not []"),
        ({"max_pages": "many"}, "max_pages must be a whole number, not 'many'"),
        ({"max_pages": 1.0}, "max_pages must be a whole number, not 1.0"),
        ({"max_pages": True}, "max_pages must be a whole number, not True"),
        ({"max_pages": None}, "max_pages must be a whole number, not None"),
        ({"max_pages": 0}, "max_pages must be between 1 and 100,000,000: 0"),
        ({"retry_base": "1"}, "retry_base must be a number, not '1'"),
        ({"retry_base": float("nan")}, "retry_base must be between 0 and 3,600: nan"),
        ({"revalidate": 1}, "revalidate must be true or false, not 1"),
        ({"scope": {"path_prefix": 7}}, "scope.path_prefix must be a string, not 7"),
        ({"scope": {"include": "/a"}}, 'scope.include must be a list of strings, such as ["a", "b"], not \'/a\''),
        ({"scope": {"include": [7]}}, 'scope.include must be a list of strings, such as ["a", "b"], not [7]'),
        (
            {"scope": "origin"},
            "scope must be an object of settings (mode, path_prefix, include, exclude), not 'origin'",
        ),
        (
            {"scope": {"mode": "all"}},
            "scope.mode must be one of 'origin', 'host_and_www', 'subdomains', not 'all'",
        ),
        ({"include": ["/a"]}, "include is not a setting; did you mean scope.include or media.include?"),
        ({"focus": {"docs": []}}, "focus.docs is not a setting; did you mean focus.lanes.docs?"),
        ({"scope.mode": "origin"}, 'scope.mode is not a setting; write it in its group: {"scope": {"mode": ...}}'),
        ({"sitemaps": {"most": 1}}, f"sitemaps.most is not a setting; the settings are {SITEMAPS}"),
        ({"urls": ["http://site.example/"]}, "urls requires discovery 'list'; discovery is 'links_first'"),
        ({"scope": {"path_prefix": "docs"}}, "scope.path_prefix must start with '/': 'docs'"),
        ({"limits": {"timeout": 30.5}}, "limits.timeout must be between 0.05 and 30: 30.5"),
        ({"limits": {"max_bytes": 52_428_801}}, "limits.max_bytes must be between 1 and 52,428,800: 52428801"),
        (
            {"limits": {"max_decoded_bytes": 52_428_801}},
            "limits.max_decoded_bytes must be between 1 and 52,428,800: 52428801",
        ),
        ({"sitemaps": {"timeout": 61}}, "sitemaps.timeout must be between 0.05 and 60: 61.0"),
        ({"sitemaps": {"max_bytes": 52_428_801}}, "sitemaps.max_bytes must be between 1 and 52,428,800: 52428801"),
        ({"polite": {"max_interval": 0}}, "polite.max_interval must be between 1 and 86,400: 0.0"),
        ({"polite": {"max_retry_after": 59}}, "polite.max_retry_after must be between 60 and 86,400: 59.0"),
        ({"polite": {"cooldown": 0.5}}, "polite.cooldown must be between 1 and 86,400: 0.5"),
        ({"contact": "x"}, "contact can be set by the operator of the crawler only; leave it out"),
        ({"max_page_cpu": "\ud800"}, "max_page_cpu must be Unicode text, without lone surrogates: '\\ud800'"),
        (
            {"scope": {"include": ["\udcff"]}},
            "scope.include must be Unicode text, without lone surrogates: ['\\udcff']",
        ),
        (
            {"user_agent_suffix": {"\udcff": 1}},
            "user_agent_suffix must be Unicode text, without lone surrogates: {'\\udcff': 1}",
        ),
        ({"robots_product": "x"}, "robots_product can be set by the operator of the crawler only; leave it out"),
        (
            {"render": {"max_browser_mb": 9_000}},
            "render.max_browser_mb can be set by the operator of the crawler only; leave it out",
        ),
        ({"render": {"mode": "sometimes"}}, "render.mode must be one of 'auto', 'always', 'never', not 'sometimes'"),
        ({"waves": {"lease": 1.0}}, "waves can be set by the operator of the crawler only; leave it out"),
        (
            {"allowed_addresses": ["10.0.0.0/8"]},
            "allowed_addresses can be set by the operator of the crawler only; leave it out",
        ),
    ],
)
def test_a_setting_that_is_refused_is_named(given: object, problem: str) -> None:
    assert problems_of(given) == [problem]


def test_all_problems_are_named_at_once() -> None:
    given = {"max_page": 3, "max_pages": 0, "polite": {"speed": 1, "adapt": "no"}, "waves": {}}
    named = [problem.partition(" ")[0] for problem in problems_of(given)]
    assert named == ["max_page", "max_pages", "polite.speed", "polite.adapt", "waves"]


def test_a_list_of_settings_names_none_that_is_reserved() -> None:
    (problem,) = problems_of({"max_page": 3})
    assert "max_pages" in problem
    assert not [name for name in REQUEST_BOUNDS.reserved if name in problem]


def test_an_error_quotes_no_more_than_a_part_of_a_long_value() -> None:
    assert len(problems_of({"max_pages": "9" * 10_000})[0]) < 100


def test_the_operator_may_set_everything_in_its_whole_range() -> None:
    given = {
        "contact": "https://example.com/bot",
        "allowed_addresses": ["10.0.0.0/8"],
        "robots_product": "bot",
        "waves": {"lease": 60},
        "limits": {"timeout": 600, "max_bytes": 1_073_741_824},
        "polite": {"max_interval": 0, "max_retry_after": 0, "cooldown": 0},
    }
    settings = crawl_settings(given, bounds=OPERATOR_BOUNDS)
    assert (settings.contact, settings.waves.lease, settings.limits.timeout) == ("https://example.com/bot", 60, 600)
    assert problems_of({"limits": {"timeout": 601}}, operator=True) == [
        "limits.timeout must be between 0.05 and 600: 601.0"
    ]


@pytest.mark.parametrize("screenshots", ["home", "all"])
def test_screenshots_are_refused_if_nothing_is_rendered(screenshots: str) -> None:
    (problem,) = problems_of({"render": {"mode": "never", "screenshots": screenshots}})
    assert problem.startswith("render.mode 'never' renders no page, so no screenshots can be made")
    assert crawl_settings({"render": {"mode": "never"}}, bounds=REQUEST_BOUNDS).render.screenshots.value == "none"
