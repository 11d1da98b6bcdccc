"""The reference of the columns of the CSV files, with the descriptions of the API's models."""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel

from wavecrawl.adapters.analytics.page_table import table_columns
from wavecrawl.api_models.analysis import Difference, Duplicate, Issue, Orphan, OrphanBlocker
from wavecrawl.api_models.checks import CheckedUrl
from wavecrawl.api_models.media import MediaUrl
from wavecrawl.api_models.pages import PageLine, PageLink
from wavecrawl.api_models.urls import CrawlUrl
from wavecrawl.domain.graph.diff_kind import DIFF_TITLES

FILES: Final[Mapping[str, tuple[type[BaseModel], tuple[str, ...]]]] = {
    "pages.csv": (PageLine, tuple(table_columns())),
    "ledger.csv": (
        CrawlUrl,
        (
            "url", "state", "reason", "detail", "depth", "parent", "found_by", "phase", "tries", "found_at", "lane",
            "score", "path_weight", "anchor_signal", "freshness", "duplication_risk", "trap_risk", "key",
        ),
    ),
    "issues.csv": (Issue, ("severity", "kind", "url", "related", "detail")),
    "duplicates.csv": (Duplicate, ("url", "duplicate_of", "similarity", "kind", "cluster")),
    "orphans.csv": (Orphan, ("url", "verdict", "depth", "title", "sitemap", "lastmod", "blockers", "evidence")),
    "blockers.csv": (OrphanBlocker, ("url", "why", "reason", "kind", "way")),
    "suppressed.csv": (CrawlUrl, ("url", "rule", "evidence", "found_on")),
    "history.csv": (
        CrawlUrl,
        (
            "url", "depth", "first_seen", "last_seen", "last_changed", "observations", "text_changes", "link_changes",
            "failures", "lastmod", "changes_per_day", "template", "template_changes_per_day", "interval_days", "due",
            "deleted", "key",
        ),
    ),
    "media.csv": (
        MediaUrl,
        (
            "url", "kind", "state", "reason", "detail", "status", "content_type", "final_url", "bytes", "fetched_at",
            "hash", "media_type", "extension", "size", "stored_bytes", "width", "height", "problem", "title", "author",
            "pages", "characters", "duplicate_of", "uses", "file_name", "provider", "thumbnail", "embed_code", "key",
        ),
    ),
    "checks.csv": (
        CheckedUrl,
        (
            "url", "kind", "state", "status", "broken", "verdict", "evidence", "reason", "detail", "final_url",
            "redirects", "moved", "response_ms", "content_type", "pages", "page", "tries", "fetched_at", "key",
            "page_key",
        ),
    ),
    "diff.csv": (Difference, ("kind", "url", "value", "related", "before", "now")),
    "inlinks.csv": (
        PageLink,
        (
            "target", "target_status", "target_state", "redirects_to", "source", "link_text", "kind", "region",
            "nofollow", "rel", "found_in",
        ),
    ),
}  # fmt: skip
"""File -> the model with the descriptions of its columns, and the columns."""

