"""Exports: the files of a crawl's results and their download URLs."""

from pathlib import Path
from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId

LIFETIME = 3600
"""Seconds for which a signed URL is valid; in S3, shorter if the credentials that signed it expire earlier."""

_TYPES = {
    ".csv": "text/csv; charset=utf-8",
    ".gz": "application/gzip",
    ".html": "text/html; charset=utf-8",
    ".jpg": "image/jpeg",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".txt": "text/plain; charset=utf-8",
    ".wacz": "application/wacz",
    ".xml": "application/xml",
}

_DESCRIPTIONS = {
    "report.html": "The results as a report in one file that works offline",
    "pages.csv": "Requested URLs as a table, one row per URL",
    "pages.parquet": "Requested URLs with headings, alternate languages and the main text",
    "pages.jsonl.gz": "The same as pages.parquet as JSON Lines",
    "ledger.csv": "Every known URL, and why it is or is not in the crawl",
    "suppressed.csv": "URLs that were not requested because of a rule against traps, with the evidence",
    "issues.csv": "Issues: broken links, redirect chains, duplicates, sitemap errors and others",
    "issues.jsonl.gz": "The same issues as JSON Lines",
    "duplicates.csv": "Pages with the same or nearly the same text as a page that is kept",
    "orphans.csv": "Pages in sitemaps that no crawled page links to, with the verdict",
    "blockers.csv": "Pages and sitemaps that were not read and might lead to orphans",
    "history.csv": "Remembered changes of each page, how often it changes, and when it is due again",
    "edges.parquet": "Links between pages with link text, kind and position; redirects",
    "compact_edges.parquet": "The same links with numbers instead of URLs; urls.parquet has the URLs",
    "urls.parquet": "Every known URL with its number, state, depth, lane and score",
    "graph.json": "Nodes and edges of the link graph",
    "graph.bin.gz": "The link graph for the dashboard, in a compact binary form",
    "media.csv": "Media URLs: state, sizes, number of pages that use them, duplicates",
    "media.parquet": "The same as media.csv as Parquet",
    "media_uses.parquet": "One row per page and media URL: position, source, alternative text",
    "checks.csv": "Checked URLs: links to other sites and to files, images, scripts and stylesheets, broken ones first",
    "checks.parquet": "The same as checks.csv as Parquet",
    "sitemap_entries.parquet": "The entries of the site's sitemaps: dates, priorities, translations, images",
    "sitemap.xml": "A sitemap of the site, made of the pages that were found",
    "llms.txt": "An overview of the site for language models (llmstxt.org)",
    "brand.json": "Colours, fonts and logo of the site",
    "chunks.jsonl.gz": "Passages of the texts of all pages, for a vector store",
    "summary.json": "Totals, settings and objectives of the crawl",
    "crawl.wacz": "All responses and screenshots, for replay in a browser",
}


class Export(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a crawl's results."""

    name: str  # below exports/
    bytes: int
    content_type: str


def content_type_of(name: str) -> str:
    """Return the media type of an exported file."""
    return _TYPES.get(Path(name).suffix, "application/octet-stream")


def description_of(name: str) -> str:
    """Return what an exported file contains, "" if the file is unknown."""
    if name.startswith("sitemap-") or name == "sitemap.xml.gz":
        name = "sitemap.xml"  # parts of a long one have numbers
    return _DESCRIPTIONS.get(name, "")


def saved_as(crawl: CrawlId, name: str) -> str:
    """Return the file name for a download, with the site and the crawl."""
    return f"{crawl.site}-{crawl.crawl}-{name.replace('/', '-')}"


class Exports(Protocol):
    """The exports of each crawl. Contract: tests/contract/test_exports.py."""

    def of(self, crawl: CrawlId) -> list[Export]:
        """Return the files by name."""
        ...

    def signed_url(self, crawl: CrawlId, export: Export) -> str:
        """Return a download URL of a file, valid for `LIFETIME` and without an API key."""
        ...

    def viewer_url(self, crawl: CrawlId, export: Export) -> str | None:
        """Return a URL that shows a web archive in a browser, valid for `LIFETIME` and without an API key.

        Return None if the file is not a web archive, or if there is no viewer.
        """
        ...
