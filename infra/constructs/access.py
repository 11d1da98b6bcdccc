"""Permissions: the exact actions and resources of each function's role."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from aws_cdk import Stack
from aws_cdk import aws_dynamodb as dynamodb
from aws_cdk import aws_events as events
from aws_cdk import aws_iam as iam
from aws_cdk import aws_logs as logs
from aws_cdk import aws_s3 as s3
from aws_cdk import aws_secretsmanager as secretsmanager
from aws_cdk import aws_sqs as sqs

from infra.constructs.acknowledgements import acknowledge
from wavecrawl.adapters.list_names import UPLOADS, list_name
from wavecrawl.adapters.part_objects import hidden_prefix
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.ports.url_lists import copy_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheduling:
    """The resources that schedules of sites share."""

    group: str
    role: iam.Role  # of EventBridge Scheduler
    target_arn: str  # the function start_site
    schedules_arn: str  # all schedules of the group


@dataclass(frozen=True, slots=True, kw_only=True)
class Vectors:
    """The vectors of the knowledge index, and the model that makes them."""

    bucket_name: str
    logical_id: str
    indexes_arn: str  # all indexes of the vector bucket
    model_arn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """The resources that functions use."""

    table: dynamodb.ITable
    bucket: s3.IBucket
    batches: Mapping[BatchKind, sqs.Queue]  # of the kinds of batches of the deployment
    folds: sqs.Queue
    index: sqs.Queue | None  # None: there is no knowledge index
    vectors: Vectors | None  # None: it has words only
    deliveries: sqs.Queue
    undelivered: sqs.Queue
    secret: secretsmanager.Secret
    site_secrets_arn: str  # the secrets of all sites
    webhook_key_arn: str  # the secret with the key of the webhooks' secrets
    bus: events.EventBus
    state_machine_arn: str
    executions_arn: str  # all executions of the state machine
    scheduling: Scheduling
    catalog_arns: Sequence[str]  # of the tables for SQL; empty without SQL


_X_RAY: Final = (
    "X-Ray's actions do not support resources:"
    " https://docs.aws.amazon.com/service-authorization/latest/reference/list_awsx-ray.html"
)

_OBJECTS: Final = "Names of objects start with tenant, site and crawl, which are not known at deployment."

_INDEXES: Final = "Each site has its own vector index, which is not known at deployment."

_SCHEDULES_OF: Final = "arn:<AWS::Partition>:scheduler:<AWS::Region>:<AWS::AccountId>:schedule/{group}/*"
_SCHEDULES: Final = "Each saved site has its own schedule, which is not known at deployment."

_SECRETS_OF: Final = "arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:{stack}/sites/*"
_EXECUTIONS_OF: Final = "arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:{stack}:*"
_EXECUTIONS: Final = "Each crawl has its own executions, which are not known at deployment."

_SITE_SECRETS: Final = "Each site with credentials has its own secret, which is not known at deployment."

_WEBHOOK_KEY_OF: Final = (
    "arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:{stack}/webhook-key-??????"
)
_WEBHOOK_KEY: Final = "The secret is created with the first webhook, and its ARN ends in six random characters."

SCHEDULER: Final = "scheduler.amazonaws.com"

OBJECTS: Final = "tenants/*"
TABLES: Final = "tables/*"
MEMORY: Final = "tenants/*/memory/*"
EXPORTS: Final = "tenants/*/exports/*"
URL_LISTS: Final = ("tenants/*/frontier/urls.msgpack", f"tenants/*/{copy_name('list-*')}")
"""The lists of URLs of crawls: those that a request names, and copies of uploaded lists."""

UPLOADED: Final = f"{UPLOADS}*"
LISTS: Final = list_name("*", "*")
BATCHES: Final = ("tenants/*/records/*", "tenants/*/warc/*")
SCREENSHOTS: Final = "tenants/*/screenshots/*"
ASSETS: Final = "tenants/*/media/*"
KNOWLEDGE: Final = "tenants/*/knowledge/*"
HIDDEN: Final = f"{hidden_prefix()}*"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Access:
    """The actions of one function by resource. A transaction needs the permissions of its single actions."""

    table: Sequence[str] = ()
    objects: Sequence[
        str
    ] = ()  # below `prefix`; GetObject implies ListBucket, or missing objects would be AccessDenied
    prefix: str = OBJECTS
    tables: Sequence[str] = ()  # the Parquet files of parts
    memory: Sequence[str] = ()  # the files of page memories
    exports: Sequence[str] = ()  # the exports of crawls
    deleted: Sequence[str] = ()  # prefixes of objects that it may delete
    rewritten: Sequence[str] = ()  # prefixes of objects from which it may remove what is deleted
    url_lists: bool = False  # may store the URLs of crawls with discovery `list`, and copy uploaded lists
    uploads: Sequence[str] = ()  # the files of lists before they are checked
    lists: Sequence[str] = ()  # checked lists
    batches: Mapping[BatchKind, Sequence[str]] = field(default_factory=dict)  # the queues of batches
    folds: Sequence[str] = ()
    index: Sequence[str] = ()
    knowledge: Sequence[str] = ()  # the passages of sites
    vectors: Sequence[str] = ()
    model: Sequence[str] = ()
    deliveries: Sequence[str] = ()
    undelivered: Sequence[str] = ()
    state_machine: Sequence[str] = ()
    bus: Sequence[str] = ()
    secret: Sequence[str] = ()
    site_secrets: Sequence[str] = ()  # the credentials of sites
    webhook_key: bool = False  # may read the key of the webhooks' secrets, and create it if there is none
    schedules: Sequence[str] = ()
    catalog: Sequence[str] = ()
    hides: bool = False  # may store the keys of deleted pages for SQL
    pass_role: bool = False  # to Scheduler, which assumes the role to call its targets


_RUN: Final = ("SendMessage", "ChangeMessageVisibility", "ReceiveMessage", "DeleteMessage", "GetQueueAttributes")
"""What a function does with the queue of its batches.

