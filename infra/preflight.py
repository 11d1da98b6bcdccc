"""Checks before a deployment: `python -m infra.preflight [--without-contact] [options of cdk deploy]`.

They change nothing in the account. They keep two values in infra/cdk.json: an address for alarms, which they ask for,
and the digest of the task's image, from its registry. The exit code is 1 if a check failed, so that `make deploy`
stops before it builds anything.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from layers.byte_code import MISSING, lambda_compiler
from msgspec.structs import replace

from infra.command_line import Options, options, run, save
from infra.config import AlarmSet
from infra.task_image import pinned
from wavecrawl.adapters.aws.deployment import deployment
from wavecrawl.adapters.aws.operator_errors import explained
from wavecrawl.errors import ForbiddenError, NotFoundError, WavecrawlError

WITHOUT_CONTACT: Final = "--without-contact"

LOWEST_BOOTSTRAP: Final = 6
"""The version of `cdk bootstrap` that the template requires (its parameter BootstrapVersion)."""

_QUOTAS: Final = "docs/operations.md#quotas"


class Verdict(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found, and what to do about it."""

    check: str
    text: str
    verdict: Verdict = Verdict.OK


def findings(given: Options, *, without_contact: bool) -> Iterator[Finding]:
    """Yield the result of each check. Without credentials there is only one."""
    yield _contact(given, without_contact=without_contact)
    yield _alarms(given)
    yield _task_image(given)
    try:
        yield from _account(given)
    except WavecrawlError as error:
        yield Finding(check="credentials", text=str(error), verdict=Verdict.FAILED)
        return
    yield _bootstrap(given)
    yield from _concurrency(given)
    yield _byte_code()


def _contact(given: Options, *, without_contact: bool) -> Finding:
    contact = given.config.contact
    if contact:
        return Finding(check="contact", text=contact)
    missing = "not set, so owners of crawled sites cannot reach you"
    if without_contact:
        return Finding(check="contact", text=missing, verdict=Verdict.WARNING)
    command = 'make deploy ARGS="-c contact=https://example.com/crawler"'
    override = f"make deploy PREFLIGHT={WITHOUT_CONTACT}"
    text = f"{missing}. Set it: {command}. To deploy without it, for your own sites only: {override}"
    return Finding(check="contact", text=text, verdict=Verdict.FAILED)


def _alarms(given: Options) -> Finding:
    config = given.config
    if config.alarms is AlarmSet.NONE:
        return Finding(check="alarms", text="off (alarms=none)")
    if config.alarm_email:
        return Finding(check="alarms", text=f"sent to {config.alarm_email}, once its owner has confirmed that")
    text = (
        "alarm_email is not set, so no alarm is sent if crawls fail, users wait or money is spent."
        " Add -c alarm_email=ops@example.com, or set it in infra/cdk.json"
    )
    return Finding(check="alarms", text=text, verdict=Verdict.WARNING)


def _task_image(given: Options) -> Finding:
    image = given.config.task_image
    if not given.config.large_crawls:
        return Finding(check="task_image", text="none (large_crawls=false)")
    if "@" in image:
        return Finding(check="task_image", text=image)
    text = (
        f"{image} is named by its tag, which can be given to another image at any time."
        " Once its registry can be reached, `make task-image` pins it to its digest in infra/cdk.json"
    )
    return Finding(check="task_image", text=text, verdict=Verdict.WARNING)


def ask_for_address(given: Options) -> Options:
    """Ask for the address for alarms if there is none and someone can answer; keep it in infra/cdk.json.

    `-c alarm_email=` says that there shall be none.
    """
    config = given.config
    is_set = config.alarm_email or "alarm_email" in given.passed or config.alarms is AlarmSet.NONE
    if is_set or not sys.stdin.isatty():
        return given
    while answer := input("e-mail address for alarms (empty = no alarm is sent): ").strip():
        if "@" not in answer:
            sys.stderr.write(f"not an e-mail address: {answer}\n")
            continue
        save("alarm_email", answer)
        sys.stderr.write("kept in infra/cdk.json\n")
        return replace(given, config=replace(config, alarm_email=answer))
    return given


