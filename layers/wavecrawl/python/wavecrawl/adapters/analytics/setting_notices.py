"""The notices on settings that had no effect in a crawl, or that kept it from requesting URLs."""

from collections.abc import Iterator
from typing import Final
from urllib.parse import urlsplit

import duckdb

from wavecrawl.adapters.analytics.database import streamed
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.ledger import Notice
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
from wavecrawl.domain.pages.extraction_rules import Result, rules_of
from wavecrawl.domain.urls.patterns import Patterns, readable, separated, texts_of
from wavecrawl.domain.urls.scope import is_below

_PREFIX: Final = "scope.path_prefix"
_INCLUDE: Final = "scope.include"
_EXCLUDE: Final = "scope.exclude"
_RULES: Final = "extract.rules"
_ADDRESSES: Final = "allowed_addresses"
_SCREENSHOTS: Final = "render.screenshots"

SETTINGS: Final = frozenset((_PREFIX, _INCLUDE, _EXCLUDE, _RULES, _ADDRESSES, _SCREENSHOTS))
"""The subjects of these notices."""

WARNED: Final = SETTINGS - {_EXCLUDE}
"""Those of which callers of the library are warned. People often exclude what a site does not have."""

_FOUND: Final = "SELECT url FROM urls"
_EXCLUDED: Final = f"""
    SELECT url FROM urls WHERE reason = '{Reason.EXCLUDED}'
    UNION ALL SELECT url FROM part_media_uses WHERE "skip" = '{Reason.EXCLUDED}'
    UNION ALL SELECT url FROM part_resource_uses WHERE "skip" = '{Reason.EXCLUDED}'
"""
_DONE: Final = "state IN ('fetched', 'unchanged')"


def may_have_notices(settings: CrawlSettings) -> bool:
    """Return whether a crawl with these settings may have notices of which callers of the library are warned."""
    scope, default = settings.scope, ScopeSettings()
    return bool(
        scope.path_prefix != default.path_prefix
        or scope.include
        or settings.extract.rules
        or settings.checks.enabled
        or settings.render.lacks_browser
    )


def setting_notices(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> Iterator[Notice]:
    """Yield a notice for each setting that matched nothing, and for URLs that were not checked due to their address.

    Needs tables `urls`, `pages` and `checks`, and the views of parts. Without a page, nothing could be matched.
    """
    if db.execute(f"SELECT 1 FROM pages WHERE {_DONE} LIMIT 1").fetchone() is None:
        return
    yield from _prefix_notices(db, settings.scope.path_prefix)
    yield from _include_notices(db, settings.scope.include)
    yield from _exclude_notices(db, settings.scope.exclude)
    yield from _rule_notices(db, settings.extract.rules)
    yield from _address_notices(db)
    if settings.render.lacks_browser:
        how = "choose another one (--render), or no screenshots"
        yield Notice(subject=_SCREENSHOTS, message=f"no screenshots were made, as render.mode is never; {how}")


def _prefix_notices(db: duckdb.DuckDBPyConnection, prefix: str) -> Iterator[Notice]:
    readable_prefix = readable(prefix)
    if not any(is_below(urlsplit(url).path, readable_prefix) for (url,) in streamed(db, _FOUND)):
        message = f"the path of no URL begins with {prefix}, so only the start URL belongs to the site (--path-prefix)"
        yield Notice(subject=_PREFIX, message=message)


def _include_notices(db: duckdb.DuckDBPyConnection, patterns: tuple[str, ...]) -> Iterator[Notice]:
    if unmatched := _unmatched(db, _FOUND, patterns):
        how = "a pattern matches the whole path or URL, and * any text (--include)"
        yield Notice(subject=_INCLUDE, message=f"no URL matched {', '.join(unmatched)}; {how}")


def _exclude_notices(db: duckdb.DuckDBPyConnection, patterns: tuple[str, ...]) -> Iterator[Notice]:
    if unmatched := _unmatched(db, _EXCLUDED, patterns):
        how = "so nothing was left out for it; a pattern matches the whole path or URL, and * any text (--exclude)"
        yield Notice(subject=_EXCLUDE, message=f"no URL matched {', '.join(unmatched)}, {how}")


def _unmatched(db: duckdb.DuckDBPyConnection, query: str, given: tuple[str, ...]) -> list[str]:
    """Return the patterns that match none of the URLs of a query."""
    patterns = separated(given)
    left = {one: Patterns([one]) for one in patterns}
    for (url,) in streamed(db, query) if left else ():
        texts = texts_of(url)
        for one in [one for one, pattern in left.items() if pattern.match_any(texts)]:
            del left[one]
        if not left:
            break
    # Of `/docs` and `/docs/*`, which together mean a folder, one may match nothing.
    matched = set(patterns) - left.keys()
    return [one for one in patterns if matched.isdisjoint((one, f"{one}/*", one.removesuffix("/*")))]


def _rule_notices(db: duckdb.DuckDBPyConnection, texts: tuple[str, ...]) -> Iterator[Notice]:
    if not texts:
        return
    found = dict(
        db.execute(
            f"""
            SELECT pair.name, bool_or(pair.value NOT IN ('false', '0'))
            FROM (SELECT unnest(extracted) AS pair FROM part_pages WHERE {_DONE}) GROUP BY 1
            """
        ).fetchall()
    )
    unmatched = [
        rule.name
        for rule in rules_of(texts)
        if rule.name not in found or not (found[rule.name] or rule.result is Result.VALUES)
    ]
    if unmatched:
        how = "check what these rules look for, and on which pages"
        yield Notice(subject=_RULES, message=f"no page had a match for {', '.join(unmatched)}; {how}")


def _address_notices(db: duckdb.DuckDBPyConnection) -> Iterator[Notice]:
    query = "SELECT count(*) FROM checks WHERE reason = ?"
    ((blocked,),) = db.execute(query, [Reason.BLOCKED_ADDRESS.value]).fetchall()
    if blocked:
        urls = counted(blocked, "URL was", "URLs were")
        why = "as the addresses of their hosts are not public"
        how = "to check them, the operator of the crawler adds the addresses here (--allow-address ADDRESS)"
        yield Notice(subject=_ADDRESSES, message=f"{urls} not checked, {why}; {how}")
