"""A small site crawled twice, as the tables of its parts."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import duckdb

from wavecrawl.adapters.part_objects import part_name
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table

FIRST = CrawlId(tenant="local", site="example.com-1f8e03ab", crawl="20261101-100000-aaaaaa")
SECOND = CrawlId(tenant="local", site="example.com-1f8e03ab", crawl="20261108-100000-bbbbbb")
OTHER = CrawlId(tenant="acme", site="other.example-2c9d14fe", crawl="20261102-100000-cccccc")
ROOT = "https://example.com/"

Row = Mapping[str, Any]

_TEXTS = ("title", "description", "reason", "content_type", "redirect_key", "redirect_to", "text_hash", "language")
_PAGE: Row = {
    **dict.fromkeys(_TEXTS, ""),
    "state": "fetched",
    "status": 200,
    "content_type": "text/html",
    "is_html": True,
    "bytes": 1_000,
    "decoded_bytes": 4_000,
    "truncated": False,
    "tries": 1,
    "wave": 1,
    "robots": [],
    "header_robots": [],
    "headings": [{"level": 1, "text": "A heading"}],
    "hreflang": [],
    "open_graph": [],
    "json_ld_types": [],
    "extracted": [],
    "other_canonicals": [],
    "images_without_alt": 0,
    "example_images": [],
    "insecure": [],
    "policies": [],
    "header_policies": [],
    "refresh": "",
    "title_is_substitute": False,
    "description_is_substitute": False,
    "outside_head": [],
    "json_ld_problems": [],
    "anchors": [],
    "id_scripts": 0,
    "fragment_links": [],
    "redirect_fragment": False,
    "ids_added": "",
    "cut_facts": [],
    "rule_problems": [],
    "word_count": 50,
    "shell": "",
    "rendered": False,
    "response_time": 0.1,
    "elapsed": 0.2,
    "canonical": "",
}
_LINK: Row = {
    "kind": "anchor",
    "region": "main",
    "nofollow": False,
    "skip": "",
    "wave": 1,
    "found_in": "html",
    "rel": "",
}
_URL: Row = {"reason": "", "detail": "", "phase": "bfs", "found_by": "link", "found_in": 1, "tries": 1}


def key_of(name: str) -> str:
    """Return the url key of a page of the sample."""
    return name.encode().hex().ljust(32, "0")


def write_sample(root: Path) -> None:
    """Write the three crawls. The first has two parts, in which two URLs change their states."""
    _write_first(root)
    _write_second(root)
    _write(root, OTHER, 1, pages=[_page("", depth=0, title="Other", fetched_at=5.0)], urls=[_url(0, "", depth=0)])


def _write_first(root: Path) -> None:
    _write(
        root,
        FIRST,
        1,
        pages=[
            _page("", depth=0, title="Home", description="Start here", text_hash="h1", links=6, elapsed=0.3),
            _page("a", depth=1, title="About", text_hash="h2", fetched_at=2.0, elapsed=1.5),
            _page("old", depth=1, state="redirected", status=301, redirect_key=key_of("b"), fetched_at=3.0),
        ],
        edges=[
            *(_link("", name, position=position) for position, name in enumerate(("a", "old", "gone", "", "file"))),
            _link("", "deep", position=5, skip="max_depth"),
            _link("a", "gone", text="lost"),
            _link("a", "elsewhere", position=1, skip="out_of_scope"),
        ],
        urls=[
            _url(0, "", depth=0, found_by="root", found_at=1.0),
            _url(1, "a", parent=0, found_at=1.0),
            _url(2, "old", parent=0, state="redirected", found_at=1.0),
            _url(3, "gone", parent=0, state="pending", found_at=1.0),
            _url(4, "file", parent=0, state="pending", found_at=1.0),
            _url(5, "deep", parent=0, state="skipped", reason="max_depth", found_at=1.0),
            _url(6, "b", parent=0, state="pending", found_by="redirect", found_at=2.0),
        ],
        texts=[{"key": key_of(""), "piece": 0, "text": "Welcome to the example"}],
        media=[_media(0, "logo.png"), _media(1, "sheet.pdf", kind="document", state="pending", hash=None)],
        media_uses=[
            _use("", "logo.png"),
            _use("a", "logo.png"),
            _use("a", "sheet.pdf", position=2, kind="document", source="link", text="A sheet"),
        ],
        checks=[_check(0, "style.css"), _check(1, "lost.js", kind="script", state="not_found", status=404)],
        resource_uses=[
            _use("", "style.css", kind="stylesheet"),
            _use("a", "lost.js", position=2, kind="script", text=""),
        ],
    )
    _write(
        root,
        FIRST,
        3,
        pages=[
            _page("gone", depth=1, state="not_found", status=404, wave=2, fetched_at=4.0, title=""),
            _page("file", depth=1, wave=2, fetched_at=5.0, content_type="application/pdf", is_html=False, bytes=90_000),
            _page("b", depth=1, wave=2, fetched_at=6.0, title="Same", text_hash="h3", truncated=True),
            _page("lonely", depth=2, wave=3, fetched_at=7.0, title="Same", text_hash="h4", robots=["noindex"]),
        ],
        edges=[_link("b", "a", wave=2, nofollow=True)],
        urls=[
            _url(3, "gone", parent=0, state="not_found", part=3),
            _url(4, "file", parent=0, part=3),
            _url(6, "b", parent=0, found_by="redirect", part=3),
            _url(7, "lonely", depth=2, found_by="sitemap", phase="sitemap", found_in=3, found_at=6.5, part=3),
        ],
        media=[_media(1, "sheet.pdf", kind="document", part=3)],
    )


def _write_second(root: Path) -> None:
    _write(
        root,
        SECOND,
        2,
        pages=[
            _page("", depth=0, title="Home", text_hash="h1", state="unchanged", status=304, links=1, fetched_at=11.0),
            _page("a", depth=1, title="About us", text_hash="h5", fetched_at=12.0),
            _page("b", depth=1, state="http_error", status=500, fetched_at=13.0),
            _page("new", depth=1, title="New", text_hash="h6", fetched_at=14.0),
        ],
        edges=[*(_link("", name, position=position) for position, name in enumerate(("a", "b", "new")))],
        urls=[
            _url(0, "", depth=0, found_by="root", state="unchanged", found_at=11.0, part=2),
            _url(1, "a", parent=0, found_at=11.0, part=2),
            _url(2, "b", parent=0, state="http_error", found_at=11.0, part=2),
            _url(3, "new", parent=0, found_at=11.0, part=2),
        ],
    )


def _page(name: str, **more: object) -> Row:
    return {**_PAGE, "key": key_of(name), "url": ROOT + name, "fetched_at": 1.0, "links": 0, **more}


def _link(source: str, target: str, **more: object) -> Row:
    ends = {"source_key": key_of(source), "target_key": key_of(target), "url": ROOT + target}
    return {**_LINK, **ends, "position": 0, "text": target, **more}


def _url(id_: int, name: str, *, part: int = 1, **more: object) -> Row:
    where = {"id": id_, "key": key_of(name), "url": ROOT + name, "wave": part, "batch_wave": part, "batch": 0}
    return {**_URL, **where, "depth": 1, "state": "fetched", "parent": None, "found_at": None, **more}


def _media(id_: int, name: str, *, part: int = 1, **more: object) -> Row:
    asset = {"hash": name.encode().hex().ljust(64, "0"), "size": 900, "stored_bytes": 700}
    where = {"id": id_, "key": key_of(f"media {name}"), "url": ROOT + name, "wave": part}
    return {**asset, **where, "kind": "image", "state": "fetched", "reason": "", "detail": "", "tries": 1, **more}


def _check(id_: int, name: str, **more: object) -> Row:
    where = {"id": id_, "key": key_of(f"media {name}"), "url": ROOT + name, "wave": 1, "found_in": 1}
    found = {"state": "fetched", "reason": "", "detail": "", "tries": 1, "status": 200, "redirects": 0, "moved": False}
    return {**where, **found, "kind": "stylesheet", "batch": "0001-0000", "final_url": "", **more}


def _use(page: str, name: str, **more: object) -> Row:
    ends = {"page_key": key_of(page), "key": key_of(f"media {name}"), "url": ROOT + name, "wave": 1}
    return {**ends, "position": 1, "kind": "image", "source": "img", "text": "", "skip": "", **more}


def _write(root: Path, crawl: CrawlId, part: int, **tables: Iterable[Row]) -> None:
    for table, rows in ((Table(name), rows) for name, rows in tables.items()):
        path = root / part_name(crawl, table, part)
        path.parent.mkdir(parents=True, exist_ok=True)
        columns = COLUMNS[table]
        with duckdb.connect() as db:
            db.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in columns.items())})")
            marks = ", ".join("?" for _ in columns)
            db.executemany(f"INSERT INTO t VALUES ({marks})", [[row.get(name) for name in columns] for row in rows])
            db.execute(f"COPY t TO '{path}' (FORMAT parquet, COMPRESSION zstd)")
