"""Storage of crawls: one table and one bucket."""

from typing import Final

from aws_cdk import Duration
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_iam as iam
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.encryption import own_key
from infra.constructs.removal import removal_of_data
from infra.constructs.sql import RESULTS
from wavecrawl.adapters.aws.url_lists import OF_A_LIST
from wavecrawl.adapters.list_names import UPLOADS
from wavecrawl.domain.tenants.limits import DAYS_OF_A_LIST

SNAPSHOT_TAG: Final = ("lifetime", "crawl")
"""Tag of snapshots and lists of URLs, which only a running crawl needs; set by `adapters.aws.objects`.

Lifecycle rules can match a prefix or a tag (https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html).
The prefix of all names is the tenant, as permissions depend on it. A tag needs no request of its own and costs at most
one cent per 10,000 objects and month (https://aws.amazon.com/s3/pricing/), less than the deleted snapshots.
"""

SNAPSHOT_DAYS: Final = 30
OLD_SNAPSHOT_DAYS: Final = 1
"""Days for which expired snapshots are kept as old versions."""

OLD_VERSION_DAYS: Final = 30

UPLOAD_DAYS: Final = 1
"""Days for which uploaded files are kept. They are deleted before when they are checked."""

RESULT_DAYS: Final = 1
"""Days for which the results of SQL queries are kept."""


class Storage(Construct):
    """The table and the bucket. Both are kept if the stack is deleted, unless `keep_data` is false."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        self.table: dynamodb.ITable
        self.bucket: s3.IBucket
        if config.table_name:
            self._adopt(config)
        else:
            self._create(config)

    def _adopt(self, config: Config) -> None:
        """Use a table and a bucket that exist. The policy of a bucket is deleted with the stack that made it."""
        self.table = dynamodb.Table.from_table_name(self, "Table", config.table_name)
        self.bucket = s3.Bucket.from_bucket_name(self, "Bucket", config.bucket_name)
        policy = s3.BucketPolicy(self, "Policy", bucket=self.bucket)
        for test, key, value in (
            ("Bool", "aws:SecureTransport", "false"),
            ("NumericLessThan", "s3:TlsVersion", "1.2"),
        ):
            policy.document.add_statements(
                iam.PolicyStatement(
                    effect=iam.Effect.DENY,
                    principals=[iam.AnyPrincipal()],
                    actions=["s3:*"],
                    resources=[self.bucket.bucket_arn, self.bucket.arn_for_objects("*")],
                    conditions={test: {key: value}},
                )
            )

    def _create(self, config: Config) -> None:
        removal, key = removal_of_data(config), own_key(self, config)
        # Encrypted with DynamoDB's own key, which is free. A customer key would cost a KMS request for nearly each
        # write (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.howitworks.html).
        self.table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.CUSTOMER_MANAGED if key else dynamodb.TableEncryption.DEFAULT,
            encryption_key=key,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires_at",
            # No deletion protection: CloudFormation could not remove the table after a first deployment that failed.
            removal_policy=removal,
        )
        # SSE-S3 is free, and only roles of this account can read the bucket.
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.KMS if key else s3.BucketEncryption.S3_MANAGED,
            encryption_key=key,
            bucket_key_enabled=True if key else None,  # one KMS request for many objects
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            versioned=True,
            lifecycle_rules=_lifecycle(),
            removal_policy=removal,
            cors=[_USED_BY_THE_DASHBOARD],
        )
        acknowledge(
            self.bucket,
            "AwsSolutions-S1",
            "Access logs would cost a second bucket and a PUT per request; CloudTrail data events can be enabled"
            " instead.",
        )


# The dashboard reads files and uploads lists by signed URL, from the origin of the API. The origin is not named, as the
# API depends on the bucket; the right to read or write is in the signature, not in the origin or in cookies. Browsers
# ask S3 before each PUT: https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html
_USED_BY_THE_DASHBOARD = s3.CorsRule(
    allowed_methods=[s3.HttpMethods.GET, s3.HttpMethods.PUT], allowed_origins=["*"], max_age=3_600
)


def _lifecycle() -> list[s3.LifecycleRule]:
    tag, value = SNAPSHOT_TAG
    return [
        s3.LifecycleRule(
            id="parts-of-uploads-that-broke-off", abort_incomplete_multipart_upload_after=Duration.days(1)
        ),
        s3.LifecycleRule(
            id="snapshots-of-crawls-long-over",
            tag_filters={tag: value},
            expiration=Duration.days(SNAPSHOT_DAYS),
            noncurrent_version_expiration=Duration.days(OLD_SNAPSHOT_DAYS),
        ),
        s3.LifecycleRule(
            id="uploads-that-were-not-checked",
            prefix=UPLOADS,
            expiration=Duration.days(UPLOAD_DAYS),
            noncurrent_version_expiration=Duration.days(1),
        ),
        s3.LifecycleRule(
            id="lists-that-no-site-names",
            tag_filters=dict([OF_A_LIST.split("=")]),
            expiration=Duration.days(DAYS_OF_A_LIST),
            noncurrent_version_expiration=Duration.days(1),
        ),
        s3.LifecycleRule(
            id="results-of-queries",
            prefix=RESULTS,
            expiration=Duration.days(RESULT_DAYS),
            noncurrent_version_expiration=Duration.days(1),
        ),
        s3.LifecycleRule(
            id="versions-that-were-replaced",
            noncurrent_version_expiration=Duration.days(OLD_VERSION_DAYS),
            expired_object_delete_marker=True,
        ),
    ]
