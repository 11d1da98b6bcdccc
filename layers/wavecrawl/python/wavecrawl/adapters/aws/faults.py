"""Errors of AWS, translated to errors of wavecrawl, and retries.

botocore does the standard retries (see clients.py). The retries here are for cases that botocore does not treat as
failures: unprocessed items of a batch, conflicting transactions, incomplete bodies.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    IncompleteReadError,
)
from botocore.exceptions import ConnectionError as BotoConnectionError

from wavecrawl.errors import NotDeployedError, PermanentError, StoreBusyError, ThrottledError, WavecrawlError

UNANSWERED: tuple[type[Exception], ...] = (BotoConnectionError, HTTPClientError, IncompleteReadError)
"""Errors without a complete response: the request may or may not have been processed."""

_THROTTLED = frozenset(
    """BandwidthLimitExceeded EC2ThrottledException LimitExceededException ProvisionedThroughputExceededException
    RequestLimitExceeded RequestThrottled RequestThrottledException SlowDown ThrottledException Throttling
    ThrottlingError ThrottlingException TooManyRequestsException TransactionInProgressException
    ProvisionedThroughputExceeded KmsThrottled OverLimit""".split()
)
_MISSING = frozenset(
    """ExecutionDoesNotExist NoSuchBucket QueueDoesNotExist AWS.SimpleQueueService.NonExistentQueue
    ResourceNotFoundException StateMachineDoesNotExist""".split()
)
_TRANSIENT = frozenset("ExpiredTokenException ExpiredToken RequestTimeout RequestTimeoutException".split())
_SERVER_ERROR = 500


def code_of(error: ClientError) -> str:
    """Return the error code of a response, such as ConditionalCheckFailedException."""
    return str(error.response.get("Error", {}).get("Code", ""))


def status_of(error: ClientError) -> int:
    """Return the HTTP status of a response, 0 if unknown."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def is_throttle(code: str) -> bool:
    """Return whether an error code reports throttling."""
    return code in _THROTTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The number of attempts and the delays between them."""

    attempts: int
    first: float  # seconds; maximum of the first delay
    longest: float  # seconds; maximum of any delay


THROTTLED = Patience(attempts=12, first=0.1, longest=2.0)
"""For throttled requests: 8 seconds on average, 16 at most, much less than a lease."""

OUTRUN = Patience(attempts=50, first=0.01, longest=0.2)
"""For conditional writes that compete for a row; one of them succeeds each time: 5 seconds on average."""

CONTESTED = Patience(attempts=25, first=0.02, longest=1.0)
"""For transactions that compete for a row: 10 seconds on average. Cancelled ones are billed, too."""


def attempts(sleep: Callable[[float], None], patience: Patience = THROTTLED) -> Iterator[int]:
    """Yield the numbers of attempts from 1; wait before each further one by exponential back-off with full jitter.

    https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    yield 1
    for attempt in range(1, patience.attempts):
        longest = min(patience.longest, patience.first * 2.0 ** (attempt - 1))
        sleep(random.uniform(0.0, longest))  # noqa: S311 - jitter is not secret
        yield attempt + 1


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise botocore's errors as WavecrawlErrors; `what` describes the operation and its object."""
    try:
        yield
    except ClientError as error:
        raise _translation_of(error, what) from error
    except UNANSWERED as error:
        raise StoreBusyError(f"{what}: no response ({error})") from error
    except BotoCoreError as error:
        raise PermanentError(f"{what}: {error}") from error


def _translation_of(error: ClientError, what: str) -> WavecrawlError:
    code = code_of(error)
    if is_throttle(code):
        return ThrottledError(f"{what}: still throttled after several attempts ({code})")
    if status_of(error) >= _SERVER_ERROR or code in _TRANSIENT:
        return StoreBusyError(f"{what}: {error}")
    if code in _MISSING:
        return NotDeployedError(f"{what}: {error}. Check that the stack is deployed and the environment names it")
    return PermanentError(f"{what}: {error}")