ChangeMessageVisibility: lets a message wait. SendMessage: renews a message that waited often. The other actions are for
the event source mapping.
"""

ACCESS: Final = {
    "webhook": _Access(
        # DeleteItem: deletes the idempotency key of a message that started no crawl, so that it can be sent again.
        # Query and DeleteItem, as in all functions that start queued crawls: read the queue and shorten it.
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        url_lists=True,
        state_machine=("StartExecution",),
        secret=("GetSecretValue",),
    ),
    "api": _Access(
        # DeleteItem: deletes the idempotency key of a request without effect, so that it can be sent again.
        # DeleteItem and BatchWriteItem: delete a crawl with all its rows.
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem"),
        deleted=(OBJECTS, TABLES, UPLOADED),
        rewritten=BATCHES,
        url_lists=True,
        uploads=("PutObject",),  # by presigned URLs
        lists=("PutObjectTagging",),  # a list is kept while a site names it
        # A presigned URL has the permissions of its signer. Records are read when a crawl is deleted.
        objects=("GetObject",),
        state_machine=("StartExecution",),
        secret=("GetSecretValue",),
        schedules=("CreateSchedule", "UpdateSchedule", "DeleteSchedule"),
        site_secrets=("CreateSecret", "PutSecretValue", "DeleteSecret"),  # it cannot read them
        webhook_key=True,
        pass_role=True,
        bus=("PutEvents",),  # for the end of a crawl that was cancelled while queued
        deliveries=("SendMessage",),  # for test messages and repeated deliveries
        catalog=("DeletePartition",),
        index=("SendMessage",),  # the texts of a deleted crawl are removed
    ),
    "results": _Access(
        # PutItem: hide a deleted page. DeleteItem: delete an asset. BatchGetItem: the latest crawls of all sites.
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        hides=True,
        deleted=(SCREENSHOTS, ASSETS, UPLOADED),
        uploads=("GetObject",),
        lists=("PutObject", "PutObjectTagging"),
        objects=("GetObject",),
        tables=("GetObject",),
        memory=("PutObject",),  # the mark of a deleted page
        secret=("GetSecretValue",),
        index=("SendMessage",),  # the texts of a deleted page are removed
        vectors=("QueryVectors",),
        model=("InvokeModel",),
    ),
    "start_site": _Access(
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        url_lists=True,
        state_machine=("StartExecution",),
        schedules=("DeleteSchedule",),  # of deleted sites
        undelivered=("SendMessage",),  # by Lambda, for calls whose last try failed
    ),
    # DeleteItem, as in all functions that read robots.txt: removes a file that is too large for a row from the cache.
    "open_crawl": _Access(
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject",),  # the snapshots of a resumed crawl
        state_machine=("StartExecution",),  # of the tenant's next crawl, if the root of this one cannot be crawled
        site_secrets=("GetSecretValue",),
        bus=("PutEvents",),
    ),
    "run_wave": _Access(
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject", "PutObject", "PutObjectTagging"),
        # GetQueueAttributes: whether messages wait, if a wave times out
        batches=dict.fromkeys(BatchKind, ("SendMessage", "GetQueueAttributes")),
        folds=("SendMessage",),
        site_secrets=("GetSecretValue",),  # it looks for sitemaps
        state_machine=("SendTaskSuccess",),
        bus=("PutEvents",),
    ),
    # The task that plans in place of run_wave. The function dispatches the plan.
    "plan_large_wave": _Access(
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject", "PutObject", "PutObjectTagging"),
        site_secrets=("GetSecretValue",),  # it requests robots.txt
    ),
    "fetch_batch": _Access(
        # Query: the usage, if the crawl has a budget.
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject", "PutObject"),
        batches={BatchKind.FETCH: _RUN},
        site_secrets=("GetSecretValue",),
        state_machine=("SendTaskSuccess",),
    ),
    "render_batch": _Access(  # as fetch_batch, with a queue of its own
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem"),
        objects=("GetObject", "PutObject"),
        batches={BatchKind.RENDER: _RUN},
        site_secrets=("GetSecretValue",),
        state_machine=("SendTaskSuccess",),
    ),
    "process_media": _Access(  # as fetch_batch, with a queue of its own
        table=("GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject", "PutObject"),
        batches={BatchKind.MEDIA: _RUN},
        site_secrets=("GetSecretValue",),
        state_machine=("SendTaskSuccess",),
    ),
    "read_sitemaps": _Access(
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),  # Query: the crawl's usage so far
        objects=("GetObject", "PutObject"),
        site_secrets=("GetSecretValue",),
    ),
    "fold_wave": _Access(
        table=("GetItem", "Query", "UpdateItem"),
        objects=("GetObject",),
        tables=("GetObject", "PutObject"),
        memory=("PutObject", "DeleteObject"),
        catalog=("CreatePartition",),
        folds=("ReceiveMessage", "DeleteMessage", "GetQueueAttributes"),  # for the event source mapping
    ),
    "finish_crawl": _Access(
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        objects=("GetObject", "PutObject"),
        tables=("GetObject", "PutObject"),
        memory=("DeleteObject",),  # marks, and files that were divided
        catalog=("CreatePartition",),
        state_machine=("StartExecution",),
        index=("SendMessage",),
    ),
    "index_site": _Access(
        table=("GetItem", "Query", "UpdateItem"),  # Query: the keys of deleted pages; UpdateItem: the usage
        objects=("GetObject",),
        tables=("GetObject",),  # the texts of documents
        knowledge=("PutObject",),
        exports=("PutObject",),  # the passages as a file
        index=("ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"),
        vectors=("CreateIndex", "DeleteIndex", "PutVectors", "DeleteVectors", "ListVectors"),
        model=("InvokeModel",),
    ),
    "fail_crawl": _Access(
        table=("GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"),
        state_machine=("StartExecution",),
        objects=("GetObject",),  # the last snapshot names the hosts at which turns are given back
        undelivered=("SendMessage",),  # by Lambda, for events whose last try failed
        bus=("PutEvents",),
    ),
    "deliver": _Access(
        table=("GetItem", "Query", "PutItem"),
        # SendMessage: one message per webhook. ChangeMessageVisibility: each message waits for its next try.
        deliveries=("SendMessage", "ReceiveMessage", "DeleteMessage", "GetQueueAttributes", "ChangeMessageVisibility"),
        webhook_key=True,
    ),
    "notify": _Access(table=("GetItem", "Query", "PutItem"), bus=("PutEvents",)),
}
"""The permissions of each function; only those for X-Ray are granted elsewhere.

