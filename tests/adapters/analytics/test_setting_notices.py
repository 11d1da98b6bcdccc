"""The notices on settings that had no effect in a crawl."""

from collections.abc import Iterator

import duckdb
import pytest

from wavecrawl.adapters.analytics.setting_notices import SETTINGS, WARNED, may_have_notices, setting_notices
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.pages.extraction_rules import ExtractSettings
from wavecrawl.domain.rendering.settings import RenderMode, RenderSettings, Screenshots

SITE = "https://example.com"
HOW = "a pattern matches the whole path or URL, and * any text (--include)"


@pytest.fixture(name="db")
def a_crawl() -> Iterator[duckdb.DuckDBPyConnection]:
    """Return the tables of a crawl of three pages, with an extracted price, an advertisement and a search."""
    with duckdb.connect() as db:
        db.execute("CREATE TABLE urls (url VARCHAR, reason VARCHAR)")
        found = ("/", "/docs", "/shop/a%1?size=_x", "/shop/b", "/stra%C3%9Fe/1")
        db.executemany("INSERT INTO urls VALUES (?, '')", [[f"{SITE}{path}"] for path in found])
        for table in ("part_media_uses", "part_resource_uses"):
            db.execute(f'CREATE TABLE {table} (url VARCHAR, "skip" VARCHAR)')
        db.execute("CREATE TABLE pages AS SELECT 'fetched' AS state")
        db.execute("CREATE TABLE checks (reason VARCHAR)")
        db.execute(
            """
            CREATE TABLE part_pages AS SELECT unnest(['fetched', 'unchanged', 'not_found']) AS state, unnest([
                [{name: 'price', value: '0'}, {name: 'cart', value: 'false'}, {name: 'ads', value: '0'}],
                [{name: 'cart', value: 'false'}, {name: 'ads', value: '3'}],
                [{name: 'cart', value: 'true'}]
            ]) AS extracted
            """
        )
        yield db


def noticed(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> list[tuple[str, str]]:
    found = [(one.subject, one.message) for one in setting_notices(db, settings)]
    assert {subject for subject, _ in found} <= SETTINGS
    assert may_have_notices(settings) or not {subject for subject, _ in found} & WARNED
    return found


def with_includes(*patterns: str) -> CrawlSettings:
    return CrawlSettings(scope=ScopeSettings(include=patterns))


@pytest.mark.parametrize(
    "pattern",
    [
        "/docs",
        "/shop/*",
        "*example.com/d*",
        " /shop/b ",
        "/shop/a%1",
        "/shop/a%1?size=_x",
        "/straße/*",
        "/docs,/shop/*",
    ],
)
def test_a_pattern_may_match_the_url_the_path_or_the_path_with_the_query(
    db: duckdb.DuckDBPyConnection, pattern: str
) -> None:
    assert noticed(db, with_includes(pattern)) == []


def test_include_patterns_without_a_match_are_named(db: duckdb.DuckDBPyConnection) -> None:
    settings = with_includes("/sho_/*", "/docs", "docs", "/shop/a%?size=_x")
    assert noticed(db, settings) == [("scope.include", f"no URL matched /sho_/*, docs, /shop/a%?size=_x; {HOW}")]


def test_exclude_patterns_without_a_match_are_named(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("INSERT INTO urls VALUES (?, 'excluded')", [f"{SITE}/admin/1"])
    db.execute("INSERT INTO part_media_uses VALUES (?, 'excluded'), (?, '')", [f"{SITE}/a.png", f"{SITE}/b.gif"])
    db.execute("INSERT INTO part_resource_uses VALUES (?, 'excluded')", [f"{SITE}/a.css"])
    settings = CrawlSettings(scope=ScopeSettings(exclude=("/admin/*,*.png", "*.css", "*.gif", "/docs", "/admin")))
    how = "so nothing was left out for it; a pattern matches the whole path or URL, and * any text (--exclude)"
    assert noticed(db, settings) == [("scope.exclude", f"no URL matched *.gif, /docs, {how}")]


@pytest.mark.parametrize("folder", ["/docs", "/shop"])
def test_of_the_two_patterns_of_a_folder_one_may_match_nothing(db: duckdb.DuckDBPyConnection, folder: str) -> None:
    assert noticed(db, with_includes(folder, f"{folder}/*")) == []
    assert noticed(db, with_includes("/none", "/none/*")) == [
        ("scope.include", f"no URL matched /none, /none/*; {HOW}")
    ]


@pytest.mark.parametrize(
    ("prefix", "matches"),
    [("/", True), ("/docs/", True), ("/sh", True), ("/doc/", False), ("/straße/", True), ("/stra%DFe/", False)],
)
def test_a_path_prefix_without_a_match_is_named(db: duckdb.DuckDBPyConnection, prefix: str, *, matches: bool) -> None:
    settings = CrawlSettings(scope=ScopeSettings(path_prefix=prefix))
    message = f"the path of no URL begins with {prefix}, so only the start URL belongs to the site (--path-prefix)"
    assert noticed(db, settings) == ([] if matches else [("scope.path_prefix", message)])


def test_extraction_rules_and_searches_without_a_match_are_named(db: duckdb.DuckDBPyConnection) -> None:
    rules = ("price = .price", 'cart = has("Add to cart")', "ads = count(.ad)", "sku [/shop/*] = .sku")
    message = "no page had a match for cart, sku; check what these rules look for, and on which pages"
    settings = CrawlSettings(extract=ExtractSettings(rules=rules))
    assert noticed(db, settings) == [("extract.rules", message)]
    db.execute("UPDATE part_pages SET extracted = [] WHERE state = 'unchanged'")
    assert "for cart, ads, sku;" in noticed(db, settings)[0][1]


def test_urls_that_were_not_checked_because_of_their_addresses_are_counted(db: duckdb.DuckDBPyConnection) -> None:
    settings = CrawlSettings(checks=CheckSettings(external=True))
    assert noticed(db, settings) == []
    how = "to check them, the operator of the crawler adds the addresses here (--allow-address ADDRESS)"
    for number, urls in ((1, "1 URL was"), (2, "2 URLs were")):
        db.execute("INSERT INTO checks VALUES ('blocked_address')")
        message = f"{urls} not checked, as the addresses of their hosts are not public; {how}"
        assert (number, noticed(db, settings)) == (number, [("allowed_addresses", message)])


def test_a_crawl_without_pages_has_none_of_these_notices(db: duckdb.DuckDBPyConnection) -> None:
    db.execute("UPDATE pages SET state = 'forbidden'")
    assert noticed(db, with_includes("/none")) == []


def test_a_stored_site_whose_screenshots_cannot_be_made_gets_a_notice(db: duckdb.DuckDBPyConnection) -> None:
    settings = CrawlSettings(render=RenderSettings(mode=RenderMode.NEVER, screenshots=Screenshots.ALL))
    how = "choose another one (--render), or no screenshots"
    assert noticed(db, settings) == [
        ("render.screenshots", f"no screenshots were made, as render.mode is never; {how}")
    ]
