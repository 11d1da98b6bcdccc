"""Issues of a site. Each kind is a query over the tables of the other modules, or a check of single pages."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

import duckdb
from msgspec.structs import replace

from wavecrawl.adapters.analytics.broken_fragments import build_broken_fragments
from wavecrawl.adapters.analytics.checks import BROKEN_PAGES
from wavecrawl.adapters.analytics.page_issue_tables import build_issue_tables
from wavecrawl.adapters.analytics.page_issues import PageCheck, checked_together, one_version, page_issue_queries
from wavecrawl.domain.checks.checked_issues import BROKEN_CHECKS, CHECKED_ISSUES
from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.crawl.record import UNREACHABLE, Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import Cut
from wavecrawl.domain.graph.issue import IssueKind, IssueName
from wavecrawl.domain.graph.issue_kinds import reported_kinds
from wavecrawl.domain.graph.walk import NO_NODE, Graph
from wavecrawl.domain.pages.text_choice import TextChoice

_CHAIN = 2  # redirects in a row that count as a chain
_FEW_LINKS = 100_000
_TOGETHER = 10  # kinds in one statement of a site with few links: each statement takes time. Of others: memory counts
_LONGEST_CHAIN = 100  # redirects of a chain that are followed; browsers stop after 20


_PAGES = "views p"
_PROBLEM = "concat_ws(' ', c.state, coalesce(c.status::VARCHAR, nullif(c.detail, '')))"


def _labelled(text: str, label: str = "link text") -> str:
    """Return the SQL of a text with its label, NULL if it is empty."""
    return f"""('{label} "' || nullif({text}, '') || '"')"""


def _broken(kind: CheckKind) -> str:
    """Return the query of the uses of broken URLs of a kind, one for each page; without those that `pages` has."""
    label = "alternative text" if kind is CheckKind.IMAGE else "link text"
    return f"""
            SELECT c.url, p.url, concat_ws(', ', {_PROBLEM}, 'loaded by ' || nullif(u.sheet, ''),
                {_labelled("u.first_text", label)})
            FROM (
                SELECT key, page, arg_min(text, position) AS first_text, min(sheet) AS sheet
                FROM check_uses WHERE kind = '{kind}' GROUP BY key, page
            ) u
            JOIN check_results c USING (key) JOIN urls p ON p.id = u.page
            WHERE c.broken AND c.url NOT IN (SELECT url FROM pages)"""


_EMPTY = """
    SELECT table_name FROM duckdb_tables() WHERE database_name = current_database() AND estimated_size = 0
