"""Data in the template: access, encryption, retention and expiry."""

import json

from moto import mock_aws
from tests.infra.reading import only, properties
from tests.support.emulator import CREDENTIALS, new_bucket
from tests.support.functions import environment_of
from tests.support.synthesis import Assembly

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.objects import S3Objects
from wavecrawl.domain.crawl.job import CrawlId


def test_the_bucket_is_closed_to_the_public(assembly: Assembly) -> None:
    closed = {"BlockPublicAcls", "BlockPublicPolicy", "IgnorePublicAcls", "RestrictPublicBuckets"}
    bucket = only(assembly, "AWS::S3::Bucket")
    assert bucket["PublicAccessBlockConfiguration"] == dict.fromkeys(closed, True)
    assert bucket["OwnershipControls"] == {"Rules": [{"ObjectOwnership": "BucketOwnerEnforced"}]}


def test_the_bucket_s_policy_does_nothing_but_refuse_what_is_not_tls(assembly: Assembly) -> None:
    statements = only(assembly, "AWS::S3::BucketPolicy")["PolicyDocument"]["Statement"]
    assert {statement["Effect"] for statement in statements} == {"Deny"}
    assert [statement["Condition"] for statement in statements] == [
        {"Bool": {"aws:SecureTransport": "false"}},
        {"NumericLessThan": {"s3:TlsVersion": 1.2}},
    ]


def test_pages_of_any_origin_may_read_and_upload_with_a_signed_url_and_nothing_else(assembly: Assembly) -> None:
    (rule,) = only(assembly, "AWS::S3::Bucket")["CorsConfiguration"]["CorsRules"]
    assert rule == {"AllowedMethods": ["GET", "PUT"], "AllowedOrigins": ["*"], "MaxAge": 3_600}


def test_data_is_encrypted_with_keys_that_cost_nothing(assembly: Assembly) -> None:
    (rule,) = only(assembly, "AWS::S3::Bucket")["BucketEncryption"]["ServerSideEncryptionConfiguration"]
    assert rule["ServerSideEncryptionByDefault"] == {"SSEAlgorithm": "AES256"}
    assert only(assembly, "AWS::DynamoDB::Table")["SSESpecification"] == {"SSEEnabled": False}  # a key owned by AWS
    assert all(queue["SqsManagedSseEnabled"] for queue in properties(assembly, "AWS::SQS::Queue"))


def test_parts_that_a_killed_process_leaves_are_deleted_in_every_bucket(assembly: Assembly) -> None:
    buckets = properties(assembly, "AWS::S3::Bucket")
    assert buckets
    for bucket in buckets:
        rules = [one for one in bucket["LifecycleConfiguration"]["Rules"] if "AbortIncompleteMultipartUpload" in one]
        assert [(one["Status"], one.keys() & {"Prefix", "TagFilters"}) for one in rules] == [("Enabled", set())]


def test_exports_are_versioned_and_leftovers_expire(assembly: Assembly) -> None:
    bucket = only(assembly, "AWS::S3::Bucket")
    assert bucket["VersioningConfiguration"] == {"Status": "Enabled"}
    rules = {rule["Id"]: rule for rule in bucket["LifecycleConfiguration"]["Rules"]}
    assert rules["parts-of-uploads-that-broke-off"]["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    assert rules["snapshots-of-crawls-long-over"]["TagFilters"] == [{"Key": "lifetime", "Value": "crawl"}]
    assert rules["snapshots-of-crawls-long-over"]["ExpirationInDays"] == 30
    assert rules["snapshots-of-crawls-long-over"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 1}
    assert rules["versions-that-were-replaced"]["NoncurrentVersionExpiration"] == {"NoncurrentDays": 30}


def test_snapshots_are_stored_with_the_tag_that_lets_them_expire_and_nothing_else_is() -> None:
    crawl = CrawlId(tenant="t", site="s", crawl="c")
    with mock_aws(), environment_of(CREDENTIALS):
        clients = AwsClients()
        bucket = new_bucket(clients)
        objects = S3Objects(clients.s3, bucket)
        objects.put_new(crawl, "frontier/000001.msgpack", b"snapshot")
        objects.put(crawl, "sitemaps/listing.msgpack", b"listing")
        tags = {
            entry["Key"]: clients.s3.get_object_tagging(Bucket=bucket, Key=entry["Key"])["TagSet"]
            for entry in clients.s3.list_objects_v2(Bucket=bucket)["Contents"]
        }
        clients.close()
    assert tags == {
        "tenants/t/sites/s/crawls/c/frontier/000001.msgpack": [{"Key": "lifetime", "Value": "crawl"}],
        "tenants/t/sites/s/crawls/c/sitemaps/listing.msgpack": [],
    }


def test_lists_expire_by_the_tag_that_the_store_gives_them_and_uploads_after_a_day(assembly: Assembly) -> None:
    rules = {rule["Id"]: rule for rule in only(assembly, "AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]}
    lists, uploads = rules["lists-that-no-site-names"], rules["uploads-that-were-not-checked"]
    assert (lists["TagFilters"], lists["ExpirationInDays"]) == ([{"Key": "lifetime", "Value": "list"}], 90)
    assert (uploads["Prefix"], uploads["ExpirationInDays"]) == ("uploads/", 1)
    assert [one["NoncurrentVersionExpiration"] for one in (lists, uploads)] == [{"NoncurrentDays": 1}] * 2


def test_nothing_expires_that_is_not_tagged_for_it_except_results_of_queries_and_uploads(assembly: Assembly) -> None:
    rules = only(assembly, "AWS::S3::Bucket")["LifecycleConfiguration"]["Rules"]
    expiring = [rule for rule in rules if "ExpirationInDays" in rule]
    assert [rule.get("Prefix") for rule in expiring if "TagFilters" not in rule] == ["uploads/", "sql-results/"]


def test_the_table_can_be_restored_to_any_moment(assembly: Assembly) -> None:
    table = only(assembly, "AWS::DynamoDB::Table")
    assert table["PointInTimeRecoverySpecification"] == {"PointInTimeRecoveryEnabled": True}
    assert table["TimeToLiveSpecification"] == {"AttributeName": "expires_at", "Enabled": True}
    assert table["BillingMode"] == "PAY_PER_REQUEST"


def test_the_initial_secret_has_the_expected_fields_and_no_keys(assembly: Assembly) -> None:
    generated = only(assembly, "AWS::SecretsManager::Secret")["GenerateSecretString"]
    assert json.loads(generated["SecretStringTemplate"]) == {
        "api_keys": [],
        "webhook_secrets": [],
        "qstash_keys": [],
    }
