"""The AWS clients of a process, each created at its first use and shared by all threads.

They are botocore clients. boto3 would slow down cold starts for features that are not used here. botocore finds region,
credentials and endpoints itself (AWS_DEFAULT_REGION, AWS_ENDPOINT_URL, roles).

The retry mode is `standard`, which AWS recommends: it retries throttling, server errors and broken connections with
exponential back-off, jitter and a quota. The mode `adaptive` would slow down a whole client if one partition throttles,
and "is not recommended for multi-tenant applications"
(https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html). Six attempts instead of three wait about
15 seconds in total (31 at most), enough for DynamoDB to split a hot partition or S3 a hot prefix.
"""

from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.config import Config

from wavecrawl.adapters.aws.meter import AwsMeter

if TYPE_CHECKING:
    from mypy_boto3_bedrock_runtime import BedrockRuntimeClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_glue import GlueClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_s3vectors import S3VectorsClient
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_stepfunctions import SFNClient

_ATTEMPTS = 6
_CONNECT_SECONDS = 2.0
_S3 = Config(signature_version="s3v4", s3={"addressing_style": "virtual"})
"""For presigned URLs. By default, they have signatures of version 2, which newer buckets reject
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html), and name the global host, which
redirects requests for other regions, where the signature is invalid."""

_CONNECTIONS = 64  # for fetching threads and bulk reads


def client_config(*, read_seconds: float) -> Config:
    """Return the configuration of a client. Parameters are not validated by botocore, as AWS validates them."""
    return Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=read_seconds,
        max_pool_connections=_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        parameter_validation=False,
        tcp_keepalive=True,
    )


class AwsClients:
    """One client per service. Read time-outs are several times the usual response times; botocore's default is 60 s."""

    def __init__(self, *, meter: AwsMeter | None = None, endpoint_url: str | None = None) -> None:
        self._meter = meter
        self._endpoint_url = endpoint_url
        self._session = botocore.session.get_session()
        self._lock = RLock()  # sessions are not thread-safe
        self._built: list[Any] = []

    @cached_property
    def dynamodb(self) -> "DynamoDBClient":
        """DynamoDB."""
        return cast("DynamoDBClient", self._client("dynamodb", read_seconds=5.0))

    @cached_property
    def s3(self) -> "S3Client":
        """S3, for objects of a few megabytes."""
        return cast("S3Client", self._client("s3", read_seconds=20.0))

    @cached_property
    def sqs(self) -> "SQSClient":
        """SQS, for sending; the event source mapping receives."""
        return cast("SQSClient", self._client("sqs", read_seconds=10.0))

    @cached_property
    def stepfunctions(self) -> "SFNClient":
        """Step Functions."""
        return cast("SFNClient", self._client("stepfunctions", read_seconds=10.0))

    @cached_property
    def events(self) -> "EventBridgeClient":
        """EventBridge."""
        return cast("EventBridgeClient", self._client("events", read_seconds=10.0))

    @cached_property
    def glue(self) -> "GlueClient":
        """Glue's Data Catalog."""
        return cast("GlueClient", self._client("glue", read_seconds=10.0))

    @cached_property
    def scheduler(self) -> "EventBridgeSchedulerClient":
        """EventBridge Scheduler."""
        return cast("EventBridgeSchedulerClient", self._client("scheduler", read_seconds=10.0))

    @cached_property
    def s3vectors(self) -> "S3VectorsClient":
        """Amazon S3 Vectors."""
        return cast("S3VectorsClient", self._client("s3vectors", read_seconds=30.0))

    @cached_property
    def bedrock(self) -> "BedrockRuntimeClient":
        """Amazon Bedrock, for models."""
        return cast("BedrockRuntimeClient", self._client("bedrock-runtime", read_seconds=60.0))

    @cached_property
    def secrets(self) -> "SecretsManagerClient":
        """Secrets Manager."""
        return cast("SecretsManagerClient", self._client("secretsmanager", read_seconds=5.0))

    def close(self) -> None:
        """Close all connections."""
        for client in self._built:
            client.close()

    def _client(self, service: str, *, read_seconds: float) -> object:
        with self._lock:
            config = client_config(read_seconds=read_seconds)
            if service == "s3":
                config = config.merge(_S3)
            client = self._session.create_client(service, config=config, endpoint_url=self._endpoint_url)
            if self._meter is not None:
                self._meter.watch(client)
            self._built.append(client)
            return client
