"""SQL over the same crawls on one machine and in the emulator's Athena, which runs DuckDB over its S3."""
# ruff: noqa: S608 - the queries are put together from constants

from pathlib import Path
from uuid import uuid4

import pytest
import sqlglot
from sqlglot import ErrorLevel, exp
from tests.support.deploy import client_of
from tests.support.documented_queries import documented_queries
from tests.support.emulator import running_emulator
from tests.support.sample_tables import FIRST, ROOT, key_of, write_sample

from wavecrawl.adapters.analytics.sql import LocalSql
from wavecrawl.adapters.aws.athena import AthenaSql
from wavecrawl.adapters.aws.catalog import table_inputs
from wavecrawl.adapters.sql_views import VIEWS, visible_rows, with_views
from wavecrawl.adapters.table_columns import COLUMNS
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.sql import Sql

QUERIES = documented_queries()
DATABASE = "wavecrawl_test"
HIDDEN = ((FIRST, key_of("file")),)
Rows = list[tuple[object, ...]]

RESERVED = frozenset(
    """ALTER AND AS AUTO BETWEEN BY CASE CAST CONSTRAINT CREATE CROSS CUBE CURRENT_CATALOG CURRENT_DATE CURRENT_PATH
    CURRENT_ROLE CURRENT_SCHEMA CURRENT_TIME CURRENT_TIMESTAMP CURRENT_USER DEALLOCATE DELETE DESCRIBE DISTINCT
    DROP ELSE END ESCAPE EXCEPT EXECUTE EXISTS EXTRACT FALSE FIRST FOR FROM FULL GROUP GROUPING HAVING IN INNER
    INSERT INTERSECT INTO IS JOIN JSON_ARRAY JSON_EXISTS JSON_OBJECT JSON_QUERY JSON_TABLE JSON_VALUE LAST LEFT
    LIKE LISTAGG LOCALTIME LOCALTIMESTAMP NATURAL NORMALIZE NOT NULL OF ON OR ORDER OUTER PREPARE RECURSIVE
    RIGHT ROLLUP SELECT SKIP TABLE THEN TRIM TRUE UESCAPE UNION UNNEST USING VALUES WHEN WHERE WITH""".split()
)
"""Words that are names only in quotation marks; sqlglot accepts some of them.

https://trino.io/docs/current/language/reserved.html, https://docs.aws.amazon.com/athena/latest/ug/reserved-words.html
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("data")
    write_sample(root)
    return root


@pytest.fixture(scope="module")
def athena(folder: Path) -> Sql:
    """Athena over the same files in S3, with the tables of the deployment in Glue's catalog."""
    endpoint = running_emulator().url
    s3, bucket = client_of(endpoint, "s3"), f"sql-{uuid4().hex}"
    s3.create_bucket(Bucket=bucket)
    for path in sorted(folder.rglob("*.parquet")):
        s3.put_object(Bucket=bucket, Key=str(path.relative_to(folder)), Body=path.read_bytes())
    for crawl, key in HIDDEN:
        line = f"{crawl.tenant}\t{crawl.site}\t{crawl.crawl}\t{key}\n"
        s3.put_object(Bucket=bucket, Key=f"tables/hidden/{key}.tsv", Body=line.encode())
    glue = client_of(endpoint, "glue")
    glue.create_database(DatabaseInput={"Name": DATABASE})
    for table in table_inputs(f"s3://{bucket}"):
        glue.create_table(DatabaseName=DATABASE, TableInput=table)
    client = client_of(endpoint, "athena")
    location = {"ResultConfiguration": {"OutputLocation": f"s3://{bucket}/sql-results/"}}
    client.create_work_group(Name=DATABASE, Configuration=location)
    return AthenaSql(client, database=DATABASE, workgroup=DATABASE, sleep=lambda _: None)


@pytest.fixture(scope="module")
def local(folder: Path) -> Sql:
    return LocalSql(folder / "tables", lambda: HIDDEN)


