"""The checks that find issues in single pages and hosts."""

from collections.abc import Iterable, Mapping

import msgspec

from wavecrawl.adapters.analytics.pages import LINKED_DEPTH
from wavecrawl.domain.graph.issue import IssueKind, IssueName
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.domain.rendering.trouble import NO_BROWSER, OVER_BUDGET

_PATH = r"regexp_extract(p.url, '^[a-z]+://[^/?]+([^?]*)', 1)"
_QUERY = r"regexp_extract(p.url, '\?(.*)$', 1)"
_DONE = "('fetched', 'unchanged')"
_UNFIT = f"""
    CASE WHEN t.state = 'robots_denied' THEN 'robots.txt denies it'
         WHEN c.state NOT IN {_DONE} THEN concat_ws(' ', c.state, c.status)
         WHEN c.expired THEN 'its unavailable_after is over'
         WHEN c.noindex THEN 'it is marked noindex'
"""
"""Why the URL `t` with the page `c`, if it was requested, cannot be indexed; without the END."""


# English, German, French, Spanish, Italian, Dutch, Russian, Chinese, Japanese
_MISSING_PAGE = (
    r"(?i)(\berror\s*404\b|\b404\s*(error|not found|page)|^\W*404\W*$|^\W*404\s*[^\w\s]|"
    r"\b(page|file) not found\b|^not found\b|"
    r"seite (wurde )?nicht gefunden|page (introuvable|non trouvée)|página no encontrada|pagina non trovata|"
    r"pagina niet gevonden|страница не найдена|页面不存在|找不到(页面|网页)|ページが見つかりません)"
)
_SHORT_PAGE = 150  # words; pages about such errors are longer

REQUESTED = "views p"
READ = "views p JOIN checked c USING (id)"


class PageCheck(msgspec.Struct, frozen=True, kw_only=True):
    """A check of one page at a time, in SQL. Those of the same pages are one query, as planning one takes time."""

    pages: str = REQUESTED  # or READ, which adds the columns of `checked` as `c`
    condition: str
    related: str = "''"
    detail: str = "''"


def checked_together(pages: str, checks: Iterable[tuple[IssueKind, int, PageCheck]]) -> str:
    """Return the query of checks of the same `pages`, each with its kind and the place of that in the results."""
    found = ", ".join(
        f"CASE WHEN {check.condition} THEN {{'place': {place}, 'kind': '{kind.name}', 'severity': '{kind.severity}', "
        f"'related': {check.related}, 'detail': {check.detail}}} END"
        for kind, place, check in checks
    )
    return f"""
        SELECT one.place, one.kind, one.severity, url, one.related, one.detail
        FROM (SELECT p.url, unnest([{found}]) AS one FROM {pages}) WHERE one IS NOT NULL"""


def page_issue_queries(settings: IssueSettings, *, max_links: int) -> Mapping[IssueName, str | PageCheck]:
    """Return the check of each kind: a PageCheck, or a query of url, related (another URL or '') and detail."""
    return {
        **_texts(settings),
        **_markup(),
        **_languages(),
        **_urls(settings),
        **_sizes(settings, max_links),
        **_hosts(),
    }


def _page(condition: str, detail: str, *, related: str = "''") -> PageCheck:
    return PageCheck(pages=READ, condition=condition, related=related, detail=detail)


def one_version(text: str, condition: str, *, more: str = "p.title AS shown") -> str:
    """Return a relation of indexable pages, as SQL: of language versions with the same text, the first page only."""
    return f"""(
            SELECT p.*, {more} FROM views p JOIN checked c USING (id) WHERE p.indexable AND {condition}
            QUALIFY row_number() OVER (PARTITION BY p.version, {text} ORDER BY p.rank) = 1)"""


