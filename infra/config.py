"""The settings of a deployment, parsed from the CDK context. infra/cdk.json documents each."""

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final, get_type_hints

import msgspec
from msgspec.structs import fields

from infra.concurrency import Concurrency
from infra.network_settings import address_problems, authority_problems, proxy_problems
from wavecrawl.adapters.aws.bedrock_embedder import check_model
from wavecrawl.bootstrap.cloud_settings import CloudSettings, range_of
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.errors import InvalidInputError

_RUNTIME: Final = CloudSettings()

LEASE_SECONDS: Final = int(_RUNTIME.lease)
"""Seconds a worker owns a batch; the limit of `fetch_timeout`."""

DELIVER_TIMEOUT: Final = 60
"""Seconds for a delivery: the receiver has 15 s to respond, and AWS clients retry."""

MAX_RECEIVES: Final = 100
"""Receives of a message before it is moved to the dead-letter queue.

Most of them are waits: a batch for its turn, a delivery for its next try. A worker gives up a batch after
`CrawlSettings.waves.max_attempts` attempts, and sends a message that waited often again as a new one (`MOST_DELIVERIES`
in wavecrawl/cloud/fetch_batch.py). If Lambda throttles the function, it retries a received message until its visibility
timeout ends, so a receive is spent in each visibility timeout. What is left for this lasts more than six hours.
https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-errorhandling.html
"""

FOLD_RECEIVES: Final = 10
"""Receives of a part to fold before its message is moved to the dead-letter queue. No message waits there for its turn,
and a throttled one costs a receive in each visibility timeout of 90 minutes."""

LONGEST_FUNCTION: Final = 900
"""Maximum seconds of a Lambda function: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

MOST_SUBNETS: Final = 16
MOST_GROUPS: Final = 5
"""The limits of a function and of a task:
https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html
https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_AwsVpcConfiguration.html
"""

LONGEST_STACK_NAME: Final = 50
"""Characters of a stack name. A function's name, such as NAME-read-sitemaps, may have 64.

https://docs.aws.amazon.com/lambda/latest/api/API_CreateFunction.html
"""

TASK_IMAGE: Final = "public.ecr.aws/lambda/python:3.13"
"""Python and boto3 as the functions have them: https://docs.aws.amazon.com/lambda/latest/dg/python-image.html.