"""
"""The names of the tables without rows. Of a table with rows, the size is never 0."""

_CHECKS: Mapping[IssueName, str | PageCheck] = {
    IssueName.BROKEN_LINK: f"""
            SELECT b.url, s.url, concat_ws(', ', b.problem,
                if(l.target <> l.final, 'redirected from ' || f.url, NULL), {_labelled("first_text")})
            FROM (
                SELECT l.source, n.final, l.target, arg_min(l.text, l.position) AS first_text
                FROM links l JOIN nodes n ON n.id = l.target GROUP BY ALL
            ) l
            JOIN broken_pages b ON b.id = l.final JOIN urls s ON s.id = l.source JOIN urls f ON f.id = l.target
            UNION ALL
            {_broken(CheckKind.FILE)}""",
    **{name: _broken(kind) for name, kind in BROKEN_CHECKS.items()},
    IssueName.INVALID_LINK: f"""
            SELECT s.url, t.url, concat_ws(', ', 'no valid host or port', {_labelled("l.first_text")})
            FROM (
                SELECT source, target, arg_min(text, position) AS first_text
                FROM links WHERE skip = '{Reason.INVALID_URL}' GROUP BY source, target
            ) l JOIN urls s ON s.id = l.source JOIN urls t ON t.id = l.target""",
    IssueName.INVALID_REDIRECT: f"""
            SELECT u.url, '', u.detail FROM urls u
            WHERE u.state = 'redirected' AND u.reason = '{Reason.REDIRECT_BAD_TARGET}'""",
    IssueName.REDIRECT_LOOP: "SELECT u.url, '', c.path FROM chains c JOIN urls u USING (id) WHERE c.circle",
    IssueName.ERROR_IN_SITEMAP: f"""
            SELECT b.url, l.sitemap, b.problem FROM broken_pages b JOIN listed l USING (id)
            UNION ALL
            SELECT p.url, l.sitemap, concat_ws(' ', p.state, p.status)
            FROM {_PAGES} JOIN listed l USING (id) WHERE p.state IN ('forbidden', 'blocked')""",
    IssueName.REDIRECT_CHAIN: f"""
            SELECT u.url, e.url, concat_ws(', ', c.hops || ' redirects: ' || c.path, 'linked from ' || s.url ||
                if(l.sources > 1, format(' and {{}} more', l.sources - 1), ''))
            FROM chains c JOIN urls u USING (id) JOIN nodes n USING (id) JOIN urls e ON e.id = n.final
            LEFT JOIN (
                SELECT l.target, count(DISTINCT l.source) AS sources,
                       arg_min(l.source, row(n.rank, l.position)) AS source
                FROM links l SEMI JOIN chains c ON c.id = l.target JOIN nodes n ON n.id = l.source
                WHERE l.kind IN ('a', 'area') GROUP BY l.target
            ) l ON l.target = c.id LEFT JOIN urls s ON s.id = l.source
            WHERE NOT c.circle AND c.hops >= {_CHAIN}""",
    IssueName.BROKEN_FRAGMENT: """
            SELECT f.url || '#' || b.fragment, s.url, concat_ws(', ', if(b.line > 0, 'line ' || b.line, NULL),
                if(b.target <> b.final, 'redirected from ' || t.url, NULL))
            FROM broken_fragments b
            JOIN urls s ON s.id = b.source JOIN urls f ON f.id = b.final JOIN urls t ON t.id = b.target""",
    IssueName.REDIRECT_IN_SITEMAP: f"""
            SELECT p.url, p.redirect_to, 'listed in ' || l.sitemap
            FROM {_PAGES} JOIN listed l USING (id) WHERE p.state = 'redirected'""",
    IssueName.DENIED_IN_SITEMAP: """
            SELECT u.url, l.sitemap, u.reason
            FROM urls u JOIN listed l USING (id) WHERE u.state = 'robots_denied'""",
    IssueName.NOINDEX_IN_SITEMAP: f"""
            SELECT p.url, l.sitemap, p.robots
            FROM {_PAGES} JOIN listed_pages l USING (id) WHERE p.noindex AND NOT l.redirects""",
    IssueName.CANONICAL_ELSEWHERE_IN_SITEMAP: f"""
            SELECT p.url, p.canonical, 'listed in ' || l.sitemap
            FROM {_PAGES} JOIN listed_pages l USING (id) WHERE p.canonicalised AND NOT l.redirects""",
    IssueName.ALTERNATE_ERROR_IN_SITEMAP: """
            SELECT DISTINCT e.url, p.url, concat_ws(' ', e.alternate.language || ':', p.problem)
            FROM (SELECT url, unnest(alternates) AS alternate FROM entries) e JOIN (
                SELECT key, url, problem FROM broken_pages
                UNION ALL
                SELECT key, url, concat_ws(' ', state, status) FROM pages WHERE state IN ('forbidden', 'blocked')
            ) p ON p.key = e.alternate.key""",
    IssueName.LASTMOD_IN_FUTURE: "SELECT DISTINCT url, sitemap, lastmod FROM future",
    IssueName.LASTMOD_ALIKE: "SELECT sitemap, '', detail FROM alike WHERE what = 'lastmod'",
    IssueName.LASTMOD_CONTRADICTED: f"""
            SELECT p.url, d.sitemap, format('{{}}, but the text {{}}', d.lastmod, CASE
                WHEN t.before = '' THEN 'is the same as on ' || t.changed_on ELSE 'was another one on ' || t.before END)
            FROM {_PAGES} JOIN dated d USING (id) JOIN text_dates t ON t.key = p.key
            WHERE length(d.lastmod) >= 10
              AND if(t.before = '', left(d.lastmod, 10) > t.changed_on, left(d.lastmod, 10) < t.before)""",
    IssueName.PRIORITY_ALIKE: "SELECT sitemap, '', detail FROM alike WHERE what = 'priority'",
    IssueName.ORPHAN: """
            SELECT v.url, l.sitemap, concat_ws(': ', o.verdict, o.evidence)
            FROM orphans o JOIN views v USING (id) JOIN listed_pages l USING (id)
            WHERE v.state IN ('fetched', 'unchanged')""",
    IssueName.MIXED_CANONICAL: f"""
            SELECT p.url, p.link_canonical, 'the Link header names ' || p.header_canonical
            FROM {_PAGES}
            LEFT JOIN declared h ON h.url = p.header_canonical LEFT JOIN declared l ON l.url = p.link_canonical
            WHERE p.header_canonical <> '' AND p.link_canonical <> ''
              AND coalesce(h.key, p.key) <> coalesce(l.key, p.key)
            UNION ALL
            SELECT p.url, p.canonical, 'noindex together with a canonical page'
            FROM {_PAGES} WHERE p.canonicalised AND p.noindex
            UNION ALL
            SELECT p.url, p.link_canonical, 'another canonical link names ' || o.url
            FROM (SELECT id, unnest(other_canonicals) AS url FROM checked) o JOIN views p USING (id)
            LEFT JOIN declared d ON d.url = o.url LEFT JOIN declared l ON l.url = p.link_canonical
            WHERE coalesce(d.key, if(o.url = p.url, p.key, '')) <> coalesce(l.key, p.key)
            UNION ALL
            SELECT p.url, p.canonical, 'the canonical page has another canonical page: ' || c.canonical
            FROM {_PAGES} JOIN views c ON c.id = p.canonical_id WHERE p.canonicalised AND c.canonicalised""",
    IssueName.DUPLICATE_TITLE: f"""
            SELECT p.url, first_value(p.url) OVER same, p.title
            FROM {one_version("p.title", "p.full_title <> ''")} p
            WINDOW same AS (PARTITION BY p.title ORDER BY p.rank) QUALIFY count(*) OVER (PARTITION BY p.title) > 1""",
    IssueName.DUPLICATE_DESCRIPTION: f"""
            SELECT p.url, first_value(p.url) OVER same, left(p.description, 200)
            FROM {one_version("p.description", "p.description <> ''")} p
            WINDOW same AS (PARTITION BY p.description ORDER BY p.rank)
            QUALIFY count(*) OVER (PARTITION BY p.description) > 1""",
    IssueName.DUPLICATE_CONTENT: """
            SELECT p.url, f.url, p.words || if(p.words = 1, ' word', ' words')
            FROM duplicates d JOIN views p USING (id) JOIN urls f ON f.id = d.first
            WHERE d.kind = 'exact' AND p.indexable""",
    IssueName.NEAR_DUPLICATE: """
            SELECT p.url, f.url,
                   format('{} {}, {:.0f} % alike', p.words, if(p.words = 1, 'word', 'words'), 100 * d.similarity)
            FROM duplicates d JOIN views p USING (id) JOIN urls f ON f.id = d.first
            WHERE d.kind = 'near' AND p.indexable""",
    IssueName.MISSING_TITLE: PageCheck(condition="p.indexable AND p.full_title = ''"),
    IssueName.MISSING_DESCRIPTION: PageCheck(condition="p.indexable AND p.description = ''"),
    IssueName.DEAD_END: PageCheck(condition="p.html AND p.out_links = 0"),
    IssueName.PAGE_TOO_LARGE: PageCheck(
        condition=f"p.truncated_reason = '{Cut.LENGTH}'", detail="p.bytes || ' bytes read'"
    ),
    IssueName.INCOMPLETE_PAGE: PageCheck(
        condition=f"p.truncated_reason NOT IN ('', '{Cut.LENGTH}') AND p.html",
        detail=f"""CASE p.truncated_reason
                WHEN '{Cut.TIME}' THEN 'the time limit was reached'
                WHEN '{Cut.DISCONNECT}' THEN 'the server closed the connection'
                ELSE 'the body cannot be read further' END || ' after ' || p.bytes || ' bytes'""",
    ),
    IssueName.LINK_TO_REDIRECT: f"""
            SELECT l.url, s.url, concat_ws(', ', 'to ' || l.goal,
                if(l.sources > 1, format('linked from {{}} pages', l.sources), NULL), {_labelled("l.first_text")})
            FROM (
                SELECT t.url, any_value(coalesce(nullif(t.redirect_to, ''), t.final_url)) AS goal,
                       count(DISTINCT l.source) AS sources,
                       arg_min(l.source, row(n.rank, l.position)) AS source,
                       arg_min(l.text, row(n.rank, l.position)) AS first_text
                FROM links l JOIN nodes n ON n.id = l.source JOIN pages t ON t.id = l.target
                WHERE l.kind IN ('a', 'area') AND l.source <> l.target
                  AND (t.redirect_to <> '' OR (t.final_url <> '' AND l.url IS NULL))
                GROUP BY t.id, t.url
            ) l JOIN urls s ON s.id = l.source""",
    IssueName.MOVED_EXTERNAL_LINK: f"""
            SELECT DISTINCT c.url, p.url, 'moved to ' || c.final_url
            FROM check_uses u JOIN checks c USING (key) JOIN urls p ON p.id = u.page
            WHERE u.kind = '{CheckKind.LINK}' AND c.moved AND c.state = 'fetched'""",
}
"""The check of each kind: a PageCheck, or a query of url, related (another URL or '') and detail."""

_NEEDED: Mapping[IssueName, str] = {
    **dict.fromkeys(CHECKED_ISSUES, "check_uses"),
    **dict.fromkeys((IssueName.REDIRECT_LOOP, IssueName.REDIRECT_CHAIN), "chains"),
    **dict.fromkeys(
        (
            IssueName.ERROR_IN_SITEMAP,
            IssueName.REDIRECT_IN_SITEMAP,
            IssueName.DENIED_IN_SITEMAP,
            IssueName.NOINDEX_IN_SITEMAP,
            IssueName.CANONICAL_ELSEWHERE_IN_SITEMAP,
        ),
        "listed",
    ),
    IssueName.BROKEN_FRAGMENT: "broken_fragments",
    IssueName.LASTMOD_IN_FUTURE: "future",
    **dict.fromkeys((IssueName.LASTMOD_ALIKE, IssueName.PRIORITY_ALIKE), "alike"),
    IssueName.LASTMOD_CONTRADICTED: "text_dates",
    IssueName.ORPHAN: "orphans",
    **dict.fromkeys((IssueName.DUPLICATE_CONTENT, IssueName.NEAR_DUPLICATE), "duplicates"),
    IssueName.CANONICAL_NOT_INDEXABLE: "canonicals",
    IssueName.CANONICAL_OUTSIDE: "canonicals",
    IssueName.EXPIRY_UNREADABLE: "expiries",
    **dict.fromkeys(
        (
            IssueName.HREFLANG_NO_RETURN,
            IssueName.HREFLANG_NOT_INDEXABLE,
            IssueName.HREFLANG_CODE,
            IssueName.HREFLANG_CONFLICT,
            IssueName.HREFLANG_NO_SELF,
            IssueName.HREFLANG_NO_DEFAULT,
        ),
        "alternates",
    ),
}
"""Kind -> table without whose rows there are no issues of it. The query is left out, as planning it takes its time."""


def build_chains(db: duckdb.DuckDBPyConnection, graph: Graph) -> None:
    """Create table `chains`: one row per chain, from its first redirect, and one per loop that no chain enters."""
    targets = {node: target for node, target in enumerate(graph.redirects) if target != NO_NODE}
    reached = set(targets.values())
    ends = graph.ends()
    urls = _urls_of(db, targets.keys() | reached)
    seen: set[int] = set()
    rows: list[tuple[int, int, bool, str]] = []
    for node in sorted(targets, key=lambda node: (node in reached, node)):
        if node in seen:
            continue
        step = node
        while step in targets and step not in seen:
            seen.add(step)
            step = targets[step]
        chain = graph.chain_of(node, most=_LONGEST_CHAIN)
        path = " -> ".join(urls[step] for step in chain)
        more = " -> ..." if ends[node] not in (node, chain[-1]) else ""
        rows.append((node, len(chain) - 1, ends[node] == node, path + more))
    db.execute(
        """
        CREATE TABLE chains AS SELECT unnest(?)::BIGINT AS id, unnest(?)::INTEGER AS hops, unnest(?)::BOOLEAN AS circle,
        unnest(?)::VARCHAR AS path
        """,
        [list(column) for column in zip(*rows, strict=True)] or [[]] * 4,
    )


def _urls_of(db: duckdb.DuckDBPyConnection, ids: AbstractSet[int]) -> dict[int, str]:
    return dict(db.execute("SELECT id, url FROM urls WHERE id IN (SELECT unnest(?))", [sorted(ids)]).fetchall())


def _build_broken_pages(db: duckdb.DuckDBPyConnection) -> None:
    """Create table `broken_pages`: the pages to which links are broken, with the problem of each.

    Pages of a host that cannot be reached are not requested: that was tried when its robots.txt was read.
    """
    unreached = ", ".join(f"'{reason}'" for reason in UNREACHABLE)
    db.execute(
        f"""
        CREATE TABLE broken_pages AS
        SELECT u.id, u.key, u.url,
               concat_ws(' ', coalesce(p.state, u.state), coalesce(p.status::VARCHAR, nullif(u.detail, ''))) AS problem
        FROM urls u LEFT JOIN pages p USING (id)
        WHERE p.state IN {BROKEN_PAGES} OR (p.id IS NULL AND u.state = 'failed' AND u.reason IN ({unreached}))
        """
    )


def build_issues(db: duckdb.DuckDBPyConnection, settings: CrawlSettings) -> dict[str, int]:
    """Create table `issues` (kind, severity, url, related, detail, place); return the count of each kind."""
    build_issue_tables(db)
    _build_broken_pages(db)
    build_broken_fragments(db)
    is_read = settings.text is not TextChoice.NONE
    checked = settings.issues if is_read else replace(settings.issues, min_words=0)
    checks = {**_CHECKS, **page_issue_queries(checked, max_links=settings.max_links)}
    db.execute(
        "CREATE TABLE issues "
        "(place INTEGER, kind VARCHAR, severity VARCHAR, url VARCHAR, related VARCHAR, detail VARCHAR)"
    )
    empty = {name for (name,) in db.execute(_EMPTY).fetchall()}
    found: list[str] = []
    of_pages: dict[str, list[tuple[IssueKind, int, PageCheck]]] = {}
    for place, kind in enumerate(reported_kinds(settings.issues).values()):
        check = checks[kind.name]
        if isinstance(check, PageCheck):
            of_pages.setdefault(check.pages, []).append((kind, place, check))
        elif _NEEDED.get(kind.name) not in empty:
            found.append(f"(SELECT {place}, '{kind.name}', '{kind.severity}', q.* FROM ({check}) q)")
    for pages, some in of_pages.items():
        db.execute(f"INSERT INTO issues {checked_together(pages, some)}")
    ((links,),) = db.execute("SELECT count(*) FROM links").fetchall()
    together = _TOGETHER if links <= _FEW_LINKS else 1
    for first in range(0, len(found), together):
        db.execute(f"INSERT INTO issues {' UNION ALL '.join(found[first : first + together])}")
    counts = db.execute("SELECT kind, count(*) FROM issues GROUP BY place, kind ORDER BY place").fetchall()
    return dict(counts)