def _texts(settings: IssueSettings) -> Mapping[IssueName, str | PageCheck]:
    def too_long(column: str, most: int) -> PageCheck:
        return _page(
            f"p.indexable AND {most} > 0 AND length(p.{column}) > {most}",
            f"format('{{}} characters, more than {most}: {{}}', length(p.{column}), left(p.{column}, 200))",
        )

    def too_short(column: str, least: int) -> PageCheck:
        return _page(
            f"p.indexable AND length(p.{column}) BETWEEN 1 AND {least - 1}",
            f"format('{{}} characters, fewer than {least}: {{}}', length(p.{column}), p.{column})",
        )

    return {
        IssueName.TITLE_TOO_LONG: too_long("full_title", settings.max_title),
        IssueName.TITLE_TOO_SHORT: too_short("full_title", settings.min_title),
        IssueName.DESCRIPTION_TOO_LONG: too_long("description", settings.max_description),
        IssueName.DESCRIPTION_TOO_SHORT: too_short("description", settings.min_description),
        IssueName.MISSING_H1: _page("p.indexable AND c.h1s = 0", "''"),
        IssueName.SEVERAL_H1: _page("p.indexable AND c.h1s > 1", "c.h1s || ' of them, first: ' || c.h1"),
        IssueName.DUPLICATE_H1: f"""
            SELECT p.url, first_value(p.url) OVER same, p.h1
            FROM {one_version("c.h1", "c.h1s > 0", more="c.h1")} p
            WINDOW same AS (PARTITION BY p.h1 ORDER BY p.rank) QUALIFY count(*) OVER (PARTITION BY p.h1) > 1""",
        IssueName.SOFT_404: _page(
            f"p.words < {_SHORT_PAGE} AND (regexp_matches(p.full_title, '{_MISSING_PAGE}') "
            f"OR regexp_matches(c.h1, '{_MISSING_PAGE}'))",
            f"if(regexp_matches(p.full_title, '{_MISSING_PAGE}'), p.full_title, c.h1)",
        ),
        IssueName.LOW_WORD_COUNT: _page(f"p.indexable AND p.words < {settings.min_words}", "p.words || ' words'"),
    }


def _markup() -> Mapping[IssueName, str | PageCheck]:
    shown = "array_to_string([part.element || ' ' || part.url FOR part IN c.insecure_parts], ', ')"
    return {
        IssueName.IMAGE_WITHOUT_ALT: _page(
            "c.images_without_alt > 0",
            "c.images_without_alt || ' without alt: ' || array_to_string(c.example_images, ', ')",
        ),
        IssueName.CANONICAL_NOT_INDEXABLE: f"""
            SELECT * FROM (
                SELECT p.url, p.canonical, {_UNFIT} END AS why
                FROM views p JOIN urls t ON t.id = p.canonical_id LEFT JOIN views c ON c.id = t.id WHERE p.canonicalised
            ) WHERE why IS NOT NULL""",
        IssueName.CANONICAL_OUTSIDE: f"""
            SELECT p.url, coalesce(l.url, t.url), ''
            FROM links l JOIN views p ON p.id = l.source LEFT JOIN urls t ON t.id = l.target
            SEMI JOIN canonicals n ON n.id = p.id AND n.address = coalesce(l.url, t.url)
            WHERE l.kind = 'canonical' AND l.skip = 'out_of_scope' AND p.state IN {_DONE}""",
        IssueName.CANONICAL_INVALID: """
            SELECT p.url, '', n.place || ' names ' || left(d.url, 300)
            FROM (
                SELECT id, link_canonical AS url, 'the page' AS place FROM views
                UNION ALL SELECT id, header_canonical, 'the Link header' FROM views
            ) n JOIN declared d ON d.url = n.url AND d.key IS NULL JOIN views p ON p.id = n.id""",
        IssueName.OUTSIDE_HEAD: _page(
            "len(c.outside_head) > 0",
            "array_to_string([one.relation || ' ' || one.url FOR one IN c.outside_head], ', ')",
        ),
        IssueName.INVALID_JSON_LD: _page("len(c.json_ld_problems) > 0", "array_to_string(c.json_ld_problems, '; ')"),
        IssueName.EXPIRY_UNREADABLE: """
            SELECT p.url, '', e.directive
            FROM views p JOIN expiries e ON list_contains(p.directives, e.directive) WHERE e.since IS NULL""",
        IssueName.META_REFRESH: _page("c.refresh NOT IN ('', p.url)", "''", related="c.refresh"),
        # With `upgrade-insecure-requests`, browsers load these parts over HTTPS.
        IssueName.MIXED_CONTENT: _page(
            "len(c.insecure_parts) > 0 AND NOT list_contains(coalesce(c.policies, []), 'upgrade')", shown
        ),
        IssueName.INSECURE_FORM: _page(
            "len(c.insecure_forms) > 0 AND NOT list_contains(coalesce(c.policies, []), 'upgrade')",
            "array_to_string(c.insecure_forms, ', ')",
        ),
    }


