"""Where a crawl's data lies: one table, one bucket."""

from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_s3 as s3
from constructs import Construct

from infra.config import Config
from infra.constructs.acknowledgements import acknowledge

SNAPSHOT_TAG: Final = ("lifetime", "crawl")
"""Tag of snapshots, which only a running crawl needs; `adapters.aws.objects` sets it as it stores one.

Lifecycle rules match the beginning of a name or a tag, never the middle of a name
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-filters.html). Names that begin with what is to
expire would need none, but every name begins with its tenant, and rights rely on that. A tag costs no request, as it
travels with the PUT, and a cent for 10,000 objects and month at most: what keeping 43 KB more would cost
(https://aws.amazon.com/s3/pricing/). The rule saves the whole snapshot.
"""

SNAPSHOT_DAYS: Final = 30
OLD_SNAPSHOT_DAYS: Final = 1
"""How long what has expired is kept: in a bucket with versions, an expired object is a version like those replaced."""

OLD_VERSION_DAYS: Final = 30


class Storage(Construct):
    """The table and the bucket. Both outlive the stack unless `keep_data` is off."""

    def __init__(self, scope: Construct, construct_id: str, *, config: Config) -> None:
        super().__init__(scope, construct_id)
        removal = RemovalPolicy.RETAIN if config.keep_data else RemovalPolicy.DESTROY
        # Encrypted by the key DynamoDB owns: free of charge, where a key of one's own costs a request with nearly every
        # write (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.howitworks.html).
        self.table = dynamodb.Table(
            self,
            "Table",
            partition_key=dynamodb.Attribute(name="pk", type=dynamodb.AttributeType.STRING),
            sort_key=dynamodb.Attribute(name="sk", type=dynamodb.AttributeType.STRING),
            billing_mode=dynamodb.BillingMode.PAY_PER_REQUEST,
            encryption=dynamodb.TableEncryption.DEFAULT,
            point_in_time_recovery_specification=dynamodb.PointInTimeRecoverySpecification(
                point_in_time_recovery_enabled=True
            ),
            time_to_live_attribute="expires_at",
            deletion_protection=config.keep_data,
            removal_policy=removal,
        )
        # SSE-S3: free of charge, and nobody but this account's roles reads the bucket.
        self.bucket = s3.Bucket(
            self,
            "Bucket",
            encryption=s3.BucketEncryption.S3_MANAGED,
            block_public_access=s3.BlockPublicAccess.BLOCK_ALL,
            object_ownership=s3.ObjectOwnership.BUCKET_OWNER_ENFORCED,
            enforce_ssl=True,
            minimum_tls_version=1.2,
            versioned=True,
            lifecycle_rules=_lifecycle(),
            removal_policy=removal,
        )
        acknowledge(
            self.bucket,
            "AwsSolutions-S1",
            "Access logs would cost a second bucket and a PUT per request; CloudTrail data events show who read what,"
            " for those who need it.",
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
            id="versions-that-were-replaced",
            noncurrent_version_expiration=Duration.days(OLD_VERSION_DAYS),
            expired_object_delete_marker=True,
        ),
    ]
