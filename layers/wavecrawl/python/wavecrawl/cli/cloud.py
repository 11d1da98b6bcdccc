"""Commands for operators of a deployed stack: `wavecrawl redrive`."""

from typing import Annotated

import typer

from wavecrawl.cli.console import errors_explained, out
from wavecrawl.domain.counts import counted

_EVERYTHING = 1_000_000


def redrive(
    *,
    stack: Annotated[str, typer.Option(help="Name of the deployed CloudFormation stack.")] = "wavecrawl",
    most: Annotated[int, typer.Option(min=1, help="Maximum number of messages to move.")] = _EVERYTHING,
) -> None:
    """Retry failed batches of a deployment in AWS, after the cause is fixed.

    Moves their messages from the dead-letter queues back to the queues of the workers.

    Earlier attempts no longer count. Workers ignore batches of crawls that have ended.
    """
    with errors_explained():
        from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - needs boto3

        found = deployment(stack)
        from wavecrawl.adapters.aws.batches import DynamoBatches  # noqa: PLC0415 - the same
        from wavecrawl.adapters.aws.redrive import redrive as move_back  # noqa: PLC0415 - the same
        from wavecrawl.adapters.aws.table import Table  # noqa: PLC0415 - the same

        batches, sqs = DynamoBatches(Table(found.client("dynamodb"), found.output("TableName"))), found.client("sqs")
        moved = 0
        for kind in [kind for kind in ("Fetch", "Render", "Media") if f"{kind}DlqUrl" in found.outputs]:
            dead, queue = found.output(f"{kind}DlqUrl"), found.output(f"{kind}QueueUrl")
            moved += move_back(sqs, batches, dead=dead, queue=queue, most=most - moved)
        out.print(f"{counted(moved, 'message')} moved back" if moved else "the dead-letter queues are empty")
