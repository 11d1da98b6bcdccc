import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from botocore.exceptions import EndpointConnectionError
from moto import mock_aws
from rich.pretty import pretty_repr
from tests.contract.stores import moto_clients
from tests.support.still_clock import StillClock

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.secrets import Secrets, SecretsManagerSecrets
from wavecrawl.errors import CorruptDataError, NotFoundError, StoreBusyError

OLD = {"api_keys": ["a"], "webhook_secrets": ["whsec_dGVzdA=="], "qstash_keys": ["now", "next"]}


@pytest.fixture(name="clients")
def the_clients() -> Iterator[AwsClients]:
    with mock_aws():
        yield moto_clients()


@pytest.fixture(name="secret")
def a_secret(clients: AwsClients) -> str:
    return clients.secrets.create_secret(Name=f"s{uuid4().hex}", SecretString=json.dumps(OLD))["ARN"]


@pytest.fixture(name="clock")
def a_clock() -> StillClock:
    return StillClock()


def test_the_secret_is_read(clients: AwsClients, secret: str, clock: StillClock) -> None:
    found = SecretsManagerSecrets(clients.secrets, secret, clock).current()
    assert found == Secrets(api_keys=("a",), webhook_secrets=("whsec_dGVzdA==",), qstash_keys=("now", "next"))


def test_a_rotation_takes_effect_within_five_minutes(clients: AwsClients, secret: str, clock: StillClock) -> None:
    secrets = SecretsManagerSecrets(clients.secrets, secret, clock)
    secrets.current()
    clients.secrets.put_secret_value(SecretId=secret, SecretString=json.dumps({"api_keys": ["a", "b"]}))
    clock.time += 299.0
    assert secrets.current().api_keys == ("a",)
    clock.time += 1.0
    assert secrets.current().api_keys == ("a", "b")


@pytest.mark.parametrize("content", ["", "no json", '{"api_keys": "tell-nobody"}', "[]"])
def test_an_invalid_secret_is_refused_without_revealing_it(
    clients: AwsClients, clock: StillClock, content: str
) -> None:
    name = f"s{uuid4().hex}"
    clients.secrets.create_secret(Name=name, SecretString=content or " ")
    with pytest.raises(CorruptDataError, match="webhook_secrets") as caught:
        SecretsManagerSecrets(clients.secrets, name, clock).current()
    assert "tell-nobody" not in str(caught.value)
    assert "tell-nobody" not in repr(caught.value.__cause__)


def test_a_secret_that_is_missing_is_named(clients: AwsClients, clock: StillClock) -> None:
    with pytest.raises(NotFoundError, match="no-such-secret"):
        SecretsManagerSecrets(clients.secrets, "no-such-secret", clock).current()


class Unreachable:
    def get_secret_value(self, **_: object) -> object:
        raise EndpointConnectionError(endpoint_url="https://secrets.example")


def test_an_outage_leaves_the_secrets_that_are_known(
    clients: AwsClients, secret: str, clock: StillClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    secrets = SecretsManagerSecrets(clients.secrets, secret, clock)
    secrets.current()
    monkeypatch.setattr(secrets, "_client", Unreachable())
    clock.time += 1e6
    assert secrets.current().api_keys == ("a",)
    with pytest.raises(StoreBusyError):
        SecretsManagerSecrets(Unreachable(), secret, clock).current()  # type: ignore[arg-type]  # the part that is used


def test_secrets_are_not_shown() -> None:
    assert "k1" not in pretty_repr(Secrets(api_keys=("k1", "k2")))
    assert repr(Secrets(api_keys=("k1", "k2"), qstash_keys=("q",))) == (
        "Secrets(2 API keys, 0 webhook secrets, 1 QStash keys)"
    )
