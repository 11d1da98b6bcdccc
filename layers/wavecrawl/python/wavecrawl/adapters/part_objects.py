"""Names of the files of parts, the same in a folder and in S3 (docs/architecture.md)."""

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table


def table_prefix(crawl: CrawlId, table: Table) -> str:
    """Return the folder of a crawl's files of a table, with a slash at the end."""
    return f"tables/{table.value}/tenant={crawl.tenant}/site={crawl.site}/crawl={crawl.crawl}/"


def table_prefixes(crawl: CrawlId) -> list[str]:
    """Return the folders of a crawl's files of all tables."""
    return [table_prefix(crawl, table) for table in Table]


def hidden_prefix(crawl: CrawlId | None = None) -> str:
    """Return the folder of a crawl's files that name deleted pages, or that of all crawls, with a slash at the end."""
    return f"tables/hidden/{crawl}/" if crawl else "tables/hidden/"


def part_name(crawl: CrawlId, table: Table, number: int) -> str:
    """Return the name of the file with a table of a part."""
    return f"{table_prefix(crawl, table)}{number:06d}.parquet"


def part_number(name: str) -> int:
    """Return the number of the part of a file."""
    return int(name.rpartition("/")[2].partition(".")[0])