def _languages() -> Mapping[IssueName, str]:
    pages = "alternates a JOIN views p ON p.id = a.id AND p.indexable"
    return {
        IssueName.HREFLANG_NO_RETURN: f"""
            SELECT DISTINCT p.url, t.url, 'as ' || string_agg(DISTINCT a.language, ', ' ORDER BY a.language)
            FROM {pages} JOIN views t ON t.id = a.target AND t.indexable AND t.id <> p.id
            ANTI JOIN alternates b ON b.id = a.target AND b.target = a.id
            GROUP BY p.url, t.url""",
        IssueName.HREFLANG_NOT_INDEXABLE: f"""
            SELECT * FROM (
                SELECT DISTINCT p.url, t.url AS version,
                       {_UNFIT} WHEN c.canonicalised THEN 'its canonical page is ' || c.canonical END AS why
                FROM {pages} JOIN urls t ON t.id = a.target LEFT JOIN views c ON c.id = t.id
            ) WHERE why IS NOT NULL""",
        IssueName.HREFLANG_CODE: """
            SELECT p.url, a.url, w.problem
            FROM alternates a JOIN views p USING (id) JOIN wrong_codes w ON w.language = a.language""",
        IssueName.HREFLANG_CONFLICT: """
            SELECT p.url, '', a.language || ': ' || array_to_string(a.urls, ', ')
            FROM (
                SELECT id, language, list(DISTINCT url ORDER BY url)[:5] AS urls
                FROM alternates GROUP BY id, language HAVING count(DISTINCT url) > 1
            ) a JOIN views p USING (id)""",
        IssueName.HREFLANG_NO_SELF: """
            SELECT p.url, '', 'versions: ' || a.versions
            FROM (
                SELECT a.id, count(*) AS versions FROM alternates a LEFT JOIN nodes n ON n.id = a.target
                GROUP BY a.id HAVING NOT bool_or(coalesce(n.final = a.id, FALSE))
            ) a JOIN views p USING (id) WHERE p.indexable""",
        IssueName.HREFLANG_NO_DEFAULT: """
            SELECT p.url, '', 'versions: ' || a.versions
            FROM (
                SELECT id, count(*) AS versions FROM alternates
                GROUP BY id HAVING NOT bool_or(language = 'x-default')
            ) a JOIN views p USING (id) WHERE p.indexable""",
    }


