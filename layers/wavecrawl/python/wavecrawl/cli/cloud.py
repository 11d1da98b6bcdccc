"""Commands for whoever operates a deployed stack: `wavecrawl redrive`."""

from typing import Annotated

import typer

from wavecrawl.cli.console import errors_explained, out

_EVERYTHING = 1_000_000


def redrive(
    *,
    stack: Annotated[str, typer.Option(help="Name of the deployed stack.")] = "wavecrawl",
    most: Annotated[int, typer.Option(min=1, help="Move at most so many messages.")] = _EVERYTHING,
) -> None:
    """Bring batches back from the dead-letter queue to the workers, once what killed them is mended.

    Batches of crawls that have ended meanwhile are dropped by the worker that receives them.
    """
    with errors_explained():
        from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - loads boto3, or says that it is missing

        found = deployment(stack)
        from wavecrawl.adapters.aws.redrive import redrive as bring_back  # noqa: PLC0415 - needs botocore

        moved = bring_back(found.sqs, dead=found.output("FetchDlqUrl"), queue=found.output("FetchQueueUrl"), most=most)
        out.print(f"{moved:,} messages brought back" if moved else "the dead-letter queue is empty")
