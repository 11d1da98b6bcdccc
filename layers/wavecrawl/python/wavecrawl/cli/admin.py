"""`wavecrawl admin init`: the keys of a new deployment in AWS.

`wavecrawl admin tenants|keys|controls`: tenants and API keys, on one machine (`--data`) or in AWS (`--stack`).
`wavecrawl admin webhook-secrets|qstash-keys`: secrets of messages, on one machine (`cli/admin_secrets.py`).
`wavecrawl admin webhook-key`: the key of the secrets of webhooks, in AWS (`cli/admin_webhook_key.py`).
`wavecrawl admin backup`: a copy of a data folder that is in use.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.application.api_keys import NewKey, create_key, revoke_key, rotate_key
from wavecrawl.application.crawl_settings import require_costs
from wavecrawl.application.tenants import TenantChange, change_tenant, create_tenant, tenant_of, usage_of
from wavecrawl.bootstrap.administration import Administration
from wavecrawl.cli.admin_controls import controls
from wavecrawl.cli.admin_secrets import set_qstash_keys, webhook_secrets
from wavecrawl.cli.admin_webhook_key import webhook_key
from wavecrawl.cli.administered import JsonOption, StackOption, administered_or_explained
from wavecrawl.cli.console import err, errors_explained, out, plain, write_line
from wavecrawl.cli.data_folder import DATA, DataOption, open_existing, shown_folder
from wavecrawl.domain.tenants.limits import GRACE, MOST_USD
from wavecrawl.domain.tenants.plans import Plan
from wavecrawl.domain.tenants.role import Role
from wavecrawl.ports.api_keys import ApiKeyRow
from wavecrawl.ports.tenants import TenantRow

_PAGE = 100
_HOUR, _DAY = 3_600.0, 86_400.0

TenantArgument = Annotated[str, typer.Argument(help="ID of the tenant.")]
KeyArgument = Annotated[str, typer.Argument(help="ID of the key, as listed by `wavecrawl admin keys list`.")]

admin = typer.Typer(help="Manage tenants and API keys, and set up the keys of a deployment.", no_args_is_help=True)
tenants = typer.Typer(help="Manage tenants.", no_args_is_help=True)
keys = typer.Typer(help="Manage API keys.", no_args_is_help=True)
admin.add_typer(tenants, name="tenants")
admin.add_typer(keys, name="keys")
admin.add_typer(controls, name="controls")
admin.add_typer(webhook_secrets, name="webhook-secrets")
admin.add_typer(webhook_key, name="webhook-key")
admin.command("qstash-keys")(set_qstash_keys)


@admin.command("init")
def init(
    *,
    stack: Annotated[str, typer.Option(help="Name of the deployed CloudFormation stack.")] = "wavecrawl",
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON; a kept key is null.")] = False,
) -> None:
    """Create the first API key and the first webhook secret of a deployment in AWS, and print them once.

    Existing ones are kept. The output is a shell script that sets API, API_KEY and WEBHOOK_SECRET.
    """
    with errors_explained():
        from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - reports a missing boto3

        found = deployment(stack)
        from wavecrawl.adapters.aws.first_keys import create_first_keys  # noqa: PLC0415 - needs botocore

        created = create_first_keys(found.client("secretsmanager"), found.output("SecretArn"))
    values = {"API": found.output("ApiUrl"), "API_KEY": created.api_key, "WEBHOOK_SECRET": created.webhook_secret}
    if as_json:
        write_line(json.dumps({name.lower(): value or None for name, value in values.items()}))
    else:
        for name, value in values.items():
            if value:
                write_line(f"export {name}={value}")
    for what, value in (("an API key", created.api_key), ("a webhook secret", created.webhook_secret)):
        if value:
            err.print(f"created {what}; store it now, it is not printed again")
        else:
            err.print(f"kept: the deployment has {what} already")
    if created.api_key:
        err.print("the API accepts the key after at most five minutes")


@admin.command("backup")
def backup(
    file: Annotated[Path, typer.Argument(help="The tar archive to write. It must not exist.")],
    *,
    data: DataOption = DATA,
) -> None:
    """Back up a data folder to a tar archive, also while `wavecrawl serve` or a crawl uses it.

    The archive contains secrets. To restore it, stop the service and unpack the archive in an empty folder.
    """
    with errors_explained(), closing(open_existing(data)) as store:
        from wavecrawl.adapters.embedded.backup import back_up  # noqa: PLC0415 - no other command needs it

        made = back_up(store.database, file)
    err.print(f"backed up {made.files} files ({made.bytes / 1e6:.1f} MB) of {shown_folder(data)} to {plain(str(file))}")


@tenants.command("create")
def create(
    tenant: TenantArgument,
    *,
    plan: Annotated[Plan, typer.Option(help="Plan of the tenant.")] = Plan.FREE,
    name: Annotated[str, typer.Option(help="Display name. Default: the ID.")] = "",
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a tenant, without a key. Then create its key with `admin keys create`.

    To create it with its website, first crawl and key at once, use `POST /v1/admin/tenants` (docs/operations.md).
    """
    with administered_or_explained(data, stack) as found:
        row = create_tenant(tenant, name=name, plan=plan, tenants=found.tenants, now=found.clock.now())
    _show([_tenant(row)], as_json=as_json)