`make task-image` pins it to a digest.
"""

_IMAGE: Final = re.compile(r"[\w.:-]+(?:/[\w.-]+)+(?::[\w.-]+|@sha256:[0-9a-f]{64})")
_DOMAIN: Final = re.compile(r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]")
_CERTIFICATE: Final = re.compile(r"arn:aws[a-z-]*:acm:[a-z0-9-]+:\d{12}:certificate/[0-9a-f-]+")
_KEY: Final = re.compile(r"arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key/[0-9a-f-]+")
_STACK_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9-]*")
_ORIGIN: Final = re.compile(r"https?://[^/\s]+")


class LayerTarget(StrEnum):
    """The platform that the layers are built for."""

    LAMBDA = "lambda"  # python3.13 on arm64
    NATIVE = "native"  # the interpreter that builds them, for the local emulator


class AlarmSet(StrEnum):
    """Which alarms exist. Each costs $0.10 a month; the first ten of an account are free."""

    ALL = "all"  # also one for each failure of each resource
    FEW = "few"  # those that say that a user waits, work is lost, or money is spent
    NONE = "none"


class Tracing(StrEnum):
    """What X-Ray traces. Lambda's sampling rate is fixed, so tracing is on or off for each function.

    https://docs.aws.amazon.com/lambda/latest/dg/services-xray.html
    """

    ALL = "all"
    CRAWLS = "crawls"  # not the functions of the API, which callers outside can invoke as often as they want
    NONE = "none"


class ConfigError(Exception):
    """Invalid context values; the message names all of them."""


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """The settings of a deployment."""

    stack_name: str = "wavecrawl"
    contact: str = ""  # contact URL or e-mail address in the User-Agent
    allowed_addresses: str = ""  # non-public networks that may be crawled, comma-separated
    qstash_url: str = ""  # the public URL that QStash signs; "" = QStash is disabled
    tenant: str = _RUNTIME.tenant
    max_body_bytes: int = _RUNTIME.max_body_bytes  # per API request
    max_list_urls: int = _RUNTIME.max_list_urls  # per uploaded list
    max_list_mb: int = _RUNTIME.max_list_mb  # per uploaded list
    requests_a_minute: int = _RUNTIME.requests_a_minute  # per API key; three times as many per tenant
    wrong_keys_a_minute: int = _RUNTIME.wrong_keys_a_minute  # per network address and instance of a function
    max_running_crawls: int = _RUNTIME.max_running_crawls  # per tenant
    cors_origins: str = ""  # origins whose pages may call the API, comma-separated
    log_level: str = "INFO"

    fetch_memory: int = 512  # MB
    fetch_timeout: int = 180  # seconds
    render: bool = True  # whether there is a function that renders pages
    fonts: bool = False  # whether rendered pages have fonts for CJK, Arabic, Devanagari, Thai, emoji
    render_memory: int = 2_048  # MB
    render_storage_mb: int = 1_024  # of its /tmp, for Chromium, which is unpacked there, and its profile
    render_timeout: int = 300  # seconds
    media: bool = True  # whether there is a function that downloads media
    media_memory: int = 1_024  # MB
    media_storage_mb: int = 6_144  # of its /tmp, for the assets that are being processed
    media_timeout: int = 300  # seconds
    knowledge: bool = True  # whether there is a function that indexes texts for search
    index_memory: int = 1_769  # MB
    index_storage_mb: int = 10_240  # of its /tmp, for the texts of a crawl and the passages of a site
    knowledge_mb: int = _RUNTIME.knowledge_mb  # of a site's passages with their words
    embedding_model: str = ""  # of Amazon Bedrock, such as amazon.titan-embed-text-v2:0; "" = search by words only
    embedding_dimensions: int = _RUNTIME.embedding_dimensions  # of the model's vectors
    planner_memory: int = 1_769  # MB; 1,769 MB give one vCPU
    planner_storage_mb: int = 1_024  # of /tmp, for what a site remembers of its pages
    fold_memory: int = 1_769  # MB
    fold_storage_mb: int = 2_048  # of its /tmp, for the records of a part
    finish_memory: int = 1_769  # MB
    finish_storage_mb: int = 10_240  # of /tmp
    large_crawls: bool = True  # whether a Fargate task finishes crawls of more than finish_pages
    finish_pages: int = 250_000  # URLs with a record that the function finish_crawl can finish
    task_image: str = TASK_IMAGE  # of the Fargate task, by its tag or its digest
    small_memory: int = 512  # MB of all other functions
    results_memory: int = 1_769  # MB of the function for queries over results
    results_storage_mb: int = 4_096  # of its /tmp, which caches exports
    wacz_mb: int = _RUNTIME.wacz_mb  # maximum size of crawl.wacz; 0 = not created
    account_concurrency: int = 10  # concurrent executions of Lambda that the deployment may count on
    worker_concurrency: int = 0  # of them, for the functions that queues feed; 0 = as many as are usual and possible

    sql: bool = True  # tables in Glue's Data Catalog and a workgroup of Athena
    sql_scan_limit_mb: int = 10_000  # MB that a query may read

    wave_timeout: int = 1_800  # seconds
    max_resumes: int = 8  # in a row, per wave
    max_waves_per_execution: int = 1_000  # also counts pauses, time-outs and retries
    longest_pause: int = _RUNTIME.longest_pause  # seconds

    api_rate: int = 50  # requests per second
    api_burst: int = 100
    public_rate: int = 2  # requests per second to each route that needs no API key
    public_burst: int = 40
    domain_name: str = ""  # of the API, such as crawler.example.com
    certificate_arn: str = ""  # of that name, in ACM
    close_default_endpoint: bool = False  # the API answers at domain_name alone
    log_source_address: bool = False  # in the access log of the API
    table_name: str = ""  # of an existing table, such as one that a deleted stack left
    bucket_name: str = ""  # of the existing bucket that belongs to it
    kms_key_arn: str = ""  # a key of the operator's own; "" = the keys of AWS
    subnet_ids: str = ""  # of an existing VPC, for functions and tasks that send requests; comma-separated
    security_group_ids: str = ""  # of these functions and tasks
    fixed_egress: bool = False  # whether their requests have one fixed address
    proxy: str = ""  # URL of an HTTP proxy through which they request sites; "" = none
    no_proxy: str = ""  # hosts that they reach without it, comma-separated
    ca_file: str = ""  # PEM file with further certificate authorities that they trust, relative to infra/
    log_retention_days: int = 30
    keep_data: bool = True
    alarm_email: str = ""
    alarms: AlarmSet = AlarmSet.FEW
    alarm_usd_a_day: int = 10  # cost of a day's crawls that starts an alarm; 0 = none
    dashboard: bool = False
    tracing: Tracing = Tracing.CRAWLS
    route_metrics: bool = False
    budget_usd_a_month: int = 0  # 0 = no budget
    layer_target: LayerTarget = LayerTarget.LAMBDA

    @property
    def batch_timeouts(self) -> Mapping[BatchKind, int]:
        """The time-outs in seconds of the functions that run batches, for the kinds of batches of the deployment."""
        found = {BatchKind.FETCH: self.fetch_timeout}
        if self.render:
            found[BatchKind.RENDER] = self.render_timeout
        if self.media:
            found[BatchKind.MEDIA] = self.media_timeout
        return found

    @property
    def subnets(self) -> tuple[str, ...]:
        """The subnets of an existing VPC."""
        return _listed(self.subnet_ids)

    @property
    def security_groups(self) -> tuple[str, ...]:
        """The security groups in that VPC."""
        return _listed(self.security_group_ids)

    @property
    def ca_path(self) -> Path:
        """The file of `ca_file`."""
        return Path(__file__).parent / self.ca_file

    @property
    def concurrency(self) -> Concurrency:
        """How the account's concurrent executions are divided."""
        return Concurrency.of(
            account=self.account_concurrency, workers=self.worker_concurrency, render=self.render, media=self.media
        )

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the context keys of the settings."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def from_context(cls, context: Mapping[str, object]) -> "Config":
        """Parse context values; those of the command line are text. Ignore other keys, which belong to CDK.

        Raise ConfigError with all invalid values.
        """
        values: dict[str, object] = {}
        problems: list[str] = []
        types = get_type_hints(cls)
        for name in cls.names():
            if name in context:
                try:
                    values[name] = _parsed(context[name], types[name])
                except ValueError as error:
                    problems.append(f"{name} {error}: {context[name]!r}")
        if not problems:
            config = cls(**values)  # type: ignore[arg-type]  # each value has just been parsed to its field's type
            problems = list(_problems(config))
        if problems:
            raise ConfigError(f"invalid settings (infra/cdk.json describes each): {'; '.join(problems)}")
        return config


