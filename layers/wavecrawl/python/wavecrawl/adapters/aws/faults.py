"""What AWS answers, in our words: errors are translated at the edge, and what is transient is asked for again.

botocore's standard retries run below this (clients.py says which). What is here is for answers it does not take for
failures: items left over of a batch, transactions in each other's way, a body that breaks off.
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
"""What is raised where no whole answer came: the request may have been carried out, or not."""

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
    """Return the error code of an answer, such as ConditionalCheckFailedException."""
    return str(error.response.get("Error", {}).get("Code", ""))


def status_of(error: ClientError) -> int:
    """Return the HTTP status of an answer, 0 where it is not known."""
    return int(error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))


def is_throttle(code: str) -> bool:
    """Tell whether an error code asks for fewer requests."""
    return code in _THROTTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How often to ask, and how long to wait in between."""

    attempts: int
    first: float  # seconds, the longest that the first pause may be
    longest: float  # seconds, the longest that any pause may be


THROTTLED = Patience(attempts=12, first=0.1, longest=2.0)
"""For those who share a service's throughput: some 8 seconds in the mean, 16 at most, well within a lease."""

OUTRUN = Patience(attempts=50, first=0.01, longest=0.2)
"""For those who race for one row, where somebody wins each time: some 5 seconds in the mean."""


CONTESTED = Patience(attempts=25, first=0.02, longest=1.0)
"""For transactions that meet in one row: some 10 seconds in the mean. Each that is canceled is paid for as well."""


def attempts(sleep: Callable[[float], None], patience: Patience = THROTTLED) -> Iterator[int]:
    """Yield the numbers of attempts from 1, waiting before each further one: exponential back-off with full jitter.

    Full jitter spreads rivals best: https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/
    """
    yield 1
    for attempt in range(1, patience.attempts):
        longest = min(patience.longest, patience.first * 2.0 ** (attempt - 1))
        sleep(random.uniform(0.0, longest))  # noqa: S311 - jitter is no secret
        yield attempt + 1


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Raise errors of botocore as ours; `what` says what was being done, to what."""
    try:
        yield
    except ClientError as error:
        raise _in_our_words(error, what) from error
    except UNANSWERED as error:
        raise StoreBusyError(f"{what}: no answer ({error})") from error
    except BotoCoreError as error:
        raise PermanentError(f"{what}: {error}") from error


def _in_our_words(error: ClientError, what: str) -> WavecrawlError:
    code = code_of(error)
    if is_throttle(code):
        return ThrottledError(f"{what}: throttled ({code}), also after several attempts")
    if status_of(error) >= _SERVER_ERROR or code in _TRANSIENT:
        return StoreBusyError(f"{what}: {error}")
    if code in _MISSING:
        return NotDeployedError(f"{what}: {error}. Was the stack deployed, and do its names stand in the environment?")
    return PermanentError(f"{what}: {error}")
