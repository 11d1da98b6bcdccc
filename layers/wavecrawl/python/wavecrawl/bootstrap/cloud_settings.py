"""The settings of a function, from its environment (the deployment sets them; docs/operations.md names each)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_network

from wavecrawl.errors import InvalidSettingsError

TABLE = "WAVECRAWL_TABLE"
BUCKET = "WAVECRAWL_BUCKET"
FETCH_QUEUE_URL = "WAVECRAWL_FETCH_QUEUE_URL"
DELIVERIES_QUEUE_URL = "WAVECRAWL_DELIVERIES_QUEUE_URL"
STATE_MACHINE_ARN = "WAVECRAWL_STATE_MACHINE_ARN"
BUS = "WAVECRAWL_BUS"
SECRET_ID = "WAVECRAWL_SECRET_ID"  # noqa: S105 - the name of a variable that holds the name of a secret
CONTACT = "WAVECRAWL_CONTACT"
ALLOWED_ADDRESSES = "WAVECRAWL_ALLOWED_ADDRESSES"
QSTASH_URL = "WAVECRAWL_QSTASH_URL"
MAX_BODY_BYTES = "WAVECRAWL_MAX_BODY_BYTES"
TENANT = "WAVECRAWL_TENANT"
LEASE = "WAVECRAWL_LEASE"
WACZ_MB = "WAVECRAWL_WACZ_MB"
REQUESTS_A_MINUTE = "WAVECRAWL_REQUESTS_A_MINUTE"
SCHEDULE_GROUP = "WAVECRAWL_SCHEDULE_GROUP"
SCHEDULE_ROLE_ARN = "WAVECRAWL_SCHEDULE_ROLE_ARN"
SCHEDULE_TARGET_ARN = "WAVECRAWL_SCHEDULE_TARGET_ARN"
SCHEDULE_DEAD_LETTERS_ARN = "WAVECRAWL_SCHEDULE_DEAD_LETTERS_ARN"

_MAX_BODY = 65_536
_MOST_WACZ_MB = 512
_REQUESTS = 600  # a minute
_LEASE, _LONGEST_LEASE = 360.0, 43_200.0  # seconds
_FORBIDDEN = frozenset("/#")  # they separate the parts of keys


@dataclass(frozen=True, slots=True, kw_only=True)
class CloudSettings:
    """What a function was told. A text that it does not need may be empty."""

    table: str = ""
    bucket: str = ""
    fetch_queue_url: str = ""
    deliveries_queue_url: str = ""
    state_machine_arn: str = ""
    bus: str = ""
    secret_id: str = ""
    contact: str = ""  # named in the User-Agent of every crawl
    allowed_addresses: tuple[str, ...] = ()  # networks outside the public internet that crawls may request, as CIDR
    qstash_url: str = ""  # our URL, as QStash signs it; "" = no messages of QStash are taken
    max_body_bytes: int = _MAX_BODY
    tenant: str = "default"
    wacz_mb: int = _MOST_WACZ_MB  # how large crawl.wacz may be, in MB; 0 = it is never made
    lease: float = _LEASE  # seconds a batch is owned before somebody else may take it over
    requests_a_minute: int = _REQUESTS  # of one key
    cors_origins: tuple[str, ...] = ()  # none here: the HTTP API in front answers pages of other origins
    schedule_group: str = ""  # of EventBridge Scheduler, for the schedules of sites
    schedule_role_arn: str = ""  # as whom they call their target
    schedule_target_arn: str = ""  # the function start_site
    schedule_dead_letters_arn: str = ""  # the queue for calls that failed for good

    @classmethod
    def from_env(cls, environ: Mapping[str, str], *, needs: Iterable[str] = ()) -> "CloudSettings":
        """Return the settings; raise InvalidSettingsError, naming every variable that is missing or bad."""
        networks = _list(environ, ALLOWED_ADDRESSES)
        problems = (*_problems(environ, needs), *_bad_networks(networks))
        if problems:
            raise InvalidSettingsError(problems)
        return cls(
            table=environ.get(TABLE, ""),
            bucket=environ.get(BUCKET, ""),
            fetch_queue_url=environ.get(FETCH_QUEUE_URL, ""),
            deliveries_queue_url=environ.get(DELIVERIES_QUEUE_URL, ""),
            state_machine_arn=environ.get(STATE_MACHINE_ARN, ""),
            bus=environ.get(BUS, ""),
            secret_id=environ.get(SECRET_ID, ""),
            contact=environ.get(CONTACT, ""),
            allowed_addresses=networks,
            qstash_url=environ.get(QSTASH_URL, ""),
            max_body_bytes=int(environ.get(MAX_BODY_BYTES) or _MAX_BODY),
            tenant=environ.get(TENANT) or "default",
            wacz_mb=int(environ.get(WACZ_MB) or _MOST_WACZ_MB),
            lease=float(environ.get(LEASE) or _LEASE),
            requests_a_minute=int(environ.get(REQUESTS_A_MINUTE) or _REQUESTS),
            schedule_group=environ.get(SCHEDULE_GROUP, ""),
            schedule_role_arn=environ.get(SCHEDULE_ROLE_ARN, ""),
            schedule_target_arn=environ.get(SCHEDULE_TARGET_ARN, ""),
            schedule_dead_letters_arn=environ.get(SCHEDULE_DEAD_LETTERS_ARN, ""),
        )


def _list(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(one.strip() for one in environ.get(name, "").split(",") if one.strip())


def _problems(environ: Mapping[str, str], needs: Iterable[str]) -> Iterator[str]:
    for name in needs:
        if not environ.get(name):
            yield f"{name} must be set"
    for name, what in ((MAX_BODY_BYTES, "bytes"), (REQUESTS_A_MINUTE, "requests")):
        number = environ.get(name, "")
        if number and not (number.isdecimal() and int(number) > 0):
            yield f"{name} must be a number of {what}: {number!r}"
    package = environ.get(WACZ_MB, "")
    if package and not package.isdecimal():
        yield f"{WACZ_MB} must be a number of MB: {package!r}"
    tenant = environ.get(TENANT, "")
    if _FORBIDDEN & set(tenant):
        yield f"{TENANT} may hold neither '/' nor '#': {tenant!r}"
    lease = environ.get(LEASE, "")
    if lease and not _is_lease(lease):
        yield f"{LEASE} must be a number of seconds from 1 to {_LONGEST_LEASE:,.0f}: {lease!r}"


def _is_lease(text: str) -> bool:
    try:
        return 1 <= float(text) <= _LONGEST_LEASE
    except ValueError:
        return False


def _bad_networks(networks: Iterable[str]) -> Iterator[str]:
    for network in networks:
        try:
            ip_network(network)
        except ValueError as error:
            yield f"{ALLOWED_ADDRESSES} must be networks such as 127.0.0.0/8, with commas between them: {error}"
