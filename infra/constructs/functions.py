"""The Lambda functions: each has a folder in functions/ and its own role."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from aws_cdk import ArnFormat, Duration, Size, Stack
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.concurrency import CALLED, FOLDS, INDEXINGS
from infra.config import DELIVER_TIMEOUT, LEASE_SECONDS, LONGEST_FUNCTION, Config, Tracing
from infra.constructs.access import Resources, grant
from infra.constructs.acknowledgements import acknowledge
from infra.constructs.authorities import WHERE
from infra.constructs.encryption import let_use
from infra.constructs.function_network import REQUESTERS, function_network, join
from infra.constructs.layers import ARCHITECTURE, RENDERING_ARCHITECTURE, RUNTIME, Layers
from infra.constructs.log_groups import log_group
from infra.constructs.principals import service
from infra.constructs.sql import database_name
from wavecrawl.adapters.http.outbound_proxies import SETTING as PROXY
from wavecrawl.adapters.http.own_authorities import SETTING as CA_FILE
from wavecrawl.bootstrap.cloud_settings import environment, powertools_environment
from wavecrawl.domain.crawl.job import BatchKind

FUNCTIONS: Final = Path(__file__).resolve().parents[2] / "functions"

_STARTERS: Final = ("webhook", "api", "start_site")  # functions that start crawls and set the crawls' settings
_PLANNERS: Final = ("open_crawl", "run_wave", "read_sitemaps")  # functions whose output says what follows
_SEARCHERS: Final = ("index_site", "results")  # functions that use vectors
_SCHEDULERS: Final = ("api", "start_site")  # functions that create or remove schedules

WORKERS: Final[Mapping[BatchKind, str]] = {
    BatchKind.FETCH: "fetch_batch",
    BatchKind.RENDER: "render_batch",
    BatchKind.MEDIA: "process_media",
}
"""The function that runs each kind of batches."""

_MAPPINGS: Final = {
    "fetch_batch": "Batches",
    "render_batch": "Renders",
    "process_media": "Media",
    "fold_wave": "Folds",
    "index_site": "Indexing",
    "deliver": "Deliveries",
}
"""Construct ids of the event source mappings."""

_LOG_LEVELS: Final = {
    "DEBUG": (lambda_.ApplicationLogLevel.DEBUG, lambda_.SystemLogLevel.DEBUG),
    "INFO": (lambda_.ApplicationLogLevel.INFO, lambda_.SystemLogLevel.INFO),
    "WARNING": (lambda_.ApplicationLogLevel.INFO, lambda_.SystemLogLevel.WARN),
    "ERROR": (lambda_.ApplicationLogLevel.INFO, lambda_.SystemLogLevel.WARN),
}
"""The levels at which Lambda drops lines of the function and of its own, by `log_level`.

Lambda treats a line without a level as INFO, and the lines with metrics have none, so the first is INFO at most. The
logger itself drops the lines between the two (`wavecrawl.telemetry`).
https://docs.aws.amazon.com/lambda/latest/dg/monitoring-cloudwatchlogs-log-level.html
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The Lambda configuration of a function."""

    memory: int  # MB
    timeout: int  # seconds
    storage_mb: int = 512  # of /tmp
    analytics: bool = False
    browser: bool = False  # runs on x86_64, with Chromium
    media: bool = False  # with the libraries for images and documents
    encryption: bool = False  # with the library that decrypts secrets of webhooks, and documents
    recursive_loop: lambda_.RecursiveLoop | None = None  # None = Lambda stops recursive loops

    @property
    def layers(self) -> tuple[str, ...]:
        """The names of the function's layers. On this machine, and without the setting, some do not exist."""
        if self.browser:
            return ("wavecrawl", "render_dependencies", "chromium", "fonts")
        more = {
            "analytics": self.analytics,
            "media": self.media,
            "encryption": self.encryption,
        }
        return ("wavecrawl", "dependencies", *(name for name, wanted in more.items() if wanted))