_OTHERS: Final[Mapping[str, str]] = {
    "url": "URL.",
    "state": "State of the URL: `fetched`, `unchanged`, `redirected`, `not_found`, `http_error` and others.",
    "title": "Title of the page.",
    "title_length": "Number of characters of `full_title`.",
    "description_length": "Number of characters of `description`.",
    "h1": "Text of the first heading of level 1.",
    "severity": "`error`, `warning` or `notice`.",
    "content_type": "Media type of the response.",
    "tries": "Number of attempts to fetch the URL.",
    "fetched_at": "Time of the last response. Empty if there was none.",
    "kind": "Kind, such as `broken_link` or `exact`.",
    "blockers": "Number of pages and sitemaps that might lead to orphans: the rows of `blockers.csv`.",
}
_OF_FILE: Final[Mapping[str, Mapping[str, str]]] = {
    "pages.csv": {
        "status": "Status code of the content, see also `revalidated`. Empty if there was no response.",
        "revalidated": "Whether the server responded with 304: the page is unchanged, and its status code and content "
        "are those of an earlier response.",
    },
    "issues.csv": {
        "detail": "Details for people. For kinds `broken_...`, the state and status code of the URL or the cause of "
        "the failure, after a redirect the URL that the page links to, then the link text, or the alternative text of "
        'an image, if there is one: `not_found 404, link text "More"`.',
    },
    "blockers.csv": {
        "way": "What might have led to further pages: `links` of a page, or the entries of a `sitemap`.",
    },
    "suppressed.csv": {
        "rule": "Rule against traps that suppressed the URL: its `reason` in `ledger.csv`.",
        "evidence": "Why the rule applies, with figures and up to three similar URLs.",
        "found_on": "URL of the previous page on the shortest path from the root.",
    },
    "history.csv": {
        "depth": "Depth of the page in the crawl that requested it last.",
        "first_seen": "Time of the first request of the page.",
        "last_seen": "Time of the latest request.",
        "last_changed": "Time of the first request that returned the present main text. Empty if there is none.",
        "observations": "Number of remembered requests that returned the page, or that it is unchanged: at most 16.",
        "text_changes": "Number of these requests that returned another main text than the request before.",
        "link_changes": "Number of these requests after which the page linked to other pages than before.",
        "failures": "Number of crawls in a row in which the page failed.",
        "lastmod": "`lastmod` of the page in a sitemap or feed when it was requested last.",
        "changes_per_day": "Expected number of changes per day.",
        "template": "Path template of the page: its URL with placeholders for the parts that differ between pages.",
        "template_changes_per_day": "Expected number of changes per day of the pages with this template.",
        "interval_days": "Days between two requests of the page.",
        "due": "Time from which on the page is due again. Empty if the page is deleted.",
        "deleted": "Time since when the page is known to be gone. Empty if it exists, or was only not seen.",
        "key": "Key of the page.",
    },
    "media.csv": {
        "status": "Status code of the response with the content. Empty if there was no response.",
        "kind": "`image`, `video`, `document` or `embed` (a player, which is never requested).",
        "final_url": "URL of the response, if the media URL redirected. Otherwise empty.",
        "extension": "File extension of the stored file, without a dot.",
        "author": "Author of a document.",
        "characters": "Number of characters of the text of a document. Empty if it is unknown.",
    },
    "diff.csv": {
        "kind": "; ".join(f"`{kind}`: {title}" for kind, title in DIFF_TITLES.items()) + ".",
        "value": "Name of the changed value, one row for each: `Title`, `Description`, `H1`, `Canonical URL`, "
        "`Robots directives`, `Indexable`, `Main text` (`before` and `now`: its number of words) or `Size`. Empty for "
        "other kinds than `changed`.",
        "before": "Value in the earlier crawl: the changed value, the state and status code of the page or of the "
        "target of the link, the status code and target of a redirect, the depth, the number of pages that link to the "
        "page, the PageRank as a multiple of the average, or the verdict.",
        "now": "The same in the later crawl.",
    },
    "checks.csv": {
        "page_key": "Key of the page in `page`.",
        "verdict": "Whether visitors can load the URL: `ok`, `broken`, `unknown` (the response proves nothing, such as "
        "403) or `not_checked`.",
    },
    "inlinks.csv": {
        "target": "URL that the link leads to.",
        "target_status": "Status code of the target. Empty without a response, and if the crawl did not request it.",
        "target_state": "State of the target, such as `fetched` or `not_found`. Empty if the crawl did not request it.",
        "redirects_to": "URL that the target redirects to. Empty if it does not redirect, and for hops of redirects, "
        "which are no links of a page.",
        "source": "URL of the page with the link.",
        "link_text": "Text of the link.",
        "nofollow": "Whether the link is marked `nofollow`.",
    },
}
"""File -> meanings of its columns that differ from those of the model, or that the model lacks."""

_HEAD: Final = """# Columns of the CSV files

Generated by `make generate`. `pages.csv` also has a column for each
[extraction rule](usage.md#extraction), such as `extracted_price`, after `detail`. The fields of `pages.jsonl.gz` are in
its [JSON Schema](page.schema.json).
"""


def columns_page() -> str:
    """Return the text of docs/columns.md."""
    parts = [_HEAD]
    for file, (model, columns) in FILES.items():
        rows = [f"| `{name}` | {_meaning(file, model, name)} |" for name in columns]
        parts.append("\n".join((f"\n## {file}\n", "| column | meaning |", "|---|---|", *rows, "")))
    return "".join(parts)


def _meaning(file: str, model: type[BaseModel], name: str) -> str:
    field = model.model_fields.get(name)
    return _OF_FILE.get(file, {}).get(name) or (field.description if field else None) or _OTHERS[name]
