"""`wavecrawl doctor`: check a deployed stack."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wavecrawl.cli.console import Exit, err, errors_explained, out, plain, write_line
from wavecrawl.errors import WavecrawlError

if TYPE_CHECKING:
    from wavecrawl.adapters.aws.deployed_functions import Finding


def doctor(
    *,
    stack: Annotated[str, typer.Option(help="Name of the deployed CloudFormation stack.")] = "wavecrawl",
    url: Annotated[str, typer.Option(help="URL of the API, such as that of its own domain. Default: ApiUrl.")] = "",
    crawl: Annotated[str, typer.Option(help="Also crawl this URL: one page, started by a signed message.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per check.")] = False,
) -> None:
    """Check a deployment in AWS: every function with its stores, the API, its keys and its signatures.

    Each function runs its self-test. No crawl is started without --crawl.

    The exit code is 1 if a check failed.
    """
    failed = 0
    with errors_explained():
        for finding in _findings(stack, url.rstrip("/"), crawl):
            failed += bool(finding.problem)
            _show(finding, as_json=as_json)
    if failed:
        err.print(f"[red]{failed} {'check' if failed == 1 else 'checks'} failed[/]")
        raise typer.Exit(Exit.NEGATIVE)
    err.print("all checks passed")


def _findings(stack: str, url: str, crawl: str) -> "Iterator[Finding]":
    from wavecrawl.adapters.aws.deployment import deployment  # noqa: PLC0415 - reports a missing boto3

    found = deployment(stack)
    from wavecrawl.adapters.aws.deployed_api import DeployedApi, secrets_of  # noqa: PLC0415 - these need botocore
    from wavecrawl.adapters.aws.deployed_functions import (  # noqa: PLC0415
        Finding,
        function_findings,
        stack_finding,
    )
    from wavecrawl.cloud.self_test import SELF_TEST  # noqa: PLC0415

    yield stack_finding(found)
    yield from function_findings(found, SELF_TEST)
    try:
        secrets = secrets_of(found)
    except WavecrawlError as error:
        yield Finding(check="keys", problem=str(error))
        return
    api = DeployedApi(url=url or found.output("ApiUrl"), secrets=secrets)
    yield from api.findings()
    if crawl:
        yield api.crawl_finding(crawl)


def _show(finding: "Finding", *, as_json: bool) -> None:
    if as_json:
        line = {"check": finding.check, "ok": not finding.problem, "problem": finding.problem, "detail": finding.detail}
        write_line(json.dumps(line))
    elif finding.problem:
        out.print(f"[red]FAILED[/]  {plain(finding.check)}: {plain(finding.problem)}")
    else:
        out.print(f"[green]ok[/]      {plain(finding.check)}: {plain(finding.detail)}")
