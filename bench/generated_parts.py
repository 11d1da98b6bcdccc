"""The parts and the records of a generated crawl, for benchmarks of its results."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import duckdb
import msgspec

from wavecrawl.domain.crawl.ledger import FoundBy, Phase, UrlChange
from wavecrawl.domain.crawl.record import Link, PageRecord, Reason
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.pages.page import LinkKind, PageFacts, Region
from wavecrawl.ports.parts import Table

ROOT_URL = "https://example.com/"
PART_PAGES = 2_500
LINKS = 20  # per page
_CHILDREN = 10  # links to new pages
_BATCH = 100  # pages
_WORDS = " ".join(f"word{number}" for number in range(40))

_MACROS = (
    f"""
    CREATE MACRO url_of(i) AS
        CASE WHEN i = 0 THEN '{ROOT_URL}' ELSE '{ROOT_URL}section-' || (i // 1000) || '/page-' || i || '.html' END
    """,
    "CREATE MACRO key_of(i) AS md5(url_of(i))",
    "CREATE MACRO depth_of(i) AS CASE WHEN i = 0 THEN 0 ELSE ceil(log10(i * 0.9 + 1.0) - 1e-9)::INTEGER END",
    f"""
    CREATE MACRO text_of(i) AS
        'Page number ' || i || ' of section ' || (i // 1000) || '. ' || repeat('{_WORDS} ' || (i % 97) || ' ', 5)
    """,
)
_QUERIES = {
    Table.PAGES: """
        SELECT key_of(i) AS key, url_of(i) AS url, {number}::INTEGER AS wave,
               printf('%06d-%06d-1', {number}, ((i - {first}) // {batch})::INTEGER) AS batch,
               ((i - {first}) % {batch})::INTEGER AS position, 'fetched' AS state, '' AS reason, '' AS detail,
               depth_of(i) AS depth, 1 AS tries, 200 AS status, 'text/html' AS content_type, 'utf-8' AS charset,
               TRUE AS is_html, '' AS final_url, '' AS redirect_to, '' AS redirect_key, '' AS redirect_skip,
               '"' || i || '"' AS etag, '' AS last_modified, '' AS header_canonical, []::VARCHAR[] AS header_robots,
               (20000 + i % 5000)::BIGINT AS bytes, (20000 + i % 5000)::BIGINT AS decoded_bytes, FALSE AS truncated,
               0.05::DOUBLE AS response_time, 0.06 + i % 10 / 100 AS elapsed, 1.7e9 + i / 100 AS fetched_at,
               '' AS body_at, 'Title of page ' || i || ' | Example' AS title, 'What page ' || i || ' is about' AS
               description, '' AS keywords, '' AS canonical, []::VARCHAR[] AS robots, 'en' AS language,
               []::STRUCT("language" VARCHAR, url VARCHAR)[] AS hreflang,
               [{{'level': 1, 'text': 'Heading ' || i}}, {{'level': 2, 'text': 'About'}}] AS headings,
               []::STRUCT(property VARCHAR, content VARCHAR)[] AS open_graph, []::VARCHAR[] AS json_ld_types,
               220 AS word_count, md5('text ' || i) AS text_hash, (hash(i) >> 1)::BIGINT AS simhash, {links} AS links
        FROM range({first}, {end}) r(i)""",
    Table.EDGES: """
        SELECT key_of(i) AS source_key, key_of(j) AS target_key, url_of(j) AS url, (k + 1)::INTEGER AS position,
               'a' AS kind, CASE WHEN k < 5 THEN 'nav' ELSE 'main' END AS region, 'Link to page ' || j AS text,
               FALSE AS nofollow, '' AS skip, {number}::INTEGER AS wave
        FROM (
            SELECT i, k, CASE WHEN k < {children} AND i * {children} + k + 1 < {pages} THEN i * {children} + k + 1
                         ELSE (i * 7919 + k * 104729 + hash(i * 20 + k) % 100003) % {pages} END AS j
            FROM range({first}, {end}) r(i), range({links}) s(k) ORDER BY i, k
        )""",
    Table.TEXTS: "SELECT key_of(i) AS key, 0 AS piece, text_of(i) AS text FROM range({first}, {end}) r(i)",
    Table.URLS: """
        SELECT i AS id, url_of(i) AS url, key_of(i) AS key, CASE WHEN i < {end} THEN 'fetched' ELSE 'pending' END AS
               state, '' AS reason, '' AS detail, depth_of(i) AS depth,
               CASE WHEN i > 0 THEN (i - 1) // {children} END AS parent,
               CASE WHEN i > 0 THEN 'link' ELSE 'root' END AS found_by, 'bfs' AS phase, {number}::INTEGER AS found_in,
               CASE WHEN i = 0 OR i > {first} * {children} THEN 1.7e9 + {number} END AS found_at,
               (i < {end})::INTEGER AS tries, {number}::INTEGER AS batch_wave, 0 AS batch, {number}::INTEGER AS wave
        FROM (
            SELECT i FROM range({first}, {end}) r(i)
            UNION SELECT i FROM range(greatest({end}, {first} * {children} + 1),
                                      least({pages}, {end} * {children} + 1)) r(i)
            ORDER BY i
        )""",
}


def write_parts(pages: int, folder: Path) -> None:
    """Write the parts of a crawl of `pages` pages: `{table}/{number}.parquet`, as the writer of parts would."""
    with duckdb.connect(config={"memory_limit": "1GB"}) as db:
        for macro in _MACROS:
            db.execute(macro)
        for table in Table:
            (folder / table).mkdir(parents=True)
        for number, first in enumerate(range(0, pages, PART_PAGES), 1):
            for table, query in _QUERIES.items():
                values = {"first": first, "end": min(pages, first + PART_PAGES), "pages": pages, "number": number}
                rows = query.format(**values, links=LINKS, children=_CHILDREN, batch=_BATCH)
                path = folder / table / f"{number:06d}.parquet"
                db.execute(f"COPY ({rows}) TO '{path}' (FORMAT parquet, COMPRESSION zstd)")


def write_records(pages: int, folder: Path) -> list[Path]:
    """Write the records of the batches of a crawl's first `pages` pages; return the files."""
    folder.mkdir(parents=True)
    files = []
    for batch, first in enumerate(range(0, pages, _BATCH)):
        files.append(folder / f"000001-{batch:06d}-1.jsonl.gz")
        with gzip.open(files[-1], "wb", compresslevel=1) as file:
            file.writelines(msgspec.json.encode(_record(page)) + b"\n" for page in range(first, first + _BATCH))
    return files


def changes(pages: int) -> Iterator[UrlChange]:
    """Yield the changes of the URLs of a crawl's first `pages` pages."""
    for page in range(pages):
        yield UrlChange(
            id=page,
            url=_url(page),
            key=_key(page),
            state=UrlState.FETCHED,
            reason=Reason.NONE,
            detail="",
            depth=1,
            parent=0,
            found_by=FoundBy.LINK,
            phase=Phase.BFS,
            found_in=1,
            found_at=1.7e9,
            tries=1,
            batch_wave=1,
            batch=page // _BATCH,
        )


def _record(page: int) -> PageRecord:
    targets = (page * 7919 + link * 104_729 for link in range(LINKS))
    return PageRecord(
        key=_key(page),
        url=_url(page),
        depth=1,
        state=UrlState.FETCHED,
        status=200,
        content_type="text/html",
        is_html=True,
        fetched_at=1.7e9,
        facts=PageFacts(title=f"Title of page {page}", text=f"Page number {page}. {_WORDS * 5}", word_count=220),
        links=tuple(
            Link(url=_url(target), key=_key(target), kind=LinkKind.ANCHOR, region=Region.MAIN, text=f"Link to {target}")
            for target in targets
        ),
    )


def _url(page: int) -> str:
    return f"{ROOT_URL}section-{page // 1000}/page-{page}.html"


def _key(page: int) -> str:
    return f"{(page + 1) * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128:032x}"
