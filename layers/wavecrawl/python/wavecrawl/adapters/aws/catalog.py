"""The tables of parts in Glue's Data Catalog, where Athena finds them.

There is one partition for each crawl and table with rows.
"""

import logging
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.adapters.part_objects import hidden_prefix, table_prefix
from wavecrawl.adapters.sql_views import HIDDEN
from wavecrawl.adapters.table_columns import COLUMNS, PARTITIONS
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.parts import Table

if TYPE_CHECKING:
    from mypy_boto3_glue import GlueClient

_HIVE: Final = MappingProxyType(
    {"VARCHAR": "string", "INTEGER": "int", "BIGINT": "bigint", "DOUBLE": "double", "BOOLEAN": "boolean"}
)
_PARQUET: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "InputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetInputFormat",
        "OutputFormat": "org.apache.hadoop.hive.ql.io.parquet.MapredParquetOutputFormat",
        "SerdeInfo": {"SerializationLibrary": "org.apache.hadoop.hive.ql.io.parquet.serde.ParquetHiveSerDe"},
    }
)
_TABS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "InputFormat": "org.apache.hadoop.mapred.TextInputFormat",
        "OutputFormat": "org.apache.hadoop.hive.ql.io.HiveIgnoreKeyTextOutputFormat",
        "SerdeInfo": {
            "SerializationLibrary": "org.apache.hadoop.hive.serde2.lazy.LazySimpleSerDe",
            "Parameters": {"field.delim": "\t", "serialization.format": "\t"},
        },
    }
)
_DENIED: Final = "AccessDeniedException"

logger = logging.getLogger(__name__)


class GlueCatalog:
    """The partitions of crawls. Without a database, as in deployments without SQL, nothing is registered."""

    def __init__(self, glue: "Callable[[], GlueClient]", *, database: str, bucket: str) -> None:
        self._glue = glue  # called when it is used, as clients are slow to create
        self._database = database
        self._location = f"s3://{bucket}"

    def add(self, crawl: CrawlId, tables: Collection[Table]) -> None:
        """Register the tables in which a crawl has rows. A repeat changes nothing.

        If access is denied, as Lake Formation may do, the crawl goes on without SQL.
        """
        self._for_all(self._add, crawl, tables)

    def remove(self, crawl: CrawlId) -> None:
        """Drop the partitions of a crawl, if there are any."""
        self._for_all(self._remove, crawl, tuple(Table))

    def _for_all(self, act: "Callable[[Table, CrawlId], None]", crawl: CrawlId, tables: Collection[Table]) -> None:
        if self._database and tables:
            with ThreadPoolExecutor(len(tables), thread_name_prefix="catalog") as pool:
                list(pool.map(lambda table: act(table, crawl), tables))

    def _add(self, table: Table, crawl: CrawlId) -> None:
        stored = _stored(table, f"{self._location}/{table_prefix(crawl, table)}")
        with translated(f"registering crawl {crawl} in table {self._database}.{table}"):
            try:
                self._glue().create_partition(
                    DatabaseName=self._database,
                    TableName=table.value,
                    PartitionInput={"Values": _values(crawl), "StorageDescriptor": stored},  # type: ignore[typeddict-item]  # a plain dict
                )
            except ClientError as error:
                if code_of(error) == _DENIED:
                    logger.warning("crawl %s is not registered in table %s for SQL: %s", crawl, table, error)
                elif code_of(error) != "AlreadyExistsException":
                    raise

    def _remove(self, table: Table, crawl: CrawlId) -> None:
        with translated(f"removing crawl {crawl} from table {self._database}.{table}"):
            try:
                self._glue().delete_partition(
                    DatabaseName=self._database, TableName=table.value, PartitionValues=_values(crawl)
                )
            except ClientError as error:
                if code_of(error) != "EntityNotFoundException":
                    raise


def table_inputs(location: str) -> Iterator[dict[str, Any]]:
    """Yield the definitions of all tables, in Glue's form, for the files below `location`, such as s3://bucket."""
    for table in Table:
        yield {
            "Name": table.value,
            "TableType": "EXTERNAL_TABLE",
            "Parameters": {"EXTERNAL": "TRUE", "classification": "parquet"},
            "PartitionKeys": [{"Name": name, "Type": "string"} for name in PARTITIONS],
            "StorageDescriptor": _stored(table, f"{location}/tables/{table.value}/"),
        }
    yield {
        "Name": HIDDEN,
        "TableType": "EXTERNAL_TABLE",
        "Parameters": {"EXTERNAL": "TRUE", "classification": "csv"},
        "StorageDescriptor": {
            "Columns": [{"Name": name, "Type": "string"} for name in (*PARTITIONS, "key")],
            "Location": f"{location}/{hidden_prefix()}",
            **_TABS,
        },
    }


def hive_type(kind: str) -> str:
    """Return the type of Hive for one of DuckDB, such as array<string> for VARCHAR[]."""
    if kind.endswith("[]"):
        return f"array<{hive_type(kind.removesuffix('[]'))}>"
    if fields := re.fullmatch(r"STRUCT\((.*)\)", kind):
        pairs = (field.split() for field in fields[1].split(", "))
        return f"struct<{','.join(f'{name}:{hive_type(inner)}' for name, inner in pairs)}>"
    return _HIVE[kind]


def _stored(table: Table, location: str) -> dict[str, Any]:
    columns = [{"Name": name, "Type": hive_type(kind)} for name, kind in COLUMNS[table].items()]
    return {"Columns": columns, "Location": location, **_PARQUET}


def _values(crawl: CrawlId) -> list[str]:
    return [crawl.tenant, crawl.site, crawl.crawl]
