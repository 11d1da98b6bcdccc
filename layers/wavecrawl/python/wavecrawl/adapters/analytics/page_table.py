"""The pages as a table for people: the columns of pages.csv, in the order in which people read them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

EXTRACTED: Final = "extracted_"
"""The beginning of the name of a column with the values of a rule."""

_BEFORE_RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "url": "url",
        "status": "status",
        "state": "state",
        "reason": "reason",
        "indexable": "indexable",
        "not_indexable": "not_indexable",
        "full_title": "full_title",
        "title_length": "length(full_title)",
        "description": "description",
        "description_length": "length(description)",
        "h1": "coalesce(list_filter(headings, lambda one: one.level = 1)[1].text, '')",
        "depth": "depth",
        "in_links": "in_links",
        "out_links": "out_links",
        "words": "words",
        "bytes": "bytes",
        "elapsed": "round(elapsed, 3)",
        "content_type": "content_type",
        "language": "language",
        "canonical": "canonical",
        "robots": "array_to_string(robots, ', ')",
        "redirect_to": "redirect_to",
        "in_sitemap": "in_sitemap",
        "sitemap_lastmod": "sitemap_lastmod",
        "orphan": "orphan",
        "duplicate_of": "duplicate_of",
        "near_duplicate_of": "near_duplicate_of",
        "similarity": "round(similarity, 4)",
        "pagerank": "round(pagerank, 8)",
        "changed_on": "changed_on",
        "detail": "detail",
    }
)
_AFTER_RULES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "title": "title",
        "keywords": "keywords",
        "parent": "parent",
        "phase": "phase",
        "lane": "lane",
        "score": "round(score, 4)",
        "charset": "charset",
        "final_url": "final_url",
        "revalidated": "revalidated",
        "tries": "tries",
        "etag": "etag",
        "last_modified": "last_modified",
        "decoded_bytes": "decoded_bytes",
        "truncated": "truncated",
        "truncated_reason": "truncated_reason",
        "shell": "shell",
        "rendered": "rendered",
        "render_added": "render_added",
        "render_problem": "render_problem",
        "screenshot": "screenshot",
        "response_time": "round(response_time, 3)",
        "fetched_at": "fetched_at",
        "text_hash": "text_hash",
        "simhash": "printf('%016x', simhash)",
        "key": "key",
    }
)


def table_columns(rules: Sequence[str] = ()) -> dict[str, str]:
    """Return the columns, each with its SQL over the rows of pages.parquet.

    Each rule of `rules` that extracts values has a column with all values of a page.
    """
    values = {f"{EXTRACTED}{name}": f"coalesce(array_to_string(extracted['{name}'], ' | '), '')" for name in rules}
    return {**_BEFORE_RULES, **values, **_AFTER_RULES}