PutObject also allows the requests of a multipart upload, except the one that aborts it
(https://docs.aws.amazon.com/AmazonS3/latest/userguide/mpuoverview.html#mpuAndPermissions), which is added below.
"""


def grant(role: iam.Role, name: str, resources: Resources, *, logs: logs.LogGroup) -> None:
    """Grant a function's role exactly the permissions that its code needs."""
    access = ACCESS[name]
    _allow(role, "dynamodb", access.table, resources.table.table_arn)
    _allow(role, "s3", access.objects, resources.bucket.arn_for_objects(access.prefix))
    _allow(role, "s3", access.tables, resources.bucket.arn_for_objects(TABLES))
    _allow(role, "s3", access.memory, resources.bucket.arn_for_objects(MEMORY))
    _allow(role, "s3", access.exports, resources.bucket.arn_for_objects(EXPORTS))
    _allow(role, "s3", access.knowledge, resources.bucket.arn_for_objects(KNOWLEDGE))
    _allow_vectors(role, access, resources.vectors)
    if "GetObject" in access.objects:
        _allow(role, "s3", ("ListBucket",), resources.bucket.bucket_arn)
    _allow_objects(role, "DeleteObject", access.deleted, resources.bucket)
    _allow_objects(role, "PutObject", access.rewritten, resources.bucket)
    _allow_lists(role, access, resources.bucket)
    _allow_queues(role, access, resources)
    _allow(role, "states", access.state_machine, resources.state_machine_arn)
    if "StartExecution" in access.state_machine:
        let_read_executions(role, resources.executions_arn)
    _allow(role, "events", access.bus, resources.bus.event_bus_arn)
    _allow_secrets(role, access, resources)
    for arn in resources.catalog_arns:
        _allow(role, "glue", access.catalog, arn)
    if access.hides:
        _allow(role, "s3", ("PutObject",), resources.bucket.arn_for_objects(HIDDEN))
    _allow(role, "scheduler", access.schedules, resources.scheduling.schedules_arn)
    if access.pass_role:
        _pass(role, resources.scheduling.role)
    _allow(role, "logs", ("CreateLogStream", "PutLogEvents"), logs.log_group_arn)
    acknowledge(role, "AwsSolutions-IAM5[Resource::*]", _X_RAY)
    if access.schedules:
        schedules = _SCHEDULES_OF.format(group=resources.scheduling.group)
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{schedules}]", _SCHEDULES)
    prefixes = ([access.prefix] if access.objects else []) + [*access.deleted, *access.rewritten]
    prefixes += [TABLES] if access.tables else []
    prefixes += [MEMORY] if access.memory else []
    prefixes += [HIDDEN] if access.hides else []
    prefixes += ([EXPORTS] if access.exports else []) + ([KNOWLEDGE] if access.knowledge else [])
    for prefix in prefixes:
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{_arn_in_findings(resources.bucket)}/{prefix}]", _OBJECTS)


