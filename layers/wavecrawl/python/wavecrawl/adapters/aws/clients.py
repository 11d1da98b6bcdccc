"""The AWS clients of a process: each built once, when it is first needed, and shared by all threads.

They come from botocore, not boto3: resources and transfer managers, which nothing here uses, would cost every cold
start. Region, credentials and endpoints are botocore's own business (AWS_DEFAULT_REGION, AWS_ENDPOINT_URL, roles).

Retries: mode `standard`, which AWS recommends. It retries throttling, server errors and connections that break, with
exponential back-off, jitter and a quota. Not `adaptive`: it slows a whole client down where one partition throttles,
and "is not recommended for multi-tenant applications"
(https://docs.aws.amazon.com/sdkref/latest/guide/feature-retry-behavior.html). Six attempts instead of three: the pauses
then add up to some 15 seconds (31 at most), in which DynamoDB splits a hot partition or S3 a hot prefix, and a worker
still has most of its lease.
"""

from functools import cached_property
from threading import RLock
from typing import TYPE_CHECKING, Any, cast

import botocore.session
from botocore.config import Config

from wavecrawl.adapters.aws.meter import AwsMeter

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_scheduler import EventBridgeSchedulerClient
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_stepfunctions import SFNClient

_ATTEMPTS = 6
_CONNECT_SECONDS = 2.0
_S3 = Config(signature_version="s3v4", s3={"addressing_style": "virtual"})
"""Matters to presigned URLs: without it they are signed by version 2, which newer buckets refuse
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/RESTAuthentication.html), and name the global host, which sends
requests for other regions elsewhere, where the signature does not hold."""

_CONNECTIONS = 64  # threads that fetch, and those of the bulk reads beside them


def client_config(*, read_seconds: float) -> Config:
    """Return how a client behaves. Parameters are not validated: they are built here, and AWS checks them anyway."""
    return Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=read_seconds,
        max_pool_connections=_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        parameter_validation=False,
        tcp_keepalive=True,
    )


class AwsClients:
    """One client a service. Read time-outs are several times what the services take, and far from botocore's minute."""

    def __init__(self, *, meter: AwsMeter | None = None, endpoint_url: str | None = None) -> None:
        self._meter = meter
        self._endpoint_url = endpoint_url
        self._session = botocore.session.get_session()
        self._lock = RLock()  # sessions are not thread-safe, clients are
        self._built: list[Any] = []

    @cached_property
    def dynamodb(self) -> "DynamoDBClient":
        """DynamoDB answers within milliseconds."""
        return cast("DynamoDBClient", self._client("dynamodb", read_seconds=5.0))

    @cached_property
    def s3(self) -> "S3Client":
        """S3: objects of some megabytes at most."""
        return cast("S3Client", self._client("s3", read_seconds=20.0))

    @cached_property
    def sqs(self) -> "SQSClient":
        """SQS: sending only; the event source mapping receives."""
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
    def scheduler(self) -> "EventBridgeSchedulerClient":
        """EventBridge Scheduler."""
        return cast("EventBridgeSchedulerClient", self._client("scheduler", read_seconds=10.0))

    @cached_property
    def secrets(self) -> "SecretsManagerClient":
        """Secrets Manager: on the way of every webhook."""
        return cast("SecretsManagerClient", self._client("secretsmanager", read_seconds=5.0))

    def close(self) -> None:
        """Close every connection."""
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
