"""`wavecrawl admin`: tenants and keys of a data folder."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from wavecrawl.application.api_keys import Caller, authenticate
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.domain.tenants.role import Role


class Desk:
    """The command line over one folder."""

    def __init__(self, data: Path) -> None:
        self.data = data

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(app, ["admin", *arguments, "--data", str(self.data)])

    def json(self, *arguments: str) -> list[dict[str, Any]]:
        done = self.run(*arguments, "--json")
        assert done.exit_code == Exit.OK, done.output
        return [json.loads(line) for line in done.stdout.splitlines()]

    def show(self, key: str) -> Caller | None:
        store = LocalStore(self.data)
        try:
            now = store.clock.now()
            known = store.keys, store.tenants
            return authenticate(
                key, keys=known[0], tenants=known[1], operator_keys=(), operator_tenant="local", now=now
            )
        finally:
            store.close()


@pytest.fixture(name="desk")
def a_desk(tmp_path: Path) -> Desk:
    data = tmp_path / "data"
    data.mkdir()
    return Desk(data)


def test_a_tenant_is_made_changed_and_listed(desk: Desk) -> None:
    desk.run("tenants", "create", "beta")
    desk.run("tenants", "create", "acme", "--plan", "starter", "--name", "Acme [West]")
    desk.run("tenants", "plan", "beta", "pro")
    desk.run("tenants", "disable", "beta")
    rows = desk.json("tenants", "list")
    assert [(row["tenant"], row["name"], row["plan"], row["disabled"]) for row in rows] == [
        ("acme", "Acme [West]", "starter", False),
        ("beta", "beta", "pro", True),
    ]
    desk.run("tenants", "enable", "beta")
    assert desk.json("tenants", "list")[1]["disabled"] is False
    assert "Acme [West]" in desk.run("tenants", "list").stdout


def test_an_empty_folder_lists_no_tenants(desk: Desk) -> None:
    assert desk.json("tenants", "list") == []
    assert desk.run("tenants", "list").exit_code == Exit.OK


def test_a_new_key_is_all_there_is_on_standard_output(desk: Desk) -> None:
    desk.run("tenants", "create", "acme")
    done = desk.run("keys", "create", "acme", "--role", "read", "--name", "report")
    secret = done.stdout.strip()
    assert re.fullmatch(r"wck_[0-9a-f]{12}_[A-Za-z0-9_-]{43}", secret)
    shown = desk.show(secret)
    assert shown is not None
    assert (shown.tenant, shown.role) == ("acme", Role.READ)
    assert secret not in desk.run("keys", "list", "acme").output


@pytest.mark.parametrize(
    "command",
    [
        ("tenants", "list"),
        ("tenants", "create", "acme"),
        ("keys", "list", "local"),
        ("keys", "create", "local"),
        ("webhook-secrets", "list"),
        ("webhook-secrets", "create"),
        ("qstash-keys",),
    ],
    ids="-".join,
)
def test_a_folder_that_does_not_exist_is_refused_and_not_created(
    tmp_path: Path, command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("QSTASH_CURRENT_SIGNING_KEY", "QSTASH_NEXT_SIGNING_KEY"):
        monkeypatch.setenv(name, "sig_fake")
    data = tmp_path / "other"
    done = Desk(data).run(*command)
    assert (done.exit_code, done.stdout) == (Exit.BAD_INPUT, "")
    assert f"data folder {data} does not exist; set --data" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_changed_folder_is_named(desk: Desk) -> None:
    (key,) = desk.json("keys", "create", "local")
    commands = (
        ("keys", "create", "local", "--json"),
        ("keys", "rotate", "local", key["key"]),
        ("keys", "revoke", "local", key["key"]),
        ("webhook-secrets", "create", "--json"),
    )
    assert [one for one in commands if f" in data folder {desk.data}" not in desk.run(*one).stderr] == []


def test_a_key_is_rotated_and_revoked(desk: Desk) -> None:
    desk.run("tenants", "create", "acme")
    (old,) = desk.json("keys", "create", "acme", "--days", "7")
    (new,) = desk.json("keys", "rotate", "acme", old["key"], "--grace", "0")
    assert desk.show(old["secret"]) is None
    assert desk.show(new["secret"]) is not None
    assert desk.run("keys", "revoke", "acme", new["key"]).exit_code == Exit.OK
    assert desk.show(new["secret"]) is None
    assert [row["ended"] for row in desk.json("keys", "list", "acme")] == [True, True]


def test_the_folders_own_tenant_needs_no_row(desk: Desk) -> None:
    (key,) = desk.json("keys", "create", "local", "--role", "admin")
    assert desk.show(key["secret"]) == Caller(tenant="local", role=Role.ADMIN, key_id=key["key"])


def test_the_usage_of_a_month_is_shown(desk: Desk) -> None:
    desk.run("tenants", "create", "acme")
    (used,) = desk.json("tenants", "usage", "acme")
    assert (used["plan"], used["crawls"], used["crawls_a_month"], used["max_pages"]) == ("free", 0, 5, 50)
    assert (used["max_tries"], used["budget_usd"], used["max_sites"]) == (500, 0.05, 5)
    assert re.fullmatch(r"\d{4}-\d\d-01T00:00:00Z", used["resets_at"])
    (own,) = desk.json("tenants", "usage", "local")
    assert (own["plan"], own["crawls_a_month"]) == ("unlimited", None)


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (("tenants", "create", "acme"), Exit.CONFLICT, "tenant acme already exists"),
        (("tenants", "create", "A"), Exit.BAD_INPUT, "tenant: must be 1 to 63 of a-z"),
        (("tenants", "plan", "nobody", "pro"), Exit.NOT_FOUND, "there is no tenant nobody"),
        (("tenants", "usage", "nobody"), Exit.NOT_FOUND, "there is no tenant nobody"),
        (("keys", "create", "nobody"), Exit.NOT_FOUND, "there is no tenant nobody"),
        (("keys", "list", "nobody"), Exit.NOT_FOUND, "there is no tenant nobody"),
        (("keys", "revoke", "acme", "k"), Exit.NOT_FOUND, "tenant acme has no key k"),
        (("keys", "rotate", "acme", "k"), Exit.NOT_FOUND, "tenant acme has no key k"),
    ],
)
def test_what_cannot_be_done_is_said(desk: Desk, command: tuple[str, ...], code: Exit, message: str) -> None:
    desk.run("tenants", "create", "acme")
    done = desk.run(*command)
    assert (done.exit_code, done.stdout) == (code, "")
    assert message in done.stderr
