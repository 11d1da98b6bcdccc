"""`wavecrawl admin controls`: what the operator forbids for all tenants, on one machine or in AWS."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from wavecrawl.application.crawl_settings import require_costs
from wavecrawl.application.operator_controls import change_controls
from wavecrawl.cli.administered import JsonOption, StackOption, administered_or_explained
from wavecrawl.cli.console import write_line
from wavecrawl.cli.data_folder import DATA, DataOption
from wavecrawl.domain.tenants.limits import MOST_USD
from wavecrawl.domain.tenants.months import month_of
from wavecrawl.domain.tenants.operator_controls import OperatorControls

controls = typer.Typer(
    help="Stop all crawls, deny requests to hosts, limit the costs of a month: for all tenants.", no_args_is_help=True
)
HostsArgument = Annotated[list[str], typer.Argument(help="Host names, each with all hosts below it, or addresses.")]


@controls.command("show")
def show(*, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False) -> None:
    """Show the controls, and what all crawls have cost this month."""
    _change(lambda old: old, data=data, stack=stack, as_json=as_json)


@controls.command("stop")
def stop(*, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False) -> None:
    """Stop all crawls: none starts, and running ones are cancelled at their next wave. They can be resumed later."""
    _change(lambda old: _replaced(old, stopped=True), data=data, stack=stack, as_json=as_json)


@controls.command("start")
def start(*, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False) -> None:
    """Allow crawls again, after `stop`."""
    _change(lambda old: _replaced(old, stopped=False), data=data, stack=stack, as_json=as_json)


@controls.command("deny")
def deny(
    hosts: HostsArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """Deny requests to hosts. Takes effect within a minute, also in crawls that are running."""
    _change(lambda old: old.deny(hosts), data=data, stack=stack, as_json=as_json)


@controls.command("allow")
def allow(
    hosts: HostsArgument, *, data: DataOption = DATA, stack: StackOption = None, as_json: JsonOption = False
) -> None:
    """Remove hosts from the deny list."""
    _change(lambda old: old.allow(hosts), data=data, stack=stack, as_json=as_json)


@controls.command("budget")
def budget(
    usd: Annotated[float, typer.Argument(min=0.0, max=MOST_USD, help="US dollars per month; 0 = no limit.")],
    *,
    data: DataOption = DATA,
    stack: StackOption = None,
    as_json: JsonOption = False,
) -> None:
    """Limit what all crawls of a deployment may cost in a month. A data folder has no costs, and no such limit."""
    _change(
        lambda old: _replaced(old, budget_usd_a_month=usd or None),
        data=data,
        stack=stack,
        as_json=as_json,
        is_cost=bool(usd),
    )


def _replaced(controls: OperatorControls, **values: bool | float | None) -> OperatorControls:
    return replace(controls, **values)


def _change(
    change: Callable[[OperatorControls], OperatorControls],
    *,
    data: Path,
    stack: str | None,
    as_json: bool,
    is_cost: bool = False,
) -> None:
    with administered_or_explained(data, stack) as found:
        if is_cost:
            require_costs(found.settings)
        old = found.controls.read()
        now = old if change(old) == old else change_controls(change, found.controls)
        spent = found.spending.spent(month_of(found.clock.now()))
    values = {
        "stopped": now.stopped,
        "denied_hosts": list(now.denied_hosts),
        "budget_usd_a_month": now.budget_usd_a_month,
        "spent_usd": round(spent, 6),
    }
    if as_json:
        write_line(json.dumps(values))
        return
    for name, value in values.items():
        shown = ", ".join(value) if isinstance(value, list) else value
        write_line(f"{name}: {'none' if shown in (None, '') else shown}")
