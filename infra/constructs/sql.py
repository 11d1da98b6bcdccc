"""SQL over the parts of all crawls: tables in Glue's Data Catalog, and an Athena workgroup. Idle, they cost nothing.

The functions register a partition for each crawl; no crawler runs (docs/sql.md).
"""

from typing import Final

from aws_cdk import ArnFormat, Aws, CfnResource, Stack
from aws_cdk import aws_athena as athena
from aws_cdk import aws_glue as glue
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.config import Config
from wavecrawl.adapters.aws.catalog import table_inputs
from wavecrawl.ports.parts import Table

RESULTS: Final = "sql-results/"
"""Prefix of the results of queries in the bucket. A lifecycle rule deletes them."""

_BYTES_PER_MB: Final = 1_000_000


def database_name(config: Config) -> str:
    """Return the name of the deployment's database: Athena's names have lower-case letters, digits and '_'.

    https://docs.aws.amazon.com/athena/latest/ug/tables-databases-columns-names.html
    """
    return config.stack_name.lower().replace("-", "_") if config.sql else ""


def catalog_arns(scope: Construct, config: Config) -> list[str]:
    """Return the ARNs that actions on partitions need: of the catalog, of the database and of the partitioned tables.

    https://docs.aws.amazon.com/glue/latest/dg/glue-specifying-resource-arns.html
    """
    if not config.sql:
        return []
    name = database_name(config)
    tables = [f"table/{name}/{table.value}" for table in Table]
    return [
        Stack.of(scope).format_arn(service="glue", resource=one, arn_format=ArnFormat.NO_RESOURCE_NAME)
        for one in ("catalog", f"database/{name}", *tables)
    ]


class Sql(Construct):
    """A database with the tables, and the workgroup of queries. They are deleted with the stack; the files are not."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config, bucket: s3.IBucket) -> None:
        super().__init__(scope, construct_id)
        self.database = database_name(config)
        self.workgroup = config.stack_name
        database = glue.CfnDatabase(
            self,
            "Database",
            catalog_id=Aws.ACCOUNT_ID,
            database_input=glue.CfnDatabase.DatabaseInputProperty(
                name=self.database, description="wavecrawl: pages, links, URLs and texts of all crawls"
            ),
        )
        for table in table_inputs(f"s3://{bucket.bucket_name}"):
            CfnResource(
                self,
                table["Name"].title(),
                type="AWS::Glue::Table",  # not CfnTable, as Glue's own API takes the same definition
                properties={"CatalogId": Aws.ACCOUNT_ID, "DatabaseName": database.ref, "TableInput": table},
            )
        athena.CfnWorkGroup(
            self,
            "Workgroup",
            name=self.workgroup,
            description="wavecrawl: queries over all crawls",
            recursive_delete_option=True,
            work_group_configuration=athena.CfnWorkGroup.WorkGroupConfigurationProperty(
                bytes_scanned_cutoff_per_query=config.sql_scan_limit_mb * _BYTES_PER_MB,
                enforce_work_group_configuration=True,
                publish_cloud_watch_metrics_enabled=False,
                result_configuration=athena.CfnWorkGroup.ResultConfigurationProperty(
                    output_location=f"s3://{bucket.bucket_name}/{RESULTS}",
                    encryption_configuration=athena.CfnWorkGroup.EncryptionConfigurationProperty(
                        encryption_option="SSE_S3"
                    ),
                ),
            ),
        )
