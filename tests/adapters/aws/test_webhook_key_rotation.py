"""A new key for the secrets of webhooks: the old key stays readable until all secrets are sealed with the new one."""

import json
import time
from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws
from msgspec.structs import replace
from tests.support.emulator import CREDENTIALS, new_table
from tests.support.still_clock import StillClock
from typer.testing import CliRunner

from wavecrawl.adapters.aws.clients import AwsClients
from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.names import webhook_row
from wavecrawl.adapters.aws.packed_items import PackedItems
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.tenants import DynamoTenants
from wavecrawl.adapters.aws.webhook_key import SEALS_FOR, SETTLED, WebhookKey
from wavecrawl.adapters.aws.webhook_key_rotation import Resealed, reseal_all
from wavecrawl.adapters.aws.webhooks import DynamoWebhooks
from wavecrawl.cli.main import app
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.errors import ConflictError, CorruptDataError, InvalidInputError, NotFoundError, StoreBusyError
from wavecrawl.ports.tenants import TenantRow
from wavecrawl.ports.webhooks import Webhook

SECRET, OLD = "whsec_bmV3LXNlY3JldC1uZXctc2VjcmV0", "whsec_b2xkLXNlY3JldC1vbGQtc2VjcmV0"
CONTEXT = "webhook t/w"
LATE = 120.0  # seconds that a loaded machine may take between the start of a test and the rotation


class Account:
    """A mocked account with a table. Its clock is that of Secrets Manager until a test moves it."""

    def __init__(self) -> None:
        self.clients = AwsClients()
        self.name = new_table(self.clients)
        self.table = Table(self.clients.dynamodb, self.name)
        self.clock = StillClock(time.time())

    def process(self) -> WebhookKey:
        """Return the key as a new process has it."""
        return WebhookKey(lambda: self.clients.secrets, "s", self.clock)

    def webhooks(self, key: WebhookKey | None = None) -> DynamoWebhooks:
        """Return the webhooks as a new process, or the one with this key, has them."""
        return DynamoWebhooks(self.table, key or self.process())

    def stored(self, tenant: str, webhook: str) -> tuple[str, str]:
        """Return the stored secrets of a webhook."""
        found = PackedItems(self.table, Webhook).get(webhook_row(tenant, webhook))
        assert found is not None
        return found.secret, found.old_secret

    def reseal(self) -> Resealed:
        """Run the operator's command."""
        key = self.process()
        return reseal_all(key, self.webhooks(key), DynamoTenants(self.table), own_tenant="own")

    def keys(self) -> int:
        """Return how many keys can be read."""
        versions = self.clients.secrets.list_secret_version_ids(SecretId="s/webhook-key")["Versions"]
        labels = [label for version in versions for label in version.get("VersionStages", ())]
        return labels.count("AWSCURRENT") + labels.count("AWSPREVIOUS")


@pytest.fixture(name="account")
def an_account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    with mock_aws():
        account = Account()
        yield account
        account.clients.close()


def hook(tenant: str, webhook: str, *, old: str = "") -> Webhook:
    return Webhook(tenant=tenant, webhook=webhook, url="https://hooks.example/", secret=SECRET, old_secret=old)


def test_what_the_old_key_sealed_stays_readable_after_a_rotation(account: Account) -> None:
    running = account.process()
    sealed = running.seal(SECRET, CONTEXT)
    name = account.process().rotate()
    for process in (running, account.process()):
        assert process.open(sealed, CONTEXT) == SECRET
    renewed = account.process().seal(SECRET, CONTEXT)
    assert renewed.startswith(f"sealed1:{name}:")
    assert not sealed.startswith(f"sealed1:{name}:")
    assert running.open(renewed, CONTEXT) == SECRET


def test_a_process_that_knows_the_old_key_alone_reads_what_is_new(account: Account) -> None:
    running = account.process()
    running.seal(SECRET, CONTEXT)
    account.process().rotate()
    renewed = account.process().seal(SECRET, CONTEXT)
    assert running.open(renewed, CONTEXT) == SECRET


def test_a_running_process_seals_with_the_new_key_before_the_old_one_may_be_dropped(account: Account) -> None:
    running = account.process()
    running.seal(SECRET, CONTEXT)
    name = account.process().rotate()
    assert SEALS_FOR < SETTLED
    assert not running.seal(SECRET, CONTEXT).startswith(f"sealed1:{name}:")
    account.clock.sleep(SEALS_FOR)
    assert running.seal(SECRET, CONTEXT).startswith(f"sealed1:{name}:")


def test_all_secrets_are_sealed_again_and_the_old_key_is_dropped(account: Account) -> None:
    DynamoTenants(account.table).create(TenantRow(tenant="acme", name="Acme", plan=Plan.FREE))
    hooks = [hook("own", "a"), hook("own", "b", old=OLD), hook("acme", "c", old=OLD)]
    for one in hooks:
        account.webhooks().create(one)
    name = account.process().rotate()
    account.clock.sleep(SETTLED + LATE)
    assert account.reseal() == Resealed(webhooks=3, unreadable=(), dropped=True)
    for one in hooks:
        secrets = account.stored(one.tenant, one.webhook)
        assert all(not secret or secret.startswith(f"sealed1:{name}:") for secret in secrets)
        assert account.webhooks().read(one.tenant, one.webhook) == one
    assert account.keys() == 1
    assert account.reseal() == Resealed(webhooks=0, unreadable=(), dropped=False)