def pin_image(given: Options) -> Options:
    """Keep the digest of the task's image in infra/cdk.json, unless there is one or the image is passed.

    If the registry does not say it, the image keeps its tag: a deployment does not need a digest.
    """
    config = given.config
    if not config.large_crawls or "@" in config.task_image or "task_image" in given.passed:
        return given
    try:
        image = pinned(config.task_image)
    except WavecrawlError as error:
        sys.stderr.write(f"the image of the Fargate task keeps its tag: {error}\n")
        return given
    save("task_image", image)
    sys.stderr.write(f"task_image {image}, kept in infra/cdk.json\n")
    return replace(given, config=replace(config, task_image=image))


def _account(given: Options) -> Iterator[Finding]:
    with explained("reading the caller's identity"):
        caller = given.session.client("sts").get_caller_identity()
    yield Finding(check="credentials", text=f"account {caller['Account']}, {caller['Arn']}")
    yield Finding(check="region", text=given.session.region_name)


def _bootstrap(given: Options) -> Finding:
    name = f"/cdk-bootstrap/{given.qualifier}/version"
    try:
        with explained(f"reading parameter {name}"):
            parameters = given.session.client("ssm").get_parameters(Names=[name])["Parameters"]
    except ForbiddenError as error:
        return Finding(check="bootstrap", text=f"could not be checked: {error}", verdict=Verdict.WARNING)
    command = "(cd infra && node_modules/.bin/cdk bootstrap), once per account and region"
    if not parameters:
        return Finding(check="bootstrap", text=f"missing. Run {command}", verdict=Verdict.FAILED)
    version = int(parameters[0]["Value"])
    if version < LOWEST_BOOTSTRAP:
        text = f"version {version} is too old, {LOWEST_BOOTSTRAP} is needed. Run {command}"
        return Finding(check="bootstrap", text=text, verdict=Verdict.FAILED)
    return Finding(check="bootstrap", text=f"version {version}")


def _concurrency(given: Options) -> Iterator[Finding]:
    try:
        with explained("reading the account's Lambda settings"):
            limits = given.session.client("lambda").get_account_settings()["AccountLimit"]
    except ForbiddenError as error:
        yield Finding(check="concurrency", text=f"could not be checked: {error}", verdict=Verdict.WARNING)
        return
    free = limits["UnreservedConcurrentExecutions"] + _reserved(given)  # not reserved by functions of others
    counted, division = given.config.account_concurrency, given.config.concurrency
    if free < counted:
        text = (
            f"account_concurrency is {counted:,}, but the account has {free:,} that other functions do not reserve."
            f" Add -c account_concurrency={free}, or request a higher quota ({_QUOTAS})"
        )
        yield Finding(check="concurrency", text=text, verdict=Verdict.FAILED)
        return
    reserved = sum(division.reserved().values())
    text = f"the account has {free:,}; workers may use {division.workers:,}, and functions reserve {reserved:,}"
    if free > counted and not reserved:
        text = f"{text}. For more workers, add -c account_concurrency={free} ({_QUOTAS})"
    yield Finding(check="concurrency", text=text)


def _byte_code() -> Finding:
    compiler = lambda_compiler()
    if compiler is None:
        return Finding(check="byte_code", text=MISSING, verdict=Verdict.WARNING)
    return Finding(check="byte_code", text=f"compiled by Python {compiler.version.partition(' ')[0]}")


def _reserved(given: Options) -> int:
    """Return what the functions of the existing stack reserve, 0 if there is no stack."""
    try:
        names = deployment(given.config.stack_name, session=given.session).output("FunctionNames").split(",")
    except (ForbiddenError, NotFoundError):
        return 0
    client = given.session.client("lambda")
    with explained("reading the concurrency of functions"):
        answers = [client.get_function_concurrency(FunctionName=name) for name in names]
    return sum(answer.get("ReservedConcurrentExecutions", 0) for answer in answers)


def preflight(arguments: Sequence[str]) -> int:
    """Print the findings. Return 1 if a check failed, else 0."""
    failed = 0
    given = pin_image(ask_for_address(options(arguments)))
    for finding in findings(given, without_contact=WITHOUT_CONTACT in arguments):
        failed += finding.verdict is Verdict.FAILED
        sys.stderr.write(f"{finding.verdict:<8} {finding.check}: {finding.text}\n")
    if failed:
        sys.stderr.write("not deployed: correct what failed, then run the command again (docs/aws.md)\n")
    return min(failed, 1)


if __name__ == "__main__":
    run(preflight)
