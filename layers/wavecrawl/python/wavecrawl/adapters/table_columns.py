"""The columns of the tables that the parts of crawls consist of, by table (docs/sql.md explains each)."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from wavecrawl.domain.focus.score import ScoreColumns
from wavecrawl.ports.parts import Table

PARTITIONS: Final = ("tenant", "site", "crawl")
"""The columns of every table that its files do not contain: they are in the names of the folders."""

SCORE_COLUMNS: Final[Mapping[str, str]] = MappingProxyType(
    {name: "VARCHAR" if name == "lane" else "DOUBLE" for name in ScoreColumns.__struct_fields__}
)
"""The lane of a URL, its score and the parts of it."""

_LATER_URL: Final = {
    "id": "BIGINT",
    "key": "VARCHAR",
    "url": "VARCHAR",
    "kind": "VARCHAR",
    "state": "VARCHAR",
    "reason": "VARCHAR",
    "detail": "VARCHAR",
    "found_in": "INTEGER",
    "tries": "INTEGER",
    "wave": "INTEGER",
    "batch": "VARCHAR",
    "status": "INTEGER",
    "content_type": "VARCHAR",
    "final_url": "VARCHAR",
}
"""The first columns of the URLs that are no pages and are requested after them."""

_USE: Final = {
    "page_key": "VARCHAR",
    "key": "VARCHAR",
    "url": "VARCHAR",
    "position": "INTEGER",
    "kind": "VARCHAR",
}
"""The first columns of the places where pages use such URLs."""

COLUMNS: Final[Mapping[Table, Mapping[str, str]]] = MappingProxyType(
    {
        Table.PAGES: {
            "key": "VARCHAR",
            "url": "VARCHAR",
            "wave": "INTEGER",
            "batch": "VARCHAR",
            "position": "INTEGER",
            "state": "VARCHAR",
            "reason": "VARCHAR",
            "detail": "VARCHAR",
            "depth": "INTEGER",
            "tries": "INTEGER",
            "status": "INTEGER",
            "content_type": "VARCHAR",
            "charset": "VARCHAR",
            "is_html": "BOOLEAN",
            "final_url": "VARCHAR",
            "redirect_to": "VARCHAR",
            "redirect_key": "VARCHAR",
            "redirect_skip": "VARCHAR",
            "etag": "VARCHAR",
            "last_modified": "VARCHAR",
            "header_canonical": "VARCHAR",
            "header_robots": "VARCHAR[]",
            "bytes": "BIGINT",
            "decoded_bytes": "BIGINT",
            "truncated": "BOOLEAN",
            "response_time": "DOUBLE",
            "elapsed": "DOUBLE",
            "fetched_at": "DOUBLE",
            "body_at": "VARCHAR",
            "body_hash": "VARCHAR",
            "link_hash": "VARCHAR",
            "title": "VARCHAR",
            "description": "VARCHAR",
            "keywords": "VARCHAR",
            "canonical": "VARCHAR",
            "robots": "VARCHAR[]",
            "language": "VARCHAR",
            "hreflang": "STRUCT(language VARCHAR, url VARCHAR)[]",
            "headings": "STRUCT(level INTEGER, text VARCHAR)[]",
            "open_graph": "STRUCT(property VARCHAR, content VARCHAR)[]",
            "json_ld_types": "VARCHAR[]",
            "extracted": "STRUCT(name VARCHAR, value VARCHAR)[]",
            "word_count": "INTEGER",
            "text_hash": "VARCHAR",
            "simhash": "BIGINT",
            "links": "INTEGER",
            "shell": "VARCHAR",
            "rendered": "BOOLEAN",
            "render_added": "BOOLEAN",
            "render_problem": "VARCHAR",
            "screenshot": "VARCHAR",
            "brand": "VARCHAR",
            "other_canonicals": "VARCHAR[]",
            "images_without_alt": "INTEGER",
            "example_images": "VARCHAR[]",
            "insecure": "STRUCT(element VARCHAR, url VARCHAR)[]",
            "policies": "VARCHAR[]",
            "header_policies": "VARCHAR[]",
            "refresh": "VARCHAR",
            "title_is_substitute": "BOOLEAN",
            "description_is_substitute": "BOOLEAN",
            "outside_head": "STRUCT(relation VARCHAR, url VARCHAR)[]",
            "cut_facts": "VARCHAR[]",
            "rule_problems": "VARCHAR[]",
            "truncated_reason": "VARCHAR",
            "scripts_not_run": "BOOLEAN",
            "needed_action": "VARCHAR",
            "exchange_at": "VARCHAR",
            "revalidated": "BOOLEAN",
            "json_ld_problems": "VARCHAR[]",
            "anchors": "INTEGER[]",
            "id_scripts": "INTEGER",
            "fragment_links": "STRUCT(link INTEGER, line INTEGER, fragment VARCHAR, hashes INTEGER[])[]",
            "redirect_fragment": "BOOLEAN",
            "ids_added": "VARCHAR",
        },
        Table.EDGES: {
            "source_key": "VARCHAR",
            "target_key": "VARCHAR",
            "url": "VARCHAR",
            "position": "INTEGER",
            "kind": "VARCHAR",
            "region": "VARCHAR",
            "text": "VARCHAR",
            "nofollow": "BOOLEAN",
            "skip": "VARCHAR",
            "wave": "INTEGER",
            "found_in": "VARCHAR",
            "rel": "VARCHAR",
        },
        Table.URLS: {
            "id": "BIGINT",
            "url": "VARCHAR",
            "key": "VARCHAR",
            "state": "VARCHAR",
            "reason": "VARCHAR",
            "detail": "VARCHAR",
            "depth": "INTEGER",
            "parent": "BIGINT",
            "found_by": "VARCHAR",
            "phase": "VARCHAR",
            "found_in": "INTEGER",
            "found_at": "DOUBLE",
            "tries": "INTEGER",
            "batch_wave": "INTEGER",
            "batch": "INTEGER",
            **SCORE_COLUMNS,
            "wave": "INTEGER",
        },
        Table.TEXTS: {
            "key": "VARCHAR",
            "piece": "INTEGER",
            "markdown": "VARCHAR",  # of documents; of pages in place of `text` in files of earlier versions
            "text": "VARCHAR",
        },
        Table.MEDIA: {
            **_LATER_URL,
            "etag": "VARCHAR",
            "last_modified": "VARCHAR",
            "body_hash": "VARCHAR",
            "bytes": "BIGINT",
            "elapsed": "DOUBLE",
            "fetched_at": "DOUBLE",
            "hash": "VARCHAR",
            "media_type": "VARCHAR",
            "extension": "VARCHAR",
            "size": "BIGINT",
            "stored_bytes": "BIGINT",
            "width": "INTEGER",
            "height": "INTEGER",
            "problem": "VARCHAR",
            "title": "VARCHAR",
            "author": "VARCHAR",
            "pages": "INTEGER",
            "characters": "INTEGER",
            "body_at": "VARCHAR",
        },
        Table.MEDIA_USES: {
            **_USE,
            "source": "VARCHAR",
            "text": "VARCHAR",
            "skip": "VARCHAR",
            "wave": "INTEGER",
        },
        Table.CHECKS: {
            **_LATER_URL,
            "redirects": "INTEGER",
            "moved": "BOOLEAN",
            "response_time": "DOUBLE",
            "fetched_at": "DOUBLE",
        },
        Table.RESOURCE_USES: {
            **_USE,
            "text": "VARCHAR",
            "skip": "VARCHAR",
            "wave": "INTEGER",
        },
    }
)
"""Table -> column -> its type in DuckDB, in the order of the files.