def shapes(config: Config) -> dict[str, Shape]:
    """Return the shape of each function by the name of its folder."""
    # API Gateway times out after 30 s: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
    found = {
        "webhook": Shape(memory=config.small_memory, timeout=29),
        "api": Shape(memory=config.small_memory, timeout=29, encryption=True),
        "results": Shape(
            memory=config.results_memory,
            timeout=29,
            storage_mb=config.results_storage_mb,
            analytics=True,
        ),
        "start_site": Shape(memory=config.small_memory, timeout=60),
        "open_crawl": Shape(memory=config.small_memory, timeout=300),
        "run_wave": Shape(
            memory=config.planner_memory,
            timeout=LONGEST_FUNCTION,
            storage_mb=config.planner_storage_mb,
            analytics=True,  # loaded only if the site remembers pages
        ),
        "fetch_batch": Shape(
            memory=config.fetch_memory,
            timeout=config.fetch_timeout,
            # A job that arrives too early is sent back to its queue. Lambda would treat that as a recursive loop and
            # stop it after 16 turns: https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html
            recursive_loop=lambda_.RecursiveLoop.ALLOW,
        ),
        "render_batch": Shape(
            memory=config.render_memory,
            timeout=config.render_timeout,
            storage_mb=config.render_storage_mb,
            browser=True,
            recursive_loop=lambda_.RecursiveLoop.ALLOW,  # as fetch_batch
        ),
        "process_media": Shape(
            memory=config.media_memory,
            timeout=config.media_timeout,
            storage_mb=config.media_storage_mb,
            media=True,
            encryption=True,
            recursive_loop=lambda_.RecursiveLoop.ALLOW,  # as fetch_batch
        ),
        "read_sitemaps": Shape(memory=config.planner_memory, timeout=LONGEST_FUNCTION),
        "fold_wave": Shape(
            memory=config.fold_memory,
            timeout=LONGEST_FUNCTION,
            storage_mb=config.fold_storage_mb,
            analytics=True,
        ),
        "finish_crawl": Shape(
            memory=config.finish_memory,
            timeout=LONGEST_FUNCTION,
            storage_mb=config.finish_storage_mb,
            analytics=True,
        ),
        "index_site": Shape(
            memory=config.index_memory,
            timeout=LONGEST_FUNCTION,
            storage_mb=config.index_storage_mb,
            analytics=True,  # loaded only if the crawl has documents
        ),
        "fail_crawl": Shape(memory=config.small_memory, timeout=60),
        "deliver": Shape(memory=config.small_memory, timeout=DELIVER_TIMEOUT, encryption=True),
        "notify": Shape(memory=config.small_memory, timeout=60),
    }
    left_out = {name for kind, name in WORKERS.items() if kind not in config.batch_timeouts}
    left_out |= set() if config.knowledge else {"index_site"}
    return {name: shape for name, shape in found.items() if name not in left_out}


