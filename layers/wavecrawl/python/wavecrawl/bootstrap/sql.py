"""SQL over all crawls: of a data folder, or of a deployed stack."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from wavecrawl.adapters.sql_views import VIEWS
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId

if TYPE_CHECKING:
    from wavecrawl.ports.sql import Sql


def local_sql(store: LocalStore, *, memory_mb: int) -> "Sql":
    """Return SQL over the crawls of a data folder."""
    from wavecrawl.adapters.analytics.sql import LocalSql  # noqa: PLC0415 - loads DuckDB

    def hidden() -> Iterator[tuple[CrawlId, str]]:
        for crawl in store.crawls.newest_first():
            for key in store.hidden.of(crawl.id):
                yield crawl.id, key

    return LocalSql(store.root / "tables", hidden, memory_mb=memory_mb)


def view_columns() -> dict[str, list[str]]:
    """Return the columns of each view."""
    from wavecrawl.adapters.analytics.sql import LocalSql  # noqa: PLC0415 - loads DuckDB

    columns = {}
    with TemporaryDirectory() as empty:
        database = LocalSql(Path(empty), list)
        for view in VIEWS:
            with database.run(f"SELECT * FROM {view} LIMIT 0") as found:  # noqa: S608 - a constant
                columns[view] = list(found.columns)
    return columns


def deployed_sql(stack: str) -> "Sql":
    """Return SQL over the crawls of a stack."""
    from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - reports a missing boto3

    found = deployment(stack)
    from wavecrawl.adapters.aws.athena import AthenaSql  # noqa: PLC0415 - needs botocore

    return AthenaSql(
        found.client("athena"), database=found.output("SqlDatabase"), workgroup=found.output("SqlWorkgroup")
    )