def let_read_executions(role: iam.Role, executions_arn: str) -> None:
    """Let a role find out whose execution has a name that it wanted to start one with."""
    _allow(role, "states", ("DescribeExecution",), executions_arn)
    executions = _EXECUTIONS_OF.format(stack=Stack.of(role).stack_name)
    acknowledge(role, f"AwsSolutions-IAM5[Resource::{executions}]", _EXECUTIONS)


def _allow_secrets(role: iam.Role, access: _Access, resources: Resources) -> None:
    _allow(role, "secretsmanager", access.secret, resources.secret.secret_arn)
    if access.site_secrets:
        _allow(role, "secretsmanager", access.site_secrets, resources.site_secrets_arn)
        secrets = _SECRETS_OF.format(stack=Stack.of(role).stack_name)
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{secrets}]", _SITE_SECRETS)
    if access.webhook_key:
        _allow(role, "secretsmanager", ("GetSecretValue", "CreateSecret"), resources.webhook_key_arn)
        name = _WEBHOOK_KEY_OF.format(stack=Stack.of(role).stack_name)
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{name}]", _WEBHOOK_KEY)


def _allow_vectors(role: iam.Role, access: _Access, store: Vectors | None) -> None:
    if store is not None and access.vectors:
        _allow(role, "s3vectors", access.vectors, store.indexes_arn)
        _allow(role, "bedrock", access.model, store.model_arn)
        indexes = f"<{store.logical_id}.VectorBucketArn>/index/*"
        acknowledge(role, f"AwsSolutions-IAM5[Resource::{indexes}]", _INDEXES)


