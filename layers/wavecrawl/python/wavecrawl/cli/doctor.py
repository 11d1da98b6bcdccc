"""`wavecrawl doctor`: check this machine, or a deployed stack."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import asdict

from wavecrawl.application.finding import Finding
from wavecrawl.cli.console import Exit, err, errors_explained, out, plain, write_line
from wavecrawl.cli.data_folder import DATA
from wavecrawl.domain.counts import counted
from wavecrawl.errors import WavecrawlError

STACK = "wavecrawl"


def doctor(
    *,
    data: Annotated[Path, typer.Option(help="Folder of the crawls, whose disk is checked.")] = DATA,
    contact: Annotated[
        str,
        typer.Option(
            help="URL or e-mail address in the User-Agent, for owners of crawled sites.", envvar="WAVECRAWL_CONTACT"
        ),
    ] = "",
    stack: Annotated[
        str,
        typer.Option(help=f"Check this deployed CloudFormation stack. With --url or --crawl, the default is {STACK}."),
    ] = "",
    url: Annotated[str, typer.Option(help="URL of the API, such as that of its own domain. Default: ApiUrl.")] = "",
    crawl: Annotated[
        bool,
        typer.Option("--crawl", help="Also crawl the check site that the API serves, with all functions. Minutes."),
    ] = False,
    site_url: Annotated[
        str, typer.Option(help="URL at which the functions reach the API, for --crawl. Default: that of --url.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print one line of JSON per check.")] = False,
) -> None:
    """Check this machine, or with --stack a deployment in AWS. Each line says what is missing and how to get it.

    On this machine: the contact, the browser, the disk, the time zones, and whether there are AWS credentials. In AWS:
    the credentials, the stack, who is notified of alarms, the API, its keys and its signatures. No crawl is started
    without --crawl. With it, the functions do their work once, and what was stored is deleted again.

    The exit code is 1 if a check failed. Lines with "missing" do not count: crawls work without.
    """
    failed, missing = 0, 0
    stack = stack or (STACK if url or crawl else "")
    with errors_explained():
        for finding in _deployment(stack, url, site_url, crawl=crawl) if stack else _machine(data, contact):
            failed += bool(finding.problem) and not finding.optional
            missing += bool(finding.problem) and finding.optional
            _show(finding, as_json=as_json)
    if failed:
        err.print(f"[red]{counted(failed, 'check')} failed[/]")
        raise typer.Exit(Exit.NEGATIVE)
    err.print(f"no check failed; {missing} optional missing" if missing else "all checks passed")


def _machine(data: Path, contact: str) -> Iterator[Finding]:
    from wavecrawl.bootstrap.machine_checks import machine_findings  # noqa: PLC0415 - loaded for this command only

    return machine_findings(data=data, contact=contact)


def _deployment(stack: str, url: str, site_url: str, *, crawl: bool) -> Iterator[Finding]:
    from wavecrawl.adapters.aws.deployment import aws_session, credentials_finding, deployment  # noqa: PLC0415

    session = aws_session()
    credentials = credentials_finding(session)
    yield credentials
    if credentials.problem:
        return
    found = deployment(stack, session=session)
    yield found.finding
    from wavecrawl.adapters.aws.deployed_alarms import alarms_finding  # noqa: PLC0415 - these need botocore
    from wavecrawl.adapters.aws.deployed_api import DeployedApi, secrets_of  # noqa: PLC0415 - as above
    from wavecrawl.adapters.aws.deployed_crawl import CheckCrawl  # noqa: PLC0415 - as above
    from wavecrawl.adapters.aws.deployed_fonts import fonts_finding  # noqa: PLC0415 - as above

    yield alarms_finding(found)
    yield fonts_finding(found)
    try:
        secrets = secrets_of(found)
    except WavecrawlError as error:
        yield Finding(check="keys", problem=str(error))
        return
    api = DeployedApi(url=(url or found.output("ApiUrl")).rstrip("/"), secrets=secrets)
    yield from api.findings()
    if crawl:
        yield from CheckCrawl(deployment=found, api=api, site=site_url.rstrip("/") or api.url).findings()


def _show(finding: Finding, *, as_json: bool) -> None:
    if as_json:
        write_line(json.dumps({"check": finding.check, "ok": not finding.problem, **asdict(finding)}))
    elif finding.problem and finding.optional:
        out.print(f"[yellow]missing[/] {plain(finding.check)} (optional): {plain(finding.problem)}")
    elif finding.problem:
        out.print(f"[red]FAILED[/]  {plain(finding.check)}: {plain(finding.problem)}")
    else:
        out.print(f"[green]ok[/]      {plain(finding.check)}: {plain(finding.detail)}")