def test_secrets_of_earlier_versions_without_a_key_name_and_clear_ones_are_sealed_too(account: Account) -> None:
    unnamed = account.process().seal(SECRET, "webhook own/a").rpartition(":")[2]
    rows = PackedItems(account.table, Webhook)
    rows.add(webhook_row("own", "a"), replace(hook("own", "a"), secret=f"sealed1:{unnamed}"), version=1)
    rows.add(webhook_row("own", "b"), hook("own", "b"), version=1)
    name = account.process().rotate()
    account.clock.sleep(SETTLED + LATE)
    assert account.reseal().webhooks == 2
    assert [account.stored("own", one)[0].startswith(f"sealed1:{name}:") for one in "ab"] == [True, True]
    assert account.webhooks().read("own", "a") == hook("own", "a")


def test_the_old_key_is_kept_while_a_process_may_seal_with_it(account: Account) -> None:
    account.webhooks().create(hook("own", "a"))
    account.process().rotate()
    with pytest.raises(ConflictError, match="run this again in"):
        account.reseal()
    assert account.keys() == 2


def test_a_webhook_that_is_changed_meanwhile_keeps_the_change_and_the_old_key(
    account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    account.webhooks().create(hook("own", "a"))
    stored = replace(hook("own", "a"), secret=account.stored("own", "a")[0], description="newer", version=2)
    account.process().rotate()
    account.clock.sleep(SETTLED + LATE)
    key = account.process()
    webhooks = account.webhooks(key)
    read = webhooks.read

    def read_early(tenant: str, webhook: str) -> Webhook | None:
        found = read(tenant, webhook)
        assert PackedItems(account.table, Webhook).replace(webhook_row("own", "a"), stored, version=2)
        return found

    monkeypatch.setattr(webhooks, "read", read_early)
    with pytest.raises(ConflictError, match="tenant own was changed meanwhile"):
        reseal_all(key, webhooks, DynamoTenants(account.table), own_tenant="own")
    assert account.keys() == 2
    assert account.reseal() == Resealed(webhooks=1, unreadable=(), dropped=True)
    assert account.webhooks().of_tenant("own")[0].description == "newer"


def test_a_secret_that_neither_key_opens_is_named_and_blocks_nothing(account: Account) -> None:
    lost = replace(hook("own", "lost"), secret="sealed1:00000000:AAAA")
    PackedItems(account.table, Webhook).add(webhook_row("own", "lost"), lost, version=1)
    account.webhooks().create(hook("own", "a"))
    account.process().rotate()
    account.clock.sleep(SETTLED + LATE)
    done = account.reseal()
    assert (done.webhooks, done.dropped) == (1, True)
    assert ["webhook own/lost" in problem for problem in done.unreadable] == [True]


def test_a_second_rotation_waits_for_the_end_of_the_first(account: Account) -> None:
    account.webhooks().create(hook("own", "a"))
    account.process().rotate()
    with pytest.raises(InvalidInputError, match="reseal"):
        account.process().rotate()
    assert account.webhooks().read("own", "a") == hook("own", "a")


def test_of_two_rotations_at_once_one_wins(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    sealed = account.process().seal(SECRET, CONTEXT)
    real = account.clients.secrets.put_secret_value
    won: list[str] = []

    def put_late(**given: str) -> object:
        monkeypatch.setattr(account.clients.secrets, "put_secret_value", real)
        won.append(account.process().rotate())
        return real(**given)

    monkeypatch.setattr(account.clients.secrets, "put_secret_value", put_late)
    with pytest.raises(StoreBusyError, match="another rotation"):
        account.process().rotate()
    assert account.process().seal(SECRET, CONTEXT).startswith(f"sealed1:{won[0]}:")
    assert account.process().open(sealed, CONTEXT) == SECRET


def test_without_a_key_there_is_nothing_to_rotate_and_nothing_is_made(account: Account) -> None:
    with pytest.raises(NotFoundError, match="created with the first webhook"):
        account.process().rotate()
    with pytest.raises(CorruptDataError, match="cannot be decrypted"):
        account.process().open("sealed1:00000000:AAAA", CONTEXT)
    assert account.reseal() == Resealed(webhooks=0, unreadable=(), dropped=False)
    assert account.clients.secrets.list_secrets()["SecretList"] == []


def test_the_commands_rotate_and_reseal_the_key_of_a_stack(account: Account, monkeypatch: pytest.MonkeyPatch) -> None:
    account.webhooks().create(hook("own", "a"))

    def stack(name: str) -> Deployment:
        outputs = {"TableName": account.name, "Tenant": "own"}
        return Deployment(stack=name, status="CREATE_COMPLETE", outputs=outputs, session=boto3.Session())

    monkeypatch.setattr("wavecrawl.adapters.aws.deployment.deployment", stack)
    made = CliRunner().invoke(app, ["admin", "webhook-key", "rotate", "--stack", "s", "--json"])
    early = CliRunner().invoke(app, ["admin", "webhook-key", "reseal", "--stack", "s"])
    assert (made.exit_code, early.exit_code) == (0, 5), made.output
    monkeypatch.setattr("wavecrawl.adapters.aws.webhook_key.SETTLED", -9.0)
    done = CliRunner().invoke(app, ["admin", "webhook-key", "reseal", "--stack", "s", "--json"])
    assert json.loads(done.stdout) == {"webhooks": 1, "unreadable": 0, "dropped": True}
    assert account.stored("own", "a")[0].startswith(f"sealed1:{json.loads(made.stdout)['key']}:")
    again = CliRunner().invoke(app, ["admin", "webhook-key", "reseal", "--stack", "s"])
    assert again.stdout == "webhooks encrypted with the new key: 0; there was no previous key\n"
