"""Page memories in tests: files of pages to remember, and what the files of a memory hold."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import duckdb

from wavecrawl.adapters.memory_files import memory_prefix
from wavecrawl.domain.crawl.job import CrawlId


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A row of the table `pages`, with the columns that the memory reads."""

    key: str
    url: str = "https://example.com/"
    state: str = "fetched"
    etag: str = ""
    last_modified: str = ""
    body_hash: str = ""
    text_hash: str = ""
    link_hash: str = ""
    simhash: int = 0
    title: str = ""
    batch: str = "000001-0000-1"
    truncated_reason: str = ""
    depth: int = 1
    fetched_at: float = 100.0


_TIMES = ("first_seen", "last_seen", "last_changed", "state_since")  # of requests
_TYPES = {str: "VARCHAR", int: "BIGINT", float: "DOUBLE"}


def write_pages(path: Path, pages: Iterable[Page]) -> Path:
    """Write rows of the table `pages` to a Parquet file."""
    columns = ", ".join(f"{field.name} {_TYPES[field.type]}" for field in fields(Page))  # type: ignore[index]
    with duckdb.connect() as db:
        db.execute(f"CREATE TABLE pages ({columns})")
        for page in pages:
            db.execute(f"INSERT INTO pages VALUES ({', '.join('?' * len(fields(Page)))})", list(asdict(page).values()))
        db.execute(f"COPY pages TO '{path}' (FORMAT parquet)")
    return path


def write_urls(path: Path, urls: Iterable[tuple[str, str, int]]) -> Path:
    """Write rows of the table `urls` (key, state, wave) to a Parquet file, with the columns that the memory reads."""
    with duckdb.connect() as db:
        db.execute("CREATE TABLE urls (key VARCHAR, state VARCHAR, wave INTEGER)")
        for url in urls:
            db.execute("INSERT INTO urls VALUES (?, ?, ?)", list(url))
        db.execute(f"COPY urls TO '{path}' (FORMAT parquet)")
    return path


def memory_rows(root: Path, crawl: CrawlId) -> list[dict[str, Any]]:
    """Return the rows of all files of a page memory in a data folder, by url key."""
    files = [str(path) for path in sorted((root / memory_prefix(crawl)).glob("*.parquet"))]
    if not files:
        return []
    with duckdb.connect() as db:
        found = db.execute("SELECT * FROM read_parquet($1) ORDER BY key", [files])
        columns = [column[0] for column in found.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in found.fetchall()]


def histories(root: Path, crawl: CrawlId) -> list[dict[str, Any]]:
    """Return the rows of a page memory without what differs between two stores: crawls by order, times by rank."""
    rows = memory_rows(root, crawl)
    crawls = sorted({row["crawl"] for row in rows})
    found = []
    for row in rows:
        times = [row.pop(name) for name in _TIMES] + [one.pop("at") for one in row["observations"]]
        ranks = sorted(set(times))
        del row["batch"]
        changed = {
            "crawl": crawls.index(row["crawl"]),
            "deleted_at": row["deleted_at"] > 0,
            "times": [ranks.index(time) for time in times],
        }
        found.append(row | changed)
    return found


def download_memory(s3: Any, bucket: str, crawl: CrawlId, root: Path) -> None:
    """Copy the files of a page memory in S3 into a data folder."""
    (root / memory_prefix(crawl)).mkdir(parents=True, exist_ok=True)
    for entry in s3.list_objects_v2(Bucket=bucket, Prefix=memory_prefix(crawl))["Contents"]:
        body = s3.get_object(Bucket=bucket, Key=entry["Key"])["Body"].read()
        (root / entry["Key"]).write_bytes(body)


def move_back_in_bucket(s3: Any, bucket: str, crawl: CrawlId, root: Path, *, seconds: float) -> None:
    """Do as `move_back` with a page memory in S3. `root`: an empty folder."""
    download_memory(s3, bucket, crawl, root)
    move_back(root, crawl, seconds=seconds)
    for path in (root / memory_prefix(crawl)).iterdir():
        s3.put_object(Bucket=bucket, Key=str(path.relative_to(root)), Body=path.read_bytes())


def move_back(root: Path, crawl: CrawlId, *, seconds: float, forgotten: Iterable[str] = ()) -> None:
    """Let a site remember its pages as of some time ago, without those in `forgotten`."""
    (path,) = (root / memory_prefix(crawl)).glob("*.parquet")
    times = ", ".join(f"{name} - {seconds} AS {name}" for name in _TIMES)
    with duckdb.connect() as db:
        seen = f"[{{'at': one.at - {seconds}, 'text': one.text, 'links': one.links}} FOR one IN observations]"
        changed = f"{times}, {seen} AS observations"
        query = f"SELECT * REPLACE ({changed}) FROM '{path}' WHERE key NOT IN (SELECT unnest($1::VARCHAR[]))"
        db.execute(f"CREATE TABLE moved AS {query}", [list(forgotten)])
        db.execute(f"COPY moved TO '{path}' (FORMAT parquet)")
