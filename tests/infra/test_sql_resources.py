"""SQL in the template: tables over the files of parts, and a workgroup with a limit."""

import re
from typing import Any

from tests.infra.reading import only, properties
from tests.support.synthesis import Assembly

from wavecrawl.adapters.aws.catalog import hive_type
from wavecrawl.adapters.table_columns import COLUMNS, PARTITIONS
from wavecrawl.ports.parts import Table


def tables(assembly: Assembly) -> dict[str, Any]:
    return {one["TableInput"]["Name"]: one["TableInput"] for one in properties(assembly, "AWS::Glue::Table")}


def test_each_table_of_the_parts_is_in_the_catalog_with_the_columns_of_its_files(assembly: Assembly) -> None:
    found = tables(assembly)
    assert found.keys() == {*Table, "hidden"}
    for table in Table:
        assert [one["Name"] for one in found[table]["PartitionKeys"]] == list(PARTITIONS)
        columns = found[table]["StorageDescriptor"]["Columns"]
        assert [column["Name"] for column in columns] == list(COLUMNS[table])
        assert str(found[table]["StorageDescriptor"]["Location"]).endswith(f"/tables/{table}/']]}}")


def test_no_partition_is_guessed_from_names(assembly: Assembly) -> None:
    """A partition projection would make Athena list a folder for each possible crawl."""
    assert not [name for name, one in tables(assembly).items() if "projection.enabled" in one["Parameters"]]
    assert assembly.of_kind("AWS::Glue::Crawler") == {}


def test_types_of_duckdb_are_written_as_those_of_hive() -> None:
    assert hive_type("VARCHAR") == "string"
    assert hive_type("VARCHAR[]") == "array<string>"
    assert hive_type("STRUCT(level INTEGER, text VARCHAR)[]") == "array<struct<level:int,text:string>>"


def test_queries_have_a_limit_and_encrypted_results_that_expire(assembly: Assembly) -> None:
    workgroup = only(assembly, "AWS::Athena::WorkGroup")
    configuration = workgroup["WorkGroupConfiguration"]
    assert configuration["BytesScannedCutoffPerQuery"] == 10_000_000_000
    assert configuration["EnforceWorkGroupConfiguration"] is True
    assert configuration["ResultConfiguration"]["EncryptionConfiguration"] == {"EncryptionOption": "SSE_S3"}
    location = str(configuration["ResultConfiguration"]["OutputLocation"])
    prefix = re.search(r"/(sql-results/)", location)
    assert prefix is not None
    rules = only(assembly, "AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]
    (rule,) = [rule for rule in rules if rule.get("Prefix") == prefix[1]]
    assert rule["ExpirationInDays"] == 1
    assert workgroup["RecursiveDeleteOption"] is True  # or a used workgroup would keep the stack from being deleted


def test_the_outputs_name_database_and_workgroup(assembly: Assembly) -> None:
    outputs = assembly.template["Outputs"]
    assert outputs["SqlDatabase"]["Value"] == only(assembly, "AWS::Glue::Database")["DatabaseInput"]["Name"]
    assert outputs["SqlWorkgroup"]["Value"] == only(assembly, "AWS::Athena::WorkGroup")["Name"]


def test_a_deployment_can_be_without_sql(least: Assembly) -> None:
    for kind in ("AWS::Glue::Database", "AWS::Glue::Table", "AWS::Athena::WorkGroup"):
        assert least.of_kind(kind) == {}
    actions = str(least.of_kind("AWS::IAM::Policy"))
    assert "glue:" not in actions


def test_the_name_of_the_database_has_no_characters_that_athena_rejects(other: Assembly) -> None:
    assert only(other, "AWS::Glue::Database")["DatabaseInput"]["Name"] == "crawls_of_2026"
