"""Databases in memory that share one DuckDB."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from wavecrawl.adapters.analytics.database import copy_csv, cursor_of, memory_database, one_instance


@pytest.fixture(name="scratch")
def an_instance(tmp_path: Path) -> Iterator[Path]:
    with one_instance(tmp_path / "spill"):
        yield tmp_path


def value(db: duckdb.DuckDBPyConnection, query: str) -> object:
    ((found,),) = db.execute(query).fetchall()
    return found


def is_shared(db: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the database is one of the shared DuckDB, which has a folder for its data."""
    return str(value(db, "SELECT current_setting('temp_directory')")).endswith("/spill")


def test_databases_one_after_another_share_an_instance_but_no_tables(scratch: Path) -> None:
    for number in (1, 2):
        with memory_database(scratch, memory_mb=100 * number) as db:
            assert is_shared(db)
            db.execute(f"CREATE TABLE pages AS SELECT {number} AS id")
            db.execute("CREATE TEMP TABLE fresh AS SELECT id FROM pages")
            db.execute("CREATE VIEW known AS SELECT id FROM pages JOIN fresh USING (id)")
            assert value(db, "SELECT id FROM known") == number
            assert value(db, "SELECT current_setting('memory_limit')") == ("95.3 MiB" if number == 1 else "190.7 MiB")


def test_a_database_within_another_has_an_instance_of_its_own(scratch: Path) -> None:
    with memory_database(scratch, memory_mb=100) as outer:
        with memory_database(scratch, memory_mb=50) as inner:
            assert not is_shared(inner)
        assert value(outer, "SELECT current_setting('memory_limit')") == "95.3 MiB"


def test_after_a_failure_databases_have_instances_of_their_own(scratch: Path) -> None:
    with pytest.raises(duckdb.CatalogException), memory_database(scratch, memory_mb=100) as db:
        db.execute("SELECT * FROM nothing")
    with memory_database(scratch, memory_mb=100) as db:
        assert not is_shared(db)


def test_without_a_shared_instance_each_database_has_its_own(tmp_path: Path) -> None:
    with memory_database(tmp_path, memory_mb=100) as db:
        assert not is_shared(db)


@pytest.mark.usefixtures("scratch")
def test_another_connection_reads_the_same_database(tmp_path: Path) -> None:
    with memory_database(tmp_path, memory_mb=100) as db:
        db.execute("CREATE TABLE pages AS SELECT 1 AS id")
        assert value(cursor_of(db), "SELECT id FROM pages") == 1
    with memory_database(tmp_path, memory_mb=100) as db:
        db.execute("CREATE TABLE pages AS SELECT 2 AS id")
        assert value(cursor_of(db), "SELECT id FROM pages") == 2


def test_cells_of_columns_with_any_names(tmp_path: Path) -> None:
    with memory_database(tmp_path, memory_mb=100) as db:
        query = """SELECT '=1' AS cell, 2 AS cells, '-x' AS "a ""b", NULL::VARCHAR AS none, 'y' AS y"""
        copy_csv(db, query, tmp_path / "table.csv")
    head, row = (tmp_path / "table.csv").read_text(encoding="utf-8-sig").splitlines()
    assert head == 'cell,cells,"a ""b",none,y'
    assert row == "'=1,2,'-x,,y"