def _urls(settings: IssueSettings) -> Mapping[IssueName, PageCheck]:
    def written(condition: str, detail: str = "''", *, related: str = "''") -> PageCheck:
        return PageCheck(condition=f"p.indexable AND {condition}", related=related, detail=detail)

    count = f"len(string_split({_QUERY}, '&'))"
    letters = f"regexp_replace({_PATH}, '%[0-9A-Fa-f]{{2}}', '', 'g')"
    return {
        IssueName.URL_UPPER_CASE: written(f"regexp_matches({letters}, '[A-Z]')"),
        IssueName.URL_UNDERSCORE: written(f"contains({_PATH}, '_')"),
        IssueName.URL_NON_ASCII: written(
            "regexp_matches(p.url, '%[89A-Fa-f][0-9A-Fa-f]')", "coalesce(TRY(url_decode(p.url)), p.url)"
        ),
        IssueName.URL_SPACE: written("contains(p.url, '%20')"),
        IssueName.URL_TOO_LONG: written(
            f"{settings.max_url} > 0 AND length(p.url) > {settings.max_url}",
            f"length(p.url) || ' characters, more than {settings.max_url}'",
        ),
        IssueName.URL_PARAMETERS: written(
            f"{settings.max_parameters} > 0 AND {_QUERY} <> '' AND {count} > {settings.max_parameters}",
            f"{count} || ' parameters, more than {settings.max_parameters}'",
        ),
        IssueName.URL_DOUBLE_SLASH: written(f"contains({_PATH}, '//')", related="p.parent"),
    }


def _sizes(settings: IssueSettings, max_links: int) -> Mapping[IssueName, str | PageCheck]:
    seconds, kilobytes, clicks = settings.max_load_seconds, settings.max_html_kb, settings.max_clicks
    return {
        IssueName.SLOW_PAGE: _page(
            f"{seconds} > 0 AND p.elapsed > {seconds}", f"format('{{:.1f}} seconds, more than {seconds:g}', p.elapsed)"
        ),
        IssueName.HEAVY_PAGE: _page(
            f"{kilobytes} > 0 AND c.decoded_bytes > {kilobytes * 1_000}",
            f"format('{{}} KB of HTML, more than {kilobytes}', c.decoded_bytes // 1000)",
        ),
        IssueName.TOO_DEEP: f"""
            SELECT v.url, v.parent, 'depth ' || v.depth
            FROM views v WHERE {clicks} > 0 AND v.html AND {LINKED_DEPTH} > {clicks}""",
        IssueName.LINKS_CUT: f"""
            SELECT p.url, '', 'the first {max_links} links were read'
            FROM views p JOIN pages q USING (id) WHERE p.html AND q.links >= {max_links}""",
        IssueName.RENDERING_FAILED: f"""
            SELECT p.url, '', q.render_problem FROM views p JOIN pages q USING (id)
            WHERE p.html AND q.render_problem NOT IN ('', '{OVER_BUDGET}')
              AND NOT starts_with(q.render_problem, '{NO_BROWSER}')""",
    }


def _hosts() -> Mapping[IssueName, str]:
    def lacking(condition: str, among: str = "TRUE") -> str:
        """Return the query of hosts with pages of which some lack something; the detail names up to three more."""
        return f"""
            SELECT urls[1], '', format('{{}} of {{}} pages of {{}}/', lacking, pages, host)
                   || CASE WHEN lacking < pages AND len(urls) > 1
                           THEN ', such as ' || array_to_string(urls[2:], ', ') ELSE '' END
            FROM (
                SELECT regexp_extract(address, '^[a-z]+://[^/?]+') AS host, count(*) AS pages,
                       count(*) FILTER ({condition}) AS lacking,
                       min_by(address, rank, 4) FILTER ({condition}) AS urls
                FROM (
                    SELECT coalesce(nullif(p.final_url, ''), p.url) AS address, p.rank, c.policies
                    FROM views p JOIN checked c USING (id)
                ) WHERE {among} GROUP BY 1
            ) WHERE lacking > 0"""

    def without(policy: str, among: str = "TRUE") -> str:
        return lacking(f"NOT list_contains(policies, '{policy}')", f"policies IS NOT NULL AND {among}")

    return {
        IssueName.INSECURE_HOST: lacking("starts_with(address, 'http:')"),
        IssueName.MISSING_HSTS: without("hsts", "starts_with(address, 'https:')"),
        IssueName.MISSING_CSP: without("csp"),
        IssueName.MISSING_NOSNIFF: without("nosniff"),
        IssueName.MISSING_FRAME_PROTECTION: without("frames"),
        IssueName.MISSING_REFERRER_POLICY: without("referrer"),
    }
