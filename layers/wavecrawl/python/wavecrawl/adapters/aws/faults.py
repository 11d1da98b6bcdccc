"""Errors of AWS as errors of wavecrawl, and retries.

botocore's standard retries run below this (`clients`). The retries here are for responses that botocore does not treat
as failures: unprocessed items of a batch, conflicts of transactions, a body that breaks off.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    HTTPClientError,
    IncompleteReadError,
)
from botocore.exceptions import ConnectionError as BotoConnectionError
from msgspec import Struct

from wavecrawl.errors import NotDeployedError, PermanentError, StoreBusyError, ThrottledError, WavecrawlError

UNANSWERED: tuple[type[Exception], ...] = (BotoConnectionError, HTTPClientError, IncompleteReadError)
"""The exceptions raised if no complete response arrived. The request may have been carried out."""

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
    """Return the HTTP status of a response, 0 = unknown."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def is_throttle(code: str) -> bool:
    """Return whether an error code means that there are too many requests."""
    return code in _THROTTLED


class Patience(Struct, frozen=True, kw_only=True):
    """How often to try, and how long to wait between attempts."""

    attempts: int
    first: float  # seconds, the longest first delay
    longest: float  # seconds, the longest delay


THROTTLED = Patience(attempts=12, first=0.1, longest=2.0)
"""For throttled requests: about 8 seconds on average, 16 at most, well within a lease."""

OUTRUN = Patience(attempts=50, first=0.01, longest=0.2)
"""For writers that compete for one row, of which one succeeds each time: about 5 seconds on average."""


CONTESTED = Patience(attempts=25, first=0.02, longest=1.0)
"""For transactions on one row: about 10 seconds on average. Canceled transactions are billed too."""


def attempts(sleep: Callable[[float], None], patience: Patience = THROTTLED) -> Iterator[int]:
    """Yield the numbers of attempts from 1, with a delay before each further one: exponential back-off, full jitter.

    Full jitter causes the fewest collisions: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    yield 1
    for attempt in range(1, patience.attempts):
        longest = min(patience.longest, patience.first * 2.0 ** (attempt - 1))
        sleep(random.uniform(0.0, longest))  # noqa: S311 - not for security
        yield attempt + 1


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise errors of botocore as errors of wavecrawl. `what` names the operation and its object."""
    try:
        yield
    except ClientError as error:
        raise _translation(error, what) from error
    except UNANSWERED as error:
        raise StoreBusyError(f"{what}: no response ({error})") from error
    except BotoCoreError as error:
        raise PermanentError(f"{what}: {error}") from error


def _translation(error: ClientError, what: str) -> WavecrawlError:
    code = code_of(error)
    if is_throttle(code):
        return ThrottledError(f"{what}: throttled ({code}), also after several attempts. Try again later")
    if status_of(error) >= _SERVER_ERROR or code in _TRANSIENT:
        return StoreBusyError(f"{what}: {error}")
    if code in _MISSING:
        return NotDeployedError(f"{what}: {error}. Check that the stack is deployed, and the environment")
    return PermanentError(f"{what}: {error}")
