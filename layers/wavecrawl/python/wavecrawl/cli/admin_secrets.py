"""`wavecrawl admin webhook-secrets` and `admin qstash-keys`: secrets of messages that start crawls, on one machine."""

import json
import os
from typing import Annotated

import typer

from wavecrawl.adapters.embedded.message_secrets import MessageSecretFile, secret_name
from wavecrawl.cli.console import err, errors_explained, write_line
from wavecrawl.cli.data_folder import DATA, DataOption, existing, shown_folder
from wavecrawl.errors import InvalidInputError

_QSTASH_KEYS = ("QSTASH_CURRENT_SIGNING_KEY", "QSTASH_NEXT_SIGNING_KEY")  # as Upstash's console names them

webhook_secrets = typer.Typer(
    help="Manage the secrets of POST /webhooks/crawl of `wavecrawl serve`.", no_args_is_help=True
)
JsonOption = Annotated[bool, typer.Option("--json", help="Print one line of JSON per result.")]


@webhook_secrets.command("create")
def create(*, data: DataOption = DATA, as_json: JsonOption = False) -> None:
    """Create a webhook secret and print it. It cannot be shown again. Earlier secrets stay valid."""
    with errors_explained():
        secret = MessageSecretFile(existing(data)).create()
    write_line(json.dumps({"name": secret_name(secret), "secret": secret}) if as_json else secret)
    err.print(
        f"created webhook secret {secret_name(secret)} in {shown_folder(data)}; store it now, it cannot be shown again"
    )


@webhook_secrets.command("list")
def list_secrets(*, data: DataOption = DATA, as_json: JsonOption = False) -> None:
    """List the names of the webhook secrets, oldest first."""
    with errors_explained():
        names = [secret_name(secret) for secret in MessageSecretFile(existing(data)).read().webhook_secrets]
    for name in names:
        write_line(json.dumps({"name": name}) if as_json else name)


@webhook_secrets.command("delete")
def delete(
    name: Annotated[str, typer.Argument(help="Name of the secret, as listed by `webhook-secrets list`.")],
    *,
    data: DataOption = DATA,
) -> None:
    """Delete a webhook secret. Takes effect immediately."""
    with errors_explained():
        MessageSecretFile(existing(data)).delete(name)
    err.print(f"deleted webhook secret {name} in {shown_folder(data)}")


def set_qstash_keys(*, data: DataOption = DATA) -> None:
    """Store the signing keys of QStash for POST /webhooks/qstash of `wavecrawl serve`.

    They are read from the environment variables QSTASH_CURRENT_SIGNING_KEY and QSTASH_NEXT_SIGNING_KEY, as arguments of
    commands are visible to other users.
    """
    with errors_explained():
        missing = [name for name in _QSTASH_KEYS if not os.environ.get(name)]
        if missing:
            raise InvalidInputError(f"set the environment variables {', '.join(missing)}; QStash's console shows them")
        MessageSecretFile(existing(data)).set_qstash(*(os.environ[name] for name in _QSTASH_KEYS))
    err.print(f"stored the signing keys of QStash in {shown_folder(data)}")
