"""What the commands of `wavecrawl admin` share: the options that choose an installation, and its ports."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from wavecrawl.bootstrap.administration import Administration, administered
from wavecrawl.cli.console import errors_explained
from wavecrawl.cli.data_folder import existing

StackOption = Annotated[
    str | None,
    typer.Option(
        "--stack",
        help="Name of a deployed CloudFormation stack. The command then works on that stack in AWS, and --data is "
        "ignored.",
    ),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one line of JSON per result.")]


@contextmanager
def administered_or_explained(data: Path, stack: str | None) -> Iterator[Administration]:
    """Yield the ports of a stack or of an existing data folder; print errors."""
    with errors_explained():
        if stack is None:
            existing(data)
        with administered(data=data, stack=stack) as found:
            yield found