New columns go to the end. They are NULL in files of earlier versions. Athena finds columns by name:
https://docs.aws.amazon.com/athena/latest/ug/handling-schema-updates-chapter.html
"""

ADDED: Final[Mapping[Table, Mapping[str, str]]] = MappingProxyType(
    {
        Table.PAGES: {
            "shell": "''",
            "rendered": "FALSE",
            "render_added": "FALSE",
            "render_problem": "''",
            "screenshot": "''",
            "brand": "NULL",
            "extracted": "[]",
            "other_canonicals": "[]",
            "images_without_alt": "0",
            "example_images": "[]",
            "insecure": "[]",
            "policies": "[]",
            "header_policies": "NULL",
            "refresh": "''",
            "title_is_substitute": "FALSE",
            "description_is_substitute": "FALSE",
            "outside_head": "[]",
            "cut_facts": "[]",
            "rule_problems": "[]",
            "truncated_reason": "if(truncated, 'length', '')",
            "scripts_not_run": "FALSE",
            "needed_action": "''",
            "exchange_at": "''",
            "revalidated": "coalesce(state IN ('fetched', 'unchanged') AND status = 304, FALSE)",
            "json_ld_problems": "[]",
            "anchors": "NULL::INTEGER[]",
            "id_scripts": "0",
            "fragment_links": "[]",
            "redirect_fragment": "FALSE",
            "ids_added": "''",
        },
        Table.EDGES: {"found_in": "'html'", "rel": "''"},
        Table.TEXTS: {"text": "NULL::VARCHAR"},
        Table.MEDIA: {"body_at": "''"},
    }
)
"""Table -> column that files of an earlier version lack -> what it would be in them, as SQL."""
