# mypy: disable-error-code="attr-defined,method-assign,assignment,import-not-found"
"""Faults for functions of the deployment: `faults.handler` stands before the real handler, and breaks it by plan.

Runs inside the emulator's Lambda, put there by tests; the product knows nothing of it. A plan is a folder: a file
`<kind>` holds how many chances to break are let pass first; what struck leaves `<kind>.struck` behind, once.
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
    4  # of throttled tables and failing buckets: fewer than a client's attempts, so that one call can live
)


def chance(kind: str, *, times: int = 1) -> bool:
    """Tell whether this chance is the one at which `kind` strikes; with `times`, those after it strike as well."""
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
    """End like a process that is out of memory, or whose machine is gone: nothing is tidied up."""
    os._exit(1)


def after(owner: type, name: str, then: Callable[..., None]) -> None:
    """Call `then(result, *arguments)` whenever a method of a class has returned."""
    method = getattr(owner, name)

    @wraps(method)
    def wrapped(*arguments: Any, **options: Any) -> Any:
        result = method(*arguments, **options)
        then(result, *arguments)
        return result

    setattr(owner, name, wrapped)


def kill_if(kind: str) -> Callable[..., None]:
    """Return what ends the process when its chance has come; a method that said no is no chance."""

    def then(result: object, *_: object) -> None:
        if result is not False and chance(kind):
            die()

    return then


after(DynamoClaims, "claim", kill_if("killed after claim"))
after(PageFetcher, "fetch", kill_if("killed after fetch"))
after(S3BatchArchive, "commit", kill_if("killed after archive write"))
after(DynamoBatches, "complete", kill_if("killed after completion"))

_fetch, _dispatch = PageFetcher.fetch, Dispatcher.dispatch
_send, _request = SqsJobQueue.send, Endpoint._send  # below the retries


def fetch(self: PageFetcher, item: Any, memory: Any, **options: Any) -> Any:
    """A page that nobody survives: the file `poison` names it."""
    poison = PLAN / "poison"
    if poison.exists() and item.url.endswith(poison.read_text(encoding="ascii")):
        die()
    return _fetch(self, item, memory, **options)


def dispatch(self: Dispatcher, *arguments: Any, **options: Any) -> Any:
    """The planner dies with its snapshot stored and nothing dispatched."""
    if chance("planner killed after snapshot"):
        die()
    return _dispatch(self, *arguments, **options)


def send(self: SqsJobQueue, jobs: Any) -> None:
    """A message is lost, or comes twice."""
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
    """The table is throttled, or the bucket fails, some times in a row."""
    service = self._endpoint_prefix
    if service == "dynamodb" and chance("table throttled", times=ERRORS_IN_A_ROW):
        return _answer(prepared.url, 400, b'{"__type": "dynamodb#ProvisionedThroughputExceededException"}')
    if service == "s3" and chance("bucket failing", times=ERRORS_IN_A_ROW):
        return _answer(prepared.url, 503, b"<Error><Code>SlowDown</Code><Message>slow</Message></Error>")
    return _request(self, prepared)


PageFetcher.fetch, Dispatcher.dispatch = fetch, dispatch
SqsJobQueue.send, Endpoint._send = send, request


def handler(event: Any, context: Any) -> Any:
    """Run the real handler, now breakable."""
    return real_handler(event, context)
