# mypy: disable-error-code="attr-defined,method-assign,assignment,import-not-found"
"""Faults in deployed functions: `faults.handler` wraps the real handler and breaks it according to a plan.

It runs inside the emulator's Lambda; the product does not know of it. A plan is a folder. A file `<kind>` holds the
number of chances to let pass before the fault strikes. A fault that struck leaves `<kind>.struck`.
"""

import os
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.endpoint import Endpoint
from handler import handler as real_handler  # the function's own

from wavecrawl.adapters.aws.archive import S3BatchArchive
from wavecrawl.adapters.aws.batches import DynamoBatches
from wavecrawl.adapters.aws.claims import DynamoClaims
from wavecrawl.adapters.aws.queue import SqsJobQueue
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.application.fetch_page import PageFetcher

PLAN = Path(os.environ["WAVECRAWL_TEST_FAULTS"])
ERRORS_IN_A_ROW = (
    4  # failures in a row of a table or bucket: fewer than a client's attempts, so that a call can succeed
)


def chance(kind: str, *, times: int = 1) -> bool:
    """Return whether `kind` strikes at this chance. With `times`, it also strikes at the following ones."""
    try:
        wait = int((PLAN / kind).read_text(encoding="ascii"))
    except FileNotFoundError:
        return False
    for number in range(wait + times):
        try:
            (PLAN / f"{kind}.chance.{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        if number >= wait:
            (PLAN / f"{kind}.struck").touch()
        return number >= wait
    return False


def die() -> None:
    """End the process at once without clean-up, as if it ran out of memory or its machine failed."""
    os._exit(1)


def after(owner: type, name: str, then: Callable[..., None]) -> None:
    """Call `then(result, *arguments)` after each call of a method."""
    method = getattr(owner, name)

    @wraps(method)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        result = method(*arguments, **options)
        then(result, *arguments)
        return result

    setattr(owner, name, wrapped)


def kill_if(kind: str) -> Callable[..., None]:
    """Return a function that ends the process at its chance. A method that returned False or None is no chance."""

    def then(result: object, *_: object) -> None:
        if result is not False and chance(kind):
            die()

    return then


after(DynamoClaims, "claim", kill_if("killed after claim"))
after(PageFetcher, "fetch", kill_if("killed after fetch"))
after(S3BatchArchive, "commit", kill_if("killed after archive write"))
after(DynamoBatches, "complete", kill_if("killed after completion"))

_fetch, _dispatch = PageFetcher.fetch, Dispatcher.dispatch
_send, _request = SqsJobQueue.send, Endpoint._send  # below boto's retries


def fetch(self: PageFetcher, item: Any, **options: Any) -> Any:
    """Fetch a page; die if the file `poison` names it."""
    poison = PLAN / "poison"
    if poison.exists() and item.url.endswith(poison.read_text(encoding="ascii")):
        die()
    return _fetch(self, item, **options)


def dispatch(self: Dispatcher, *arguments: Any, **options: Any) -> Any:
    """Die after the snapshot is stored and before anything is dispatched."""
    if chance("planner killed after snapshot"):
        die()
    return _dispatch(self, *arguments, **options)


def send(self: SqsJobQueue, jobs: Any) -> None:
    """Lose a message, or send it twice."""
    kept = []
    for job in jobs:
        if not chance("message lost"):
            kept.append(job)
        if chance("message twice"):
            kept.append(job)
    _send(self, kept)


class _Body:
    def __init__(self, content: bytes) -> None:
        self._content = content

    def stream(self) -> Any:
        """Yield the content."""
        yield self._content


def _answer(url: str, status: int, body: bytes) -> AWSResponse:
    return AWSResponse(url, status, HTTPHeaders(), _Body(body))


def request(self: Endpoint, prepared: Any) -> Any:
    """Throttle the table or fail the bucket several times in a row."""
    service = self._endpoint_prefix
    if service == "dynamodb" and chance("table throttled", times=ERRORS_IN_A_ROW):
        return _answer(prepared.url, 400, b'{"__type": "dynamodb#ProvisionedThroughputExceededException"}')
    if service == "s3" and chance("bucket failing", times=ERRORS_IN_A_ROW):
        return _answer(prepared.url, 503, b"<Error><Code>SlowDown</Code><Message>slow</Message></Error>")
    return _request(self, prepared)


PageFetcher.fetch, Dispatcher.dispatch = fetch, dispatch
SqsJobQueue.send, Endpoint._send = send, request


def handler(event: Any, context: Any) -> Any:
    """Run the real handler with faults."""
    return real_handler(event, context)
