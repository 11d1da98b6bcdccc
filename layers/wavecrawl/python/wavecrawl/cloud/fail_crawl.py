"""The function fail_crawl: called by the state machine, or by EventBridge if an execution was stopped or timed out.

Source: https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
"""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from wavecrawl.application import fail_crawl as use_case
from wavecrawl.application.shown_errors import shown_reason
from wavecrawl.bootstrap.cloud import Cloud
from wavecrawl.cloud.step_input import OpenTask, task_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError
from wavecrawl.ports.crawls import CrawlRow

_LONGEST = 1_000  # characters of a reason that are stored


class FailedCrawl(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl that failed, and why."""

    crawl: CrawlId
    error: str  # for the tenant
    reason: str  # for the operator's log; may name resources of the deployment
    run: int  # resumes of the crawl when the execution was started


def failed_crawl(event: Mapping[str, Any]) -> FailedCrawl:
    """Return the crawl and the reason that either event holds; raise InvalidInputError if it holds none."""
    detail = event.get("detail")
    if isinstance(detail, dict):
        input_, error, cause = _input_of(detail), detail.get("error") or detail.get("status"), detail.get("cause")
    else:
        caught = event.get("error") or {}
        input_, error, cause = event, caught.get("Error"), _message_of(caught.get("Cause"))
    reason = ": ".join(str(part) for part in (error, cause) if part) or "failed"
    task = task_of(input_, OpenTask)
    shown = shown_reason(str(error or ""), str(cause or ""))
    return FailedCrawl(crawl=task.crawl, error=shown[:_LONGEST], reason=reason[:_LONGEST], run=task.run)


def fail_crawl(cloud: Cloud, failed: FailedCrawl) -> tuple[CrawlRow, bool]:
    """Mark the crawl failed, unless it has ended, and start the next one of its tenant's queue.

    Return the crawl, and whether its end was published now. An execution may end after the crawl was resumed: then
    nothing changes.
    """
    crawl = cloud.crawls.read(failed.crawl)
    if crawl is not None and failed.run != crawl.resumes:
        return crawl, False
    ended = use_case.fail_crawl(
        failed.crawl,
        cloud,
        error=failed.error,
        pages=lambda: cloud.waves.progress(failed.crawl).fetched,
    )
    cloud.launcher.launch(failed.crawl)
    return ended


def _input_of(detail: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        input_ = json.loads(detail.get("input") or "")
    except ValueError as error:
        raise InvalidInputError("the event does not hold the execution's input") from error
    return input_ if isinstance(input_, dict) else {}


def _message_of(cause: object) -> str:
    """Return the error message of a function, or why a Fargate task stopped.

    Both causes are JSON. A function's has a stack trace, which belongs in the log only. A task's is the task as
    https://docs.aws.amazon.com/AmazonECS/latest/APIReference/API_Task.html describes it, with names in PascalCase.
    """
    try:
        failure = json.loads(str(cause or ""))
    except ValueError:
        return str(cause or "")
    if not isinstance(failure, dict):
        return str(cause)
    if "StoppedReason" not in failure:
        return str(failure.get("errorMessage", ""))
    containers = [one for one in failure.get("Containers") or () if isinstance(one, dict)]
    reasons = [failure["StoppedReason"], *(one.get("Reason") for one in containers)]
    reasons += [f"exit code {one['ExitCode']}" for one in containers if one.get("ExitCode")]
    return ", ".join(str(reason) for reason in reasons if reason)