def _allow_lists(role: iam.Role, access: _Access, bucket: s3.IBucket) -> None:
    statements: list[tuple[str, Sequence[str]]] = [(UPLOADED, access.uploads), (LISTS, access.lists)]
    if access.url_lists:
        statements += [(name, ("PutObject", "PutObjectTagging")) for name in URL_LISTS]
        statements += [] if access.objects else [(LISTS, ("GetObject",))]  # a list is copied
    for prefix, actions in statements:
        _allow(role, "s3", actions, bucket.arn_for_objects(prefix))
        if actions:
            acknowledge(role, f"AwsSolutions-IAM5[Resource::{_arn_in_findings(bucket)}/{prefix}]", _OBJECTS)


def _allow_queues(role: iam.Role, access: _Access, resources: Resources) -> None:
    for queue, actions in (
        *((resources.batches.get(kind), actions) for kind, actions in access.batches.items()),
        (resources.folds, access.folds),
        (resources.index, access.index),
        (resources.deliveries, access.deliveries),
        (resources.undelivered, access.undelivered),
    ):
        if queue is not None:
            _allow(role, "sqs", actions, queue.queue_arn)


def _pass(role: iam.Role, passed: iam.Role) -> None:
    role.add_to_policy(
        iam.PolicyStatement(
            actions=["iam:PassRole"],
            resources=[passed.role_arn],
            conditions={"StringEquals": {"iam:PassedToService": SCHEDULER}},
        )
    )


def _arn_in_findings(bucket: s3.IBucket) -> str:
    """Return a bucket's ARN as cdk-nag writes it: of a resource of the template, or of an existing one."""
    stack = Stack.of(bucket)
    resource = bucket.node.default_child
    if isinstance(resource, s3.CfnBucket):
        return f"<{stack.resolve(stack.get_logical_id(resource))}.Arn>"
    return f"arn:<AWS::Partition>:s3:::{bucket.bucket_name}"


def _allow_objects(role: iam.Role, action: str, prefixes: Sequence[str], bucket: s3.IBucket) -> None:
    for prefix in prefixes:
        _allow(role, "s3", (action,), bucket.arn_for_objects(prefix))


def _allow(role: iam.Role, service: str, actions: Sequence[str], resource: str) -> None:
    if service == "s3" and "PutObject" in actions:  # a large object is uploaded in parts, which a failure deletes
        actions = (*actions, "AbortMultipartUpload")
    if actions:
        role.add_to_policy(
            iam.PolicyStatement(actions=[f"{service}:{action}" for action in actions], resources=[resource])
        )