@tenants.command("list")
def list_tenants(*, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False) -> None:
    """List all tenants."""
    rows: list[TenantRow] = []
    with administered_or_explained(data, stack) as found:
        while page := found.tenants.listed(limit=_PAGE, after=rows[-1].tenant if rows else ""):
            rows += page
    _show([_tenant(row) for row in rows], as_json=as_json)


@tenants.command("plan")
def set_plan(
    tenant: TenantArgument,
    plan: Annotated[Plan, typer.Argument(help="The new plan.")],
    *,
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Change a tenant's plan. Takes effect immediately."""
    _change(tenant, TenantChange(plan=plan), data=data, stack=stack, as_json=as_json)


@tenants.command("disable")
def disable(
    tenant: TenantArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """Disable a tenant: its keys are rejected, and no crawls are started for it. Running crawls continue."""
    _change(tenant, TenantChange(disabled=True), data=data, stack=stack, as_json=as_json)


@tenants.command("enable")
def enable(
    tenant: TenantArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """Enable a disabled tenant."""
    _change(tenant, TenantChange(disabled=False), data=data, stack=stack, as_json=as_json)


@tenants.command("budget")
def set_budget(
    tenant: TenantArgument,
    usd: Annotated[float, typer.Argument(min=0.0, max=MOST_USD, help="US dollars per month; 0 = no limit.")],
    *,
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Limit what a tenant's crawls may cost in a month. A data folder has no costs, and no such limit."""
    with administered_or_explained(data, stack) as found:
        if usd:
            require_costs(found.settings)
        row = _changed(found, tenant, TenantChange(budget_usd_a_month=usd))
    _show([_tenant(row)], as_json=as_json)


@tenants.command("usage")
def usage(
    tenant: TenantArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """Show a tenant's usage in the current month, and its limits."""
    with administered_or_explained(data, stack) as found:
        used = usage_of(
            tenant,
            tenants=found.tenants,
            spending=found.spending,
            own=found.own_tenant,
            now=found.clock.now(),
        )
    values = {
        "tenant": used.tenant,
        "plan": used.plan.value,
        "month": used.month,
        "crawls": used.crawls,
        "crawls_a_month": used.crawls_a_month,
        "max_pages": used.max_pages,
        "max_tries": used.max_tries,
        "max_requests": used.max_requests,
        "budget_usd": used.budget_usd,
        "spent_usd": round(used.spent_usd, 6),
        "budget_usd_a_month": used.budget_usd_a_month,
        "max_sites": used.max_sites,
        "max_list_urls": used.max_list_urls,
        "resets_at": _time(used.resets_at),
    }
    _show([values], as_json=as_json)


@keys.command("create")
def create_one(
    tenant: TenantArgument,
    *,
    role: Annotated[
        Role,
        typer.Option(help="Role of the key. read: read data. tenant: also change data. admin: also manage tenants."),
    ] = Role.TENANT,
    name: Annotated[str, typer.Option(help="Display name, such as the key's purpose.")] = "key",
    days: Annotated[float, typer.Option(min=0.0, help="Days until the key expires; 0 = never.")] = 0.0,
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create an API key for a tenant and print it. It cannot be shown again."""
    with administered_or_explained(data, stack) as found:
        tenant_of(tenant, tenants=found.tenants, own=found.own_tenant)
        now = found.clock.now()
        end = now + days * _DAY if days else 0.0
        new = create_key(tenant, role=role, name=name, keys=found.keys, now=now, expires_at=end)
    _show_new(new, _where(data, stack), as_json=as_json)


@keys.command("list")
def list_keys(
    tenant: TenantArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """List a tenant's keys, including expired and revoked ones. The secrets are not stored and cannot be shown."""
    with administered_or_explained(data, stack) as found:
        tenant_of(tenant, tenants=found.tenants, own=found.own_tenant)
        rows = found.keys.of_tenant(tenant)
        now = found.clock.now()
    _show([_key(row, now) for row in rows], as_json=as_json)


@keys.command("rotate")
def rotate(
    tenant: TenantArgument,
    key: KeyArgument,
    *,
    grace: Annotated[float, typer.Option(help="Hours until the old key expires, from 0 to 720.")] = GRACE / _HOUR,
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Create a key with the role and name of an old one, and print it. It cannot be shown again.

    The old key expires after the grace period, 24 hours by default.
    """
    with administered_or_explained(data, stack) as found:
        new = rotate_key(tenant, key, keys=found.keys, now=found.clock.now(), grace=grace * _HOUR)
    _show_new(new, _where(data, stack), as_json=as_json)


@keys.command("revoke")
def revoke(tenant: TenantArgument, key: KeyArgument, *, data: DataOption = DATA, stack: StackOption = None) -> None:
    """Revoke a key. Takes effect immediately."""
    with administered_or_explained(data, stack) as found:
        revoke_key(tenant, key, keys=found.keys, now=found.clock.now())
    err.print(f"revoked key {key} of tenant {tenant} in {_where(data, stack)}")


def _where(data: Path, stack: str | None) -> str:
    return shown_folder(data) if stack is None else plain(f"stack {stack}")


def _change(tenant: str, change: TenantChange, *, data: Path, stack: str | None, as_json: bool) -> None:
    with administered_or_explained(data, stack) as found:
        row = _changed(found, tenant, change)
    _show([_tenant(row)], as_json=as_json)


def _changed(found: Administration, tenant: str, change: TenantChange) -> TenantRow:
    return change_tenant(tenant, change, tenants=found.tenants, own=found.own_tenant, now=found.clock.now())


def _tenant(row: TenantRow) -> dict[str, object]:
    return {
        "tenant": row.tenant,
        "name": row.name,
        "plan": row.plan.value,
        "max_pages": row.settings.max_pages,
        "disabled": row.disabled,
        "budget_usd_a_month": row.budget_usd_a_month,
        "created_at": _time(row.created_at),
    }


def _key(row: ApiKeyRow, now: float) -> dict[str, object]:
    return {
        "key": row.id,
        "name": row.name,
        "role": row.role.value,
        "created_at": _time(row.created_at),
        "last_used_at": _time(row.last_used_at),
        "expires_at": _time(row.expires_at),
        "ended": row.has_ended(now),
    }


def _show_new(new: NewKey, where: str, *, as_json: bool) -> None:
    values = {"key": new.row.id, "role": new.row.role.value, "secret": new.secret}
    write_line(json.dumps(values) if as_json else new.secret)
    err.print(
        f"created key {new.row.id} of tenant {new.row.tenant}, role {new.row.role.value}, in {where}; "
        "store it now, it cannot be shown again"
    )


def _show(rows: Sequence[Mapping[str, object]], *, as_json: bool) -> None:
    if as_json:
        for row in rows:
            write_line(json.dumps(row))
        return
    from rich.table import Table  # noqa: PLC0415 - rich is slow to load

    table = Table(box=None, header_style="bold")
    for name in rows[0] if rows else ():
        table.add_column(name)
    for row in rows:
        table.add_row(*("" if value is None else str(value).replace("[", r"\[") for value in row.values()))
    out.print(table)


def _time(moment: float) -> str | None:
    return f"{datetime.fromtimestamp(moment, tz=UTC):%Y-%m-%dT%H:%M:%SZ}" if moment else None
