"""Exports that earlier versions wrote, read as if this version had written them."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

import duckdb

from wavecrawl.adapters.analytics.database import utc_time
from wavecrawl.domain.pages.plain_text import plain_text

_MISSING: Final[Mapping[str, str]] = MappingProxyType(
    {"not_indexable": "NULL::VARCHAR", "extracted": "MAP {}", "text": "NULL::VARCHAR"}
)
_CHANGED: Final[Mapping[str, tuple[str, str]]] = MappingProxyType(
    {
        "fetched_at": ("DOUBLE", utc_time("fetched_at")),
        "robots": ("VARCHAR", "list_filter(string_split(robots, ', '), lambda one: one <> '')"),
        "headings": (
            "JSON[]",
            "[{'level': (pair ->> 0)::INTEGER, 'text': pair ->> 1} FOR pair IN coalesce(headings, [])]",
        ),
        "hreflang": ("VARCHAR[][]", "[{'language': pair[1], 'url': pair[2]} FOR pair IN coalesce(hreflang, [])]"),
        "open_graph": (
            "VARCHAR[][]",
            "[{'property': pair[1], 'content': pair[2]} FOR pair IN coalesce(open_graph, [])]",
        ),
        "extracted": (
            "VARCHAR[][]",
            """map_from_entries([
                {'rule': rule, 'values': [pair[2] FOR pair IN extracted IF pair[1] = rule]}
                FOR rule IN list_sort(list_distinct([pair[1] FOR pair IN coalesce(extracted, [])]))
            ])""",
        ),
    }
)
"""Column -> its type in earlier versions, and the SQL that converts it."""


def as_written_today(rows: duckdb.DuckDBPyRelation, added: Mapping[str, str]) -> duckdb.DuckDBPyRelation:
    """Return the rows of pages.parquet with the columns and types of this version.

    `added`: columns that files of earlier versions lack, with their values as SQL.
    """
    kinds = dict(zip(rows.columns, map(str, rows.types), strict=True))
    lacking = {name: value for name, value in {**added, **_MISSING}.items() if name not in kinds}
    changed = {name: sql for name, (kind, sql) in _CHANGED.items() if kinds.get(name) == kind}
    if "revalidated" in lacking:
        changed["status"] = f"if({lacking['revalidated']}, 200, status)"
    if not lacking and not changed:
        return rows
    replaced = ", ".join(f"{sql} AS {name}" for name, sql in changed.items())
    every = f"* REPLACE ({replaced})" if changed else "*"
    return rows.project(", ".join((every, *(f"{value} AS {name}" for name, value in lacking.items()))))


def stored_text(db: duckdb.DuckDBPyConnection, pages: str, *, name: str = "") -> str:
    """Return the columns of pages.parquet with the main text, for `text_as_stored`. Earlier versions wrote Markdown.

    `pages`: the table; `name`: its name in the query, if that is another one.
    """
    of = name or pages
    columns = [column[0] for column in db.execute(f"SELECT * FROM {pages} LIMIT 0").description or ()]
    return f"{of}.text, {f'{of}.markdown' if 'markdown' in columns else 'NULL::VARCHAR'}"


def text_as_stored(text: str | None, markdown: str | None) -> str:
    """Return the main text that is stored as `text`, or as Markdown by an earlier version."""
    return plain_text(markdown or "") if text is None else text
