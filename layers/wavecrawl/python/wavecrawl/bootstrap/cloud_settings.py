"""The settings of the Lambda functions, and the environment variables that carry them.

The variable of the field `table` is `WAVECRAWL_TABLE`, and so on: the functions read variables, the deployment
(infra/) writes them, both by this module.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import Field, dataclass, fields  # noqa: TID251 - settings have metadata, which structs lack
from typing import Any

from wavecrawl.application.operator_settings import OperatorSettings, number
from wavecrawl.domain.fetching.allowed_networks import allowed_network
from wavecrawl.errors import InvalidSettingsError

_FORBIDDEN = frozenset("/#")  # they separate the parts of keys


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudSettings(OperatorSettings):
    """The operator's settings and the names of resources. A text that a function does not need may be empty."""

    longest_pause: int = number(300, low=60, high=86_400)  # seconds until a paused crawl looks whether it must stop
    finish_pages: int = number(0, low=0, high=100_000_000)  # URLs with a record; above, a task finishes. 0 = never
    table: str = ""
    bucket: str = ""
    fetch_queue_url: str = ""
    render_queue_url: str = ""  # "" = no pages are rendered
    media_queue_url: str = ""  # "" = no media are stored
    index_queue_url: str = ""  # "" = there is no knowledge index
    embedding_model: str = ""  # of Amazon Bedrock; "" = the index has words only
    embedding_dimensions: int = number(1_024, low=1, high=4_096)
    vector_bucket: str = ""  # of Amazon S3 Vectors
    knowledge_mb: int = number(1_000, low=1, high=5_000)  # of a site's passages with their words, in the bucket
    deliveries_queue_url: str = ""
    folds_queue_url: str = ""
    state_machine_arn: str = ""
    bus: str = ""
    secret_id: str = ""
    stack: str = "wavecrawl"  # begins the names of the secrets of sites
    sql_database: str = ""  # of Glue's Data Catalog; "" = crawls are not registered there
    qstash_url: str = ""  # the deployment's URL that QStash signs; "" = messages of QStash are refused
    schedule_group: str = ""  # of EventBridge Scheduler, for the schedules of sites
    schedule_role_arn: str = ""  # the role that schedules assume
    schedule_target_arn: str = ""  # the function start_site
    schedule_dead_letters_arn: str = ""  # the queue for invocations that failed for good

    @property
    def needs_contact(self) -> bool:
        """Whether crawls of public sites need a contact: a deployment crawls for others."""
        return True

    @property
    def has_task(self) -> bool:
        """Whether the deployment has the Fargate task for large crawls."""
        return self.finish_pages > 0

    @property
    def renders(self) -> bool:
        """Whether the deployment has a function that renders pages."""
        return bool(self.render_queue_url)

    @property
    def stores_media(self) -> bool:
        """Whether the deployment has a function that stores media."""
        return bool(self.media_queue_url)

    @property
    def indexes(self) -> bool:
        """Whether the deployment has a function that indexes texts."""
        return bool(self.index_queue_url)

    @classmethod
    def from_env(cls, environ: Mapping[str, str], *, needs: Iterable[str] = ()) -> "CloudSettings":
        """Return the settings; a variable that is missing or empty means the default.

        `needs` are the fields that must be set. Raise InvalidSettingsError, with every variable that is missing or bad.
        """
        problems = [f"{variable_of(name)} must be set" for name in needs if not environ.get(variable_of(name))]
        given: dict[str, Any] = {}
        for one in fields(cls):
            text = environ.get(variable_of(one.name), "")
            if text:
                given[one.name] = value = _parsed(one, text)
                problems += _problems(one, text, value)
        if problems:
            raise InvalidSettingsError(tuple(problems))
        return cls(**given)


def variable_of(name: str) -> str:
    """Return the environment variable of a field of CloudSettings; raise KeyError if there is no such field."""
    return _VARIABLES[name]


_VARIABLES = {one.name: f"WAVECRAWL_{one.name.upper()}" for one in fields(CloudSettings)}


def environment(**settings: str | float) -> dict[str, str]:
    """Return the environment variables of fields of CloudSettings; raise KeyError if one is no such field."""
    return {variable_of(name): str(value) for name, value in settings.items()}


def range_of(name: str) -> tuple[int, int]:
    """Return the smallest and largest value of a numeric field of CloudSettings."""
    low, high = next(one.metadata["range"] for one in fields(CloudSettings) if one.name == name)
    return low, high


def powertools_environment(service: str, *, stack: str = "") -> dict[str, str]:
    """Return the environment variables that Powertools for AWS Lambda needs; `service` names the logger's service."""
    return {"POWERTOOLS_SERVICE_NAME": service, "POWERTOOLS_METRICS_NAMESPACE": metrics_namespace(stack)}


def metrics_namespace(stack: str) -> str:
    """Return the namespace of the metrics of a deployment: two deployments in one region do not add up."""
    return f"wavecrawl/{stack}" if stack else "wavecrawl"


def _parsed(one: "Field[Any]", text: str) -> Any:
    """Return the value of a variable, None for a text that is no number."""
    if one.type is str:
        return text
    if one.type in (int, float):
        try:
            return one.type(text)
        except ValueError:
            return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _problems(one: "Field[Any]", text: str, value: Any) -> Iterator[str]:
    variable = variable_of(one.name)
    if "range" in one.metadata:
        low, high = one.metadata["range"]
        if value is None or not low <= value <= high:
            kind = "whole number" if one.type is int else "number"
            yield f"{variable} must be a {kind} from {low:,} to {high:,}: {text!r}"
    if one.name == "tenant" and _FORBIDDEN & set(text):
        yield f"{variable} may hold neither '/' nor '#': {text!r}"
    for network in value if one.name == "allowed_addresses" else ():
        try:
            allowed_network(network)
        except ValueError as error:
            yield f"{variable} must be networks such as 127.0.0.0/8, separated by commas: {error}"
