"""Whose failure `fail_crawl` is told of: by the state machine itself, or by EventBridge of one that was stopped.

Source: https://docs.aws.amazon.com/step-functions/latest/dg/eventbridge-integration.html
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from wavecrawl.cloud.step_input import CrawlTask, task_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.errors import InvalidInputError

_LONGEST = 1_000  # characters of a cause that are kept


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCrawl:
    """A crawl that ended otherwise than by finishing, and why."""

    crawl: CrawlId
    error: str


def failed_crawl(event: Mapping[str, Any]) -> FailedCrawl:
    """Return the crawl and the reason of either event; raise InvalidInputError where it is neither."""
    detail = event.get("detail")
    if isinstance(detail, dict):
        told, error, cause = _input_of(detail), detail.get("error") or detail.get("status"), detail.get("cause")
    else:
        caught = event.get("error") or {}
        told, error, cause = event, caught.get("Error"), _message_of(caught.get("Cause"))
    reason = ": ".join(str(part) for part in (error or "failed", cause) if part)
    return FailedCrawl(crawl=task_of(told, CrawlTask).crawl, error=reason[:_LONGEST])


def _input_of(detail: Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        told = json.loads(detail.get("input") or "")
    except ValueError as error:
        raise InvalidInputError("the event does not hold the execution's input") from error
    return told if isinstance(told, dict) else {}


def _message_of(cause: object) -> str:
    """Return what a function said: its cause is JSON, and holds a stack trace that belongs into the log alone."""
    try:
        said = json.loads(str(cause or ""))
    except ValueError:
        return str(cause or "")
    return str(said.get("errorMessage", "")) if isinstance(said, dict) else str(cause)
