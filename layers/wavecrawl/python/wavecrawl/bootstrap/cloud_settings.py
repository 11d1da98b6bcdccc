"""The settings of the Lambda functions, and the environment variables that carry them.

The variable of the field `table` is `WAVECRAWL_TABLE`, and so on: the functions read variables, the deployment
(infra/) writes them, both by this module.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, get_args, get_origin

from msgspec import Meta
from msgspec.structs import FieldInfo, fields

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.fetching.allowed_networks import allowed_network
from wavecrawl.errors import InvalidSettingsError

_FORBIDDEN = frozenset("/#")  # they separate the parts of keys


class CloudSettings(OperatorSettings, frozen=True, kw_only=True):
    """The operator's settings and the names of resources. A text that a function does not need may be empty."""

    longest_pause: Annotated[int, Meta(ge=60, le=86_400)] = 300  # seconds until a paused crawl looks if it must stop
    finish_pages: Annotated[int, Meta(ge=0, le=100_000_000)] = 0  # URLs with a record; above, a task finishes; 0: never
    table: str = ""
    bucket: str = ""
    fetch_queue_url: str = ""
    render_queue_url: str = ""  # "" = no pages are rendered
    media_queue_url: str = ""  # "" = no media are stored
    index_queue_url: str = ""  # "" = there is no knowledge index
    embedding_model: str = ""  # of Amazon Bedrock; "" = the index has words only
    embedding_dimensions: Annotated[int, Meta(ge=1, le=4_096)] = 1_024
    vector_bucket: str = ""  # of Amazon S3 Vectors
    knowledge_mb: Annotated[int, Meta(ge=1, le=5_000)] = 1_000  # of a site's passages with their words, in the bucket
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


_VARIABLES = {name: f"WAVECRAWL_{name.upper()}" for name in CloudSettings.__struct_fields__}


def environment(**settings: str | float) -> dict[str, str]:
    """Return the environment variables of fields of CloudSettings; raise KeyError if one is no such field."""
    return {variable_of(name): str(value) for name, value in settings.items()}


def range_of(name: str) -> tuple[int, int]:
    """Return the smallest and largest value of a numeric field of CloudSettings."""
    _, low, high = _type_of(next(one for one in fields(CloudSettings) if one.name == name))
    return low, high


def powertools_environment(service: str, *, stack: str = "") -> dict[str, str]:
    """Return the environment variables that Powertools for AWS Lambda needs; `service` names the logger's service."""
    return {"POWERTOOLS_SERVICE_NAME": service, "POWERTOOLS_METRICS_NAMESPACE": metrics_namespace(stack)}


def metrics_namespace(stack: str) -> str:
    """Return the namespace of the metrics of a deployment: two deployments in one region do not add up."""
    return f"wavecrawl/{stack}" if stack else "wavecrawl"


def _type_of(one: FieldInfo) -> tuple[Any, Any, Any]:
    """Return the type of a field, and the smallest and largest value of a number, else None."""
    if get_origin(one.type) is not Annotated:
        return one.type, None, None
    kind, meta = get_args(one.type)
    return kind, meta.ge, meta.le


def _parsed(one: FieldInfo, text: str) -> Any:
    """Return the value of a variable, None for a text that is no number."""
    kind, _, _ = _type_of(one)
    if kind is str:
        return text
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return None
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _problems(one: FieldInfo, text: str, value: Any) -> Iterator[str]:
    variable = variable_of(one.name)
    kind, low, high = _type_of(one)
    if low is not None and (value is None or not low <= value <= high):
        number = "whole number" if kind is int else "number"
        yield f"{variable} must be a {number} from {low:,} to {high:,}: {text!r}"
    if one.name == "tenant" and _FORBIDDEN & set(text):
        yield f"{variable} may hold neither '/' nor '#': {text!r}"
    for network in value if one.name == "allowed_addresses" else ():
        try:
            allowed_network(network)
        except ValueError as error:
            yield f"{variable} must be networks such as 127.0.0.0/8, separated by commas: {error}"
