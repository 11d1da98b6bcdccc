"""The meter in AWS: counts the billed usage of the clients' requests and the time of the Lambda function.

Each HTTP attempt counts, including retries, as AWS bills them. botocore emits `response-received` for each of them
(https://docs.aws.amazon.com/boto3/latest/guide/events.html).
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

from wavecrawl.adapters.aws.consumption import COUNTERS, Counter
from wavecrawl.domain.crawl.bill import Usage

_REQUEST = "wavecrawl_request"
_MB_A_GB = 1024.0


_STARTED_AT_FIELD = 19  # of /proc/self/stat, counted after the command's name: proc(5), starttime, in clock ticks


def process_age() -> float:
    """Return how long this process has run, in seconds; 0 if the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        started = int(fields[_STARTED_AT_FIELD]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - started)
    except (OSError, ValueError, IndexError, AttributeError):  # no Linux
        return 0.0


class LambdaMeter:
    """The requests and GB-seconds of this process's Lambda function.

    Call `begin` and `end` around each invocation. Usage after the last `take` of an invocation is returned by the next
    one: it is small, and a batch can store only the usage before its completion.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic, *, on_x86: bool = False) -> None:
        """`on_x86`: whether the function runs on x86_64, which has a price of its own."""
        self._monotonic = monotonic
        self._on_x86 = on_x86
        self._init_seconds = process_age()  # of the cold start, which is billed with the first invocation
        self._lock = Lock()
        self._carried = Usage()
        self._gigabytes = 0.0
        self._since: float | None = None  # None between invocations, which are not billed

    def begin(self, memory_mb: int, *, init_seconds: float = 0.0) -> None:
        """Start an invocation. `init_seconds`: duration of the cold start, which is billed, too."""
        with self._lock:
            self._gigabytes = memory_mb / _MB_A_GB
            self._since = self._monotonic()
            self._carried += Usage(lambda_requests=1.0) + self._time(init_seconds)

    def end(self) -> None:
        """End the invocation; the remaining usage is kept for the next `take`."""
        with self._lock:
            self._count()
            self._since = None

    @contextmanager
    def invocation(self, memory_mb: int) -> Iterator[None]:
        """Meter the block as one invocation. The first one includes the cold start."""
        self.begin(int(memory_mb), init_seconds=self._init_seconds)
        self._init_seconds = 0.0
        try:
            yield
        finally:
            self.end()

    def take(self) -> Usage:
        """Return the usage since the last call, including the current invocation up to now."""
        with self._lock:
            self._count()
            taken, self._carried = self._carried, Usage()
        return taken

    def _count(self) -> None:
        if self._since is not None:
            now = self._monotonic()
            self._carried += self._time(now - self._since)
            self._since = now

    def _time(self, seconds: float) -> Usage:
        gb_seconds = seconds * self._gigabytes
        return Usage(lambda_x86_gb_seconds=gb_seconds) if self._on_x86 else Usage(lambda_gb_seconds=gb_seconds)


class AwsMeter:
    """A sum of the usage of all watched clients and of the function, if given. Thread-safe."""

    def __init__(self, function: LambdaMeter | None = None) -> None:
        self._function = function
        self._lock = Lock()
        self._usage = Usage()

    def watch(self, client: Any) -> None:
        """Count the requests of a client from now on."""
        service = client.meta.service_model.service_id.hyphenize()
        counter = COUNTERS.get(service)
        if counter is None:
            return
        client.meta.events.register(f"before-parameter-build.{service}", _keep_request)
        client.meta.events.register(f"response-received.{service}", self._on_response(counter, service))

    def add(self, usage: Usage) -> None:
        """Add usage without a request of a client, such as messages received by the event source mapping.

        Negative units subtract usage that is charged elsewhere.
        """
        with self._lock:
            self._usage += usage

    def take(self) -> Usage:
        """Return the usage since the last call."""
        with self._lock:
            taken, self._usage = self._usage, Usage()
        return taken + self._function.take() if self._function else taken

    def _on_response(self, counter: Counter, service: str) -> Callable[..., None]:
        prefix = f"response-received.{service}."

        def count(
            event_name: str,
            parsed_response: Mapping[str, Any] | None,
            context: Mapping[str, Any],
            **_: object,
        ) -> None:
            if parsed_response is None:  # no response: unknown whether the request was processed
                return
            status = int(parsed_response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0))
            operation = event_name.removeprefix(prefix)
            self.add(counter(operation, context.get(_REQUEST, {}), parsed_response, status))

        return count


def _keep_request(params: Mapping[str, Any], context: dict[str, Any], **_: object) -> None:
    """Store the request in the context, for the counter."""
    context[_REQUEST] = params