def _parsed(value: object, kind: type) -> object:
    if kind is bool:
        if str(value).lower() not in ("true", "false"):
            raise ValueError("must be true or false")
        return str(value).lower() == "true"
    if kind is int:
        try:
            return int(str(value))
        except ValueError:
            raise ValueError("must be a whole number") from None
    if issubclass(kind, StrEnum):
        if value not in tuple(kind):
            raise ValueError(f"must be one of {', '.join(kind)}")
        return kind(str(value))
    return str(value).strip()


def _listed(text: str) -> tuple[str, ...]:
    """Return the parts of a comma-separated setting."""
    return tuple(filter(None, (part.strip() for part in text.split(","))))


def _problems(config: Config) -> Iterator[str]:
    yield from _range_problems(config)
    if problem := config.concurrency.problem():
        yield problem
    if 2 * config.wacz_mb > config.finish_storage_mb:  # records and exports need space, too
        yield f"wacz_mb must be at most half of finish_storage_mb ({config.finish_storage_mb}): {config.wacz_mb}"
    if config.log_retention_days not in LOG_RETENTIONS:
        yield f"log_retention_days must be one of {', '.join(map(str, LOG_RETENTIONS))}: {config.log_retention_days}"
    yield from _name_problems(config.stack_name)
    yield from _knowledge_problems(config)
    yield from _image_problems(config.task_image)
    if config.log_level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        yield f"log_level must be DEBUG, INFO, WARNING or ERROR: {config.log_level!r}"
    if not config.tenant or not all(c.isalnum() or c in "-_" for c in config.tenant):
        yield f"tenant must contain only letters, digits, '-' and '_': {config.tenant!r}"
    if config.qstash_url and not config.qstash_url.startswith("https://"):
        yield f"qstash_url must start with https://: {config.qstash_url!r}"
    for origin in _listed(config.cors_origins):
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            yield f"cors_origins must be origins such as https://app.example.com, or *: {origin!r}"
    if config.alarm_email and "@" not in config.alarm_email:
        yield f"alarm_email must be an e-mail address: {config.alarm_email!r}"
    yield from _domain_problems(config)
    yield from _storage_problems(config)
    yield from _egress_problems(config)
    yield from address_problems(_listed(config.allowed_addresses))
    yield from proxy_problems(config.proxy, config.no_proxy)
    yield from authority_problems(config.ca_file, config.ca_path)