class Functions(Construct):
    """All functions by the name of their folder."""

    def __init__(
        self, scope: Construct, construct_id: str, *, config: Config, layers: Layers, resources: Resources
    ) -> None:
        super().__init__(scope, construct_id)
        self._config = config
        self._layers = layers
        self._resources = resources
        self.network = function_network(self, config)
        self.by_name = {name: self._function(name, shape) for name, shape in shapes(config).items()}
        self._feed_workers()

    def __getitem__(self, name: str) -> lambda_.Function:
        return self.by_name[name]

    def _function(self, name: str, shape: Shape) -> lambda_.Function:
        full_name = _full_name(self._config, name)
        construct_id = name.title().replace("_", "")
        logs = log_group(self, f"{construct_id}Logs", name=f"/aws/lambda/{full_name}", config=self._config)
        role = iam.Role(
            self,
            f"{construct_id}Role",
            assumed_by=service(self, "lambda.amazonaws.com"),
            description=f"Permissions of {full_name}",
        )
        grant(role, name, self._resources, logs=logs)
        let_use(role, self._config)
        layers = self._layers.by_name
        function = lambda_.Function(
            self,
            construct_id,
            function_name=full_name,
            description=f"wavecrawl: {name.replace('_', ' ')}",
            runtime=RUNTIME,
            architecture=RENDERING_ARCHITECTURE if shape.browser else ARCHITECTURE,
            handler="handler.handler",
            code=lambda_.Code.from_asset(str(FUNCTIONS / name), exclude=["__pycache__"]),
            layers=[layers[layer] for layer in (*shape.layers, *_network_layers(name)) if layer in layers],
            memory_size=shape.memory,
            timeout=Duration.seconds(shape.timeout),
            ephemeral_storage_size=Size.mebibytes(shape.storage_mb),
            reserved_concurrent_executions=self._config.concurrency.reserved().get(name),
            recursive_loop=shape.recursive_loop,
            role=role,
            environment=self.environment(name),
            tracing=_tracing(self._config, name),
            logging_format=lambda_.LoggingFormat.JSON,
            application_log_level_v2=_LOG_LEVELS[self._config.log_level][0],
            system_log_level_v2=_LOG_LEVELS[self._config.log_level][1],
            log_group=logs,
        )
        if self.network is not None and name in REQUESTERS:
            join(self.network, function, role)
        acknowledge(
            function,
            "AwsSolutions-L1",
            "The layers are built for python3.13; all functions and layers move to a newer version together.",
        )
        return function

    def environment(self, name: str) -> dict[str, str]:
        """Return the environment variables of a function."""
        config, resources = self._config, self._resources
        return {
            **environment(
                table=resources.table.table_name,
                bucket=resources.bucket.bucket_name,
                folds_queue_url=resources.folds.queue_url,
                deliveries_queue_url=resources.deliveries.queue_url,
                state_machine_arn=resources.state_machine_arn,
                bus=resources.bus.event_bus_name,
                secret_id=resources.secret.secret_arn,
                stack=config.stack_name,
                sql_database=database_name(config),
                contact=config.contact,
                allowed_addresses=config.allowed_addresses,
                qstash_url=config.qstash_url,
                max_body_bytes=config.max_body_bytes,
                max_list_urls=config.max_list_urls,
                max_list_mb=config.max_list_mb,
                tenant=config.tenant,
                requests_a_minute=config.requests_a_minute,
                wrong_keys_a_minute=config.wrong_keys_a_minute,
                max_running_crawls=config.max_running_crawls,
                longest_pause=config.longest_pause,
            ),
            **(environment(finish_pages=config.finish_pages) if config.large_crawls and name in _PLANNERS else {}),
            **environment(**{f"{kind}_queue_url": queue.queue_url for kind, queue in resources.batches.items()}),
            **self._knowledge(name),
            **(environment(wacz_mb=config.wacz_mb) if name in ("api", "finish_crawl") else {}),
            **(environment(lease=LEASE_SECONDS) if name in _STARTERS else {}),
            **(self._scheduling() if name in _SCHEDULERS else {}),
            **(self.requesting() if name in REQUESTERS else {}),
            **powertools_environment(name, stack=config.stack_name),
            "POWERTOOLS_LOG_LEVEL": config.log_level,
        }

    def requesting(self) -> dict[str, str]:
        """Return the environment variables that say how sites are reached."""
        config = self._config
        found = {CA_FILE: WHERE if config.ca_file else "", PROXY: config.proxy, "NO_PROXY": config.no_proxy}
        return {name: value for name, value in found.items() if value}

    def _knowledge(self, name: str) -> dict[str, str]:
        resources, config = self._resources, self._config
        if resources.index is None:
            return {}
        found = environment(index_queue_url=resources.index.queue_url)
        if resources.vectors is not None and name in _SEARCHERS:
            found |= environment(
                embedding_model=config.embedding_model,
                embedding_dimensions=config.embedding_dimensions,
                vector_bucket=resources.vectors.bucket_name,
            )
        return found | (environment(knowledge_mb=config.knowledge_mb) if name == "index_site" else {})

    def _scheduling(self) -> dict[str, str]:
        scheduling = self._resources.scheduling
        return environment(
            schedule_group=scheduling.group,
            schedule_role_arn=scheduling.role.role_arn,
            schedule_target_arn=scheduling.target_arn,
            schedule_dead_letters_arn=self._resources.undelivered.queue_arn,
        )

    def _feed_workers(self) -> None:
        resources = self._resources
        queues = {"deliver": resources.deliveries, "fold_wave": resources.folds}
        queues |= {WORKERS[kind]: queue for kind, queue in resources.batches.items()}
        beside = {"fold_wave": FOLDS}
        if resources.index is not None:
            queues["index_site"] = resources.index
            beside["index_site"] = INDEXINGS
        for name, most in {**self._config.concurrency.by_queue(), **beside}.items():
            self[name].add_event_source_mapping(
                _MAPPINGS[name],
                event_source_arn=queues[name].queue_arn,
                batch_size=1,  # one batch of pages per invocation; a slow receiver must not delay other deliveries
                max_concurrency=most,
                report_batch_item_failures=True,
            )


def _network_layers(name: str) -> tuple[str, ...]:
    return ("authorities",) if name in REQUESTERS else ()


def _tracing(config: Config, name: str) -> lambda_.Tracing:
    traced = config.tracing is Tracing.ALL or (config.tracing is Tracing.CRAWLS and name not in CALLED)
    return lambda_.Tracing.ACTIVE if traced else lambda_.Tracing.DISABLED


def state_machine_arn(scope: Construct, config: Config) -> str:
    """Return the state machine's ARN, which its functions need before it exists."""
    return Stack.of(scope).format_arn(
        service="states",
        resource="stateMachine",
        resource_name=config.stack_name,
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def function_arn(scope: Construct, config: Config, name: str) -> str:
    """Return a function's ARN, which its callers may need before it exists."""
    return Stack.of(scope).format_arn(
        service="lambda",
        resource="function",
        resource_name=_full_name(config, name),
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )


def _full_name(config: Config, name: str) -> str:
    return f"{config.stack_name}-{name.replace('_', '-')}"


def executions_arn(scope: Construct, config: Config) -> str:
    """Return the pattern of the ARNs of the state machine's executions."""
    return Stack.of(scope).format_arn(
        service="states",
        resource="execution",
        resource_name=f"{config.stack_name}:*",
        arn_format=ArnFormat.COLON_RESOURCE_NAME,
    )
