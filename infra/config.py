"""The settings of a deployment: CDK context, parsed once into one frozen value. infra/cdk.json documents each."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from ipaddress import ip_network
from typing import Final, get_type_hints

from wavecrawl.bootstrap.cloud_settings import CloudSettings, range_of

_RUNTIME: Final = CloudSettings()

LEASE_SECONDS: Final = int(_RUNTIME.lease)
"""How long a worker owns a batch: no fetch may run longer."""

DELIVER_TIMEOUT: Final = 60
"""Seconds a delivery may take: a receiver has 15 to answer, and clients of AWS are patient."""

LONGEST_FUNCTION: Final = 900
"""Seconds, the longest a Lambda function may run: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""


_ORIGIN: Final = re.compile(r"https?://[^/\s]+")


class LayerTarget(StrEnum):
    """What the layers are built for."""

    LAMBDA = "lambda"  # python3.13 on arm64
    NATIVE = "native"  # the interpreter that builds them: for the local emulator


class ConfigError(Exception):
    """Context values that do not hold; the message names each of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """Everything about a deployment that an operator may choose."""

    stack_name: str = "wavecrawl"
    contact: str = ""  # URL or mail address that the User-Agent names
    allowed_addresses: str = ""  # comma separated networks outside the public internet that may be crawled
    qstash_url: str = ""  # the public URL that QStash signs; "" = QStash is off
    tenant: str = _RUNTIME.tenant
    max_body_bytes: int = _RUNTIME.max_body_bytes  # of a request to the API
    requests_a_minute: int = _RUNTIME.requests_a_minute  # of one API key; all of a tenant have three times as many
    cors_origins: str = ""  # comma separated; whose pages may call the API from a browser
    log_level: str = "INFO"

    fetch_memory: int = 512  # MB
    fetch_timeout: int = 180  # seconds
    fetch_concurrency: int = 10  # workers side by side
    planner_memory: int = 1_769  # MB; 1,769 is one whole processor
    finish_memory: int = 1_769  # MB
    finish_storage_mb: int = 4_096  # of /tmp
    small_memory: int = 512  # MB of every other function
    results_memory: int = 1_769  # MB of what answers questions about results
    results_storage_mb: int = 2_048  # of its /tmp, where copies of exports lie
    wacz_mb: int = _RUNTIME.wacz_mb  # how large crawl.wacz may be; 0 = it is never made
    reserve_concurrency: bool = True

    wave_timeout: int = 1_800  # seconds
    max_resumes: int = 8  # of one wave in a row
    max_waves_per_execution: int = 1_000

    api_rate: int = 50  # requests a second
    api_burst: int = 100
    log_retention_days: int = 30
    keep_data: bool = True
    alarm_email: str = ""
    layer_target: LayerTarget = LayerTarget.LAMBDA

    @property
    def queue_visibility(self) -> int:
        """Seconds a message stays hidden: 6 x the function's time-out.

        https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-configure.html
        """
        return 6 * self.fetch_timeout

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the context keys that are ours."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def from_context(cls, context: Mapping[str, object]) -> "Config":
        """Parse context values (text, where they come from the command line).

        Raise ConfigError, naming every bad one, where a value does not hold. Keys that are not ours are CDK's own.
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
            raise ConfigError("these context values do not hold: " + "; ".join(problems))
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
    if kind is LayerTarget:
        if value not in tuple(LayerTarget):
            raise ValueError(f"must be one of {', '.join(LayerTarget)}")
        return LayerTarget(str(value))
    return str(value).strip()


def _problems(config: Config) -> Iterator[str]:
    yield from _range_problems(config)
    if 2 * config.wacz_mb > config.finish_storage_mb:  # records and exports want their place beside it
        yield f"wacz_mb may be half of finish_storage_mb ({config.finish_storage_mb}) at most: {config.wacz_mb}"
    if config.log_retention_days not in LOG_RETENTIONS:
        yield f"log_retention_days must be one of {', '.join(map(str, LOG_RETENTIONS))}: {config.log_retention_days}"
    if not config.stack_name.replace("-", "").isalnum() or not config.stack_name[:1].isalpha():
        yield f"stack_name must start with a letter and hold letters, digits and '-' only: {config.stack_name!r}"
    if config.log_level not in ("DEBUG", "INFO", "WARNING", "ERROR"):
        yield f"log_level must be DEBUG, INFO, WARNING or ERROR: {config.log_level!r}"
    if not config.tenant or not all(c.isalnum() or c in "-_" for c in config.tenant):
        yield f"tenant must hold letters, digits, '-' and '_' only: {config.tenant!r}"
    if config.qstash_url and not config.qstash_url.startswith("https://"):
        yield f"qstash_url must start with https://: {config.qstash_url!r}"
    for origin in filter(None, (part.strip() for part in config.cors_origins.split(","))):
        if origin != "*" and not _ORIGIN.fullmatch(origin):
            yield f"cors_origins must be origins such as https://app.example.com, or *: {origin!r}"
    if config.alarm_email and "@" not in config.alarm_email:
        yield f"alarm_email must be a mail address: {config.alarm_email!r}"
    yield from _network_problems(config.allowed_addresses)


def _network_problems(networks: str) -> Iterator[str]:
    for network in filter(None, (part.strip() for part in networks.split(","))):
        try:
            ip_network(network)
        except ValueError as error:
            yield f"allowed_addresses must be networks such as 10.0.0.0/8: {error}"


def _range_problems(config: Config) -> Iterator[str]:
    for name, low, high in _RANGES:
        value = getattr(config, name)
        if not low <= value <= high:
            yield f"{name} must be between {low:,} and {high:,}: {value!r}"


LOG_RETENTIONS: Final = (1, 3, 5, 7, 14, 30, 60, 90, 180, 365, 731, 1827, 3653)
"""Those worth having: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutRetentionPolicy.html"""

_RANGES: Final = (
    *((name, *range_of(name)) for name in ("max_body_bytes", "requests_a_minute", "wacz_mb")),
    ("fetch_memory", 128, 10_240),
    ("fetch_timeout", 60, LEASE_SECONDS),  # a page may take 30 s (`limits.timeout` of a request)
    ("fetch_concurrency", 2, 1_000),  # what a mapping's MaximumConcurrency takes
    ("planner_memory", 128, 10_240),
    ("finish_memory", 128, 10_240),
    ("finish_storage_mb", 512, 10_240),
    ("small_memory", 256, 10_240),
    ("results_memory", 1_024, 10_240),
    ("results_storage_mb", 512, 10_240),
    # A wave may wait 900 s for its message's delay and then for a worker: a shorter time-out would only repeat it.
    ("wave_timeout", LONGEST_FUNCTION, 86_400),
    ("max_resumes", 1, 100),
    # A wave is 8 events of an execution's history, a time-out 13: 1,500 leave a fifth of the 25,000 to retries.
    # A pause that fills the history starts again in the next execution: with 1, no pause would ever be waited for.
    ("max_waves_per_execution", 2, 1_500),
    ("api_rate", 1, 10_000),
    ("api_burst", 1, 5_000),
)