def _storage_problems(config: Config) -> Iterator[str]:
    if bool(config.table_name) != bool(config.bucket_name):
        yield "table_name and bucket_name must be set together: the rows of the table name objects of the bucket"
    if config.kms_key_arn and not _KEY.fullmatch(config.kms_key_arn):
        yield f"kms_key_arn must be the ARN of a key in KMS, in the deployment's region: {config.kms_key_arn!r}"
    if config.kms_key_arn and config.table_name:
        yield "kms_key_arn has no effect on an existing table and bucket; encrypt these yourself, and leave it out"


def _egress_problems(config: Config) -> Iterator[str]:
    if bool(config.subnet_ids) != bool(config.security_group_ids):
        yield "subnet_ids and security_group_ids must be set together"
    if config.subnet_ids and config.fixed_egress:
        yield "fixed_egress makes a VPC of its own; leave out subnet_ids, or give the existing VPC a NAT gateway"
    for name, kind, most in (("subnet_ids", "subnet", MOST_SUBNETS), ("security_group_ids", "sg", MOST_GROUPS)):
        ids = _listed(getattr(config, name))
        if len(ids) > most:
            yield f"{name} must be at most {most} ids: {len(ids)}"
        for one in ids:
            if not re.fullmatch(rf"{kind}-[0-9a-f]+", one):
                yield f"{name} must be ids such as {kind}-0123456789abcdef0, comma-separated: {one!r}"


def _knowledge_problems(config: Config) -> Iterator[str]:
    if 2 * config.knowledge_mb > config.index_storage_mb:  # the texts of a crawl need space, too
        most = config.index_storage_mb
        yield f"knowledge_mb must be at most half of index_storage_mb ({most}): {config.knowledge_mb}"
    if 2 * config.knowledge_mb > config.results_storage_mb:  # exports need space, too
        most = config.results_storage_mb
        yield f"knowledge_mb must be at most half of results_storage_mb ({most}): {config.knowledge_mb}"
    if config.embedding_model and not config.knowledge:
        yield f"embedding_model has no effect if knowledge is false: {config.embedding_model!r}"
    if config.embedding_model:
        try:
            check_model(config.embedding_model, dimensions=config.embedding_dimensions)
        except InvalidInputError as error:
            yield f"embedding_model: {error}"


def _image_problems(image: str) -> Iterator[str]:
    if not _IMAGE.fullmatch(image):
        yield f"task_image must be an image such as {TASK_IMAGE}, or with @sha256: and a digest: {image!r}"


def _domain_problems(config: Config) -> Iterator[str]:
    if config.close_default_endpoint and not config.domain_name:
        yield "close_default_endpoint needs domain_name, or the API would have no address"
    if bool(config.domain_name) != bool(config.certificate_arn):
        yield "domain_name and certificate_arn must be set together"
    if config.domain_name and not _DOMAIN.fullmatch(config.domain_name):
        yield f"domain_name must be a name such as crawler.example.com, in lower case: {config.domain_name!r}"
    if config.certificate_arn and not _CERTIFICATE.fullmatch(config.certificate_arn):
        yield (
            "certificate_arn must be the ARN of a certificate in ACM, in the deployment's region:"
            f" {config.certificate_arn!r}"
        )


