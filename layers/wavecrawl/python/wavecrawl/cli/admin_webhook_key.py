"""`wavecrawl admin webhook-key`: replace the key of the webhooks' secrets in AWS. A data folder has no such key."""

import json
from typing import TYPE_CHECKING, Annotated

import typer

from wavecrawl.adapters.clock import SystemClock
from wavecrawl.cli.administered import JsonOption
from wavecrawl.cli.console import err, errors_explained, plain, write_line

if TYPE_CHECKING:
    from wavecrawl.adapters.aws.deployment import Deployment
    from wavecrawl.adapters.aws.webhook_key import WebhookKey

webhook_key = typer.Typer(
    help="Replace the key that encrypts the secrets of webhooks in AWS: first `rotate`, ten minutes later `reseal`.",
    no_args_is_help=True,
)
RequiredStack = Annotated[str, typer.Option("--stack", help="Name of the deployed CloudFormation stack.")]


@webhook_key.command("rotate")
def rotate(*, stack: RequiredStack, as_json: JsonOption = False) -> None:
    """Make a new key. Secrets that the previous key encrypted stay readable until `reseal`."""
    with errors_explained():
        name = _key(_deployment(stack)).rotate()
    write_line(json.dumps({"key": name}) if as_json else f"new key: {name}")
    err.print("functions use it within ten minutes. Then run `wavecrawl admin webhook-key reseal`")


@webhook_key.command("reseal")
def reseal(*, stack: RequiredStack, as_json: JsonOption = False) -> None:
    """Encrypt all secrets with the new key, then drop the previous key. May be run again at any time."""
    with errors_explained():
        found = _deployment(stack)
        from wavecrawl.adapters.aws.table import Table  # noqa: PLC0415 - these need botocore
        from wavecrawl.adapters.aws.tenants import DynamoTenants  # noqa: PLC0415
        from wavecrawl.adapters.aws.webhook_key_rotation import reseal_all  # noqa: PLC0415
        from wavecrawl.adapters.aws.webhooks import DynamoWebhooks  # noqa: PLC0415

        key, table = _key(found), Table(found.client("dynamodb"), found.output("TableName"))
        done = reseal_all(key, DynamoWebhooks(table, key), DynamoTenants(table), own_tenant=found.output("Tenant"))
    for problem in done.unreadable:
        err.print(f"[yellow]warning:[/] {plain(problem)}")
    if as_json:
        write_line(json.dumps({"webhooks": done.webhooks, "unreadable": len(done.unreadable), "dropped": done.dropped}))
        return
    ended = "the previous key was dropped" if done.dropped else "there was no previous key"
    write_line(f"webhooks encrypted with the new key: {done.webhooks}; {ended}")


def _deployment(stack: str) -> "Deployment":
    from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - reports a missing boto3

    return deployment(stack)


def _key(found: "Deployment") -> "WebhookKey":
    from wavecrawl.adapters.aws.webhook_key import WebhookKey  # noqa: PLC0415 - needs botocore

    return WebhookKey(lambda: found.client("secretsmanager"), found.stack, SystemClock())