@pytest.fixture(params=["local", "athena"])
def database(request: pytest.FixtureRequest) -> Sql:
    found: Sql = request.getfixturevalue(request.param)
    return found


def rows_of(database: Sql, query: str) -> Rows:
    with database.run(query) as found:
        return [tuple(found.columns), *(tuple(row) for row in found.rows)]


def test_the_page_has_twenty_queries() -> None:
    assert list(QUERIES) == list(range(1, 21))


@pytest.mark.parametrize("number", QUERIES)
def test_a_documented_query_has_the_same_rows_on_one_machine_and_in_athena(
    number: int, local: Sql, athena: Sql
) -> None:
    rows = rows_of(local, QUERIES[number])
    assert len(rows) > 1
    assert rows_of(athena, QUERIES[number]) == rows


@pytest.mark.parametrize("name", [*COLUMNS, *VIEWS])
def test_a_table_or_view_has_the_same_rows_on_one_machine_and_in_athena(name: str, local: Sql, athena: Sql) -> None:
    columns = ", ".join(column for column, kind in _shape(local, name) if not kind.endswith("[]"))
    query = f"SELECT {columns} FROM {name} ORDER BY {columns}"
    rows = rows_of(local, query)
    assert len(rows) > 1
    assert rows_of(athena, query) == rows


def _shape(local: Sql, name: str) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[1])) for row in rows_of(local, f"DESCRIBE {name}")[1:]]


@pytest.mark.parametrize("query", [*QUERIES.values(), *(f"SELECT * FROM {name}" for name in (*COLUMNS, *VIEWS))])
def test_a_query_and_its_views_are_sql_of_trino(query: str) -> None:
    """The emulator's Athena accepts DuckDB's SQL, so a parser of Trino's grammar reads what is sent."""
    tables = {table: visible_rows(table, f'"{DATABASE}".{table}', f'"{DATABASE}".hidden') for table in COLUMNS}
    for dialect in ("trino", "athena"):
        parsed = sqlglot.parse_one(with_views(query, tables=tables), dialect=dialect, error_level=ErrorLevel.RAISE)
        assert isinstance(parsed, exp.Query)
        assert list(parsed.find_all(exp.Anonymous)) == []  # functions that Trino does not have
        unquoted = {name.name.upper() for name in parsed.find_all(exp.Identifier) if not name.quoted}
        assert "URL" in unquoted or "CRAWL" in unquoted or "KEY" in unquoted
        assert unquoted & RESERVED == set()


@pytest.mark.parametrize(
    "statement", ["DROP TABLE pages", "INSERT INTO pages SELECT * FROM pages", "SELECT * FROM nowhere", "", "-- x"]
)
def test_a_statement_that_is_no_query_or_fails_is_rejected(database: Sql, statement: str) -> None:
    with pytest.raises(InvalidInputError, match="quer"), database.run(statement):
        pass


@pytest.mark.parametrize(
    "query",
    [
        "WITH own AS (SELECT url FROM pages WHERE status = 404) SELECT url FROM own",
        "with own AS (SELECT url FROM pages WHERE status = 404) SELECT url FROM own;",
        "-- a comment\n/* and\nanother */ WITH own AS (SELECT url FROM pages WHERE status = 404) SELECT url FROM own",
        "(SELECT url FROM pages WHERE status = 404)",
        """
        WITH RECURSIVE n (i) AS (SELECT 404 UNION ALL SELECT i + 1 FROM n WHERE i < 404)
        SELECT url FROM pages JOIN n ON n.i = pages.status
        """,
    ],
)
def test_a_query_can_have_expressions_of_its_own(database: Sql, query: str) -> None:
    assert rows_of(database, query) == [("url",), (f"{ROOT}gone",)]


def test_a_query_without_a_table_is_sent_as_it_is() -> None:
    assert with_views("SELECT 1", tables={}) == "SELECT 1"