def _name_problems(name: str) -> Iterator[str]:
    if not _STACK_NAME.fullmatch(name):
        yield f"stack_name must start with a letter and contain only the letters a to z, digits and '-': {name!r}"
    if len(name) > LONGEST_STACK_NAME:
        yield f"stack_name must have at most {LONGEST_STACK_NAME} characters, for the names of functions: {name!r}"
    if name == "default":
        yield f"stack_name must be another one, as each account has a schedule group and an event bus named {name!r}"


def _range_problems(config: Config) -> Iterator[str]:
    for name, low, high in _RANGES:
        value = getattr(config, name)
        if not low <= value <= high:
            yield f"{name} must be between {low:,} and {high:,}: {value!r}"


LOG_RETENTIONS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653)
"""Days; a selection of https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html"""

_OF_THE_FUNCTIONS: Final = (
    *("embedding_dimensions", "knowledge_mb", "longest_pause", "max_body_bytes", "max_list_mb"),
    *("max_list_urls", "max_running_crawls", "requests_a_minute", "wacz_mb", "wrong_keys_a_minute"),
)  # settings whose ranges the functions define

_RANGES: Final = (
    *((name, *range_of(name)) for name in _OF_THE_FUNCTIONS),
    ("fetch_memory", 128, 10_240),
    # A page may take 50 s (`limits.timeout` and `max_page_cpu` of a request are 30 and 20 at most). If no page of a
    # batch can start, it waits for ever.
    ("fetch_timeout", 65, LEASE_SECONDS),
    ("render_memory", 1_024, 10_240),
    ("render_storage_mb", 1_024, 10_240),
    # A page may take 164 s (`render.timeout` and `max_page_cpu` of a request are 120 and 20 at most). If none of a
    # batch can start, it waits for ever.
    ("render_timeout", 180, LEASE_SECONDS),
    ("media_memory", 1_024, 10_240),  # an image of `media.max_pixels` pixels takes 640 MB
    ("media_storage_mb", 512, 10_240),
    # An asset may take 240 s (`media.timeout` and `media.process_seconds` of a request are 60 and 30 at most). If none
    # of a batch can start, it waits for ever.
    ("media_timeout", 260, LEASE_SECONDS),
    ("account_concurrency", 10, 100_000),  # a new account may have 10, an older one has 1,000
    ("worker_concurrency", 0, 1_000),
    ("index_memory", 512, 10_240),
    ("index_storage_mb", 512, 10_240),
    ("planner_memory", 128, 10_240),
    ("planner_storage_mb", 512, 10_240),
    ("fold_memory", 1_024, 10_240),
    ("fold_storage_mb", 512, 10_240),
    ("finish_memory", 128, 10_240),
    ("finish_storage_mb", 512, 10_240),
    ("finish_pages", 1, 100_000_000),
    ("small_memory", 256, 10_240),
    ("results_memory", 1_024, 10_240),
    ("results_storage_mb", 512, 10_240),
    # https://docs.aws.amazon.com/athena/latest/APIReference/API_WorkGroupConfiguration.html
    ("sql_scan_limit_mb", 10, 10_000_000),
    # A batch may be delayed by 900 s and then wait for a worker, so a shorter time-out would repeat waves for nothing.
    ("wave_timeout", LONGEST_FUNCTION, 86_400),
    ("max_resumes", 1, 100),
    # A time-out takes 13 events of an execution's history, so 1,250 leave a third of 25,000 for the retries after the
    # last count. A pause that fills the history starts again in the next execution: a task's retries must not fill it.
    ("max_waves_per_execution", 200, 1_250),
    ("api_rate", 1, 10_000),
    ("api_burst", 1, 5_000),
    ("public_rate", 1, 10_000),
    ("public_burst", 1, 5_000),
    ("alarm_usd_a_day", 0, 1_000_000),
    ("budget_usd_a_month", 0, 1_000_000),
)
