"""Virtual time and a simulated SQS queue, for simulations of many crawls in one thread."""

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any


class VirtualTime:
    """`ports.clock.Clock`, and functions to call at later times. Time passes only between these calls."""

    def __init__(self, start: float) -> None:
        self._now = start
        self._events: list[tuple[float, int, Callable[[], object]]] = []
        self._numbers = count()

    def now(self) -> float:
        """Return the time in Unix seconds."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Raise RuntimeError: in one thread, a wait would delay everything else."""
        raise RuntimeError(f"code in a simulation waited {seconds:g} s")

    def call_at(self, time: float, action: Callable[[], object]) -> None:
        """Call a function at a time, or next if the time is over. Calls for the same time keep their order."""
        heappush(self._events, (max(time, self._now), next(self._numbers), action))

    def call_in(self, seconds: float, action: Callable[[], object]) -> None:
        """Call a function after so many seconds."""
        self.call_at(self._now + seconds, action)

    def run(self) -> None:
        """Make all calls in order of their times, including those that are added meanwhile."""
        while self._events:
            self._now, _, action = heappop(self._events)
            action()


@dataclass(slots=True, eq=False)
class Message:
    """A message of the queue."""

    id: str
    body: str
    group: str
    sent_at: float  # Unix seconds
    visible_at: float  # Unix seconds
    receives: int = 0
    is_ready: bool = False
    is_deleted: bool = False


class SimulatedQueue:
    """A standard queue of SQS with message groups, delays, visibility timeouts and a dead-letter queue.

    It has the methods of boto's client that `adapters.aws.queue.SqsJobQueue` calls. SQS delivers the messages of groups
    with few messages in flight first, and does not publish the exact rule. Here, with `fair`, the oldest message of the
    groups with the fewest messages in flight is next; without, the oldest message.
    https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-fair-queues.html
    """

    def __init__(self, time: VirtualTime, *, visibility: float, max_receives: int, fair: bool = True) -> None:
        self.sent = self.dead = self.in_flight = self.most_in_flight = self.visible = self.most_visible = 0
        self.on_visible: Callable[[], object] = lambda: None
        self._time = time
        self._visibility, self._max_receives, self._fair = visibility, max_receives, fair
        self._numbers = count()
        self._held: dict[str, Message] = {}  # received, by receipt handle
        self._in_flight: Counter[str] = Counter()  # by group
        self._ready: dict[str, deque[tuple[int, Message]]] = {}  # visible messages by group, in order
        self._next: list[tuple[int, int, str]] = []  # messages in flight, order of the oldest, group; may be outdated

    def send_message_batch(self, *, QueueUrl: str, Entries: Sequence[dict[str, Any]]) -> dict[str, Any]:  # noqa: N803 - boto's names
        """Enqueue messages."""
        del QueueUrl
        now = self._time.now()
        for entry in Entries:
            self.sent += 1
            visible_at = now + entry["DelaySeconds"]
            message = Message(
                id=f"m{self.sent}",
                body=entry["MessageBody"],
                group=entry["MessageGroupId"],
                sent_at=now,
                visible_at=visible_at,
            )
            self._show_later(message)
        return {"Successful": [{"Id": entry["Id"]} for entry in Entries]}

    def change_message_visibility(self, *, QueueUrl: str, ReceiptHandle: str, VisibilityTimeout: int) -> None:  # noqa: N803
        """Hide a received message for so many seconds from now."""
        del QueueUrl
        message = self._held[ReceiptHandle]
        message.visible_at = self._time.now() + VisibilityTimeout
        self._show_later(message)

    def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: Sequence[str]) -> dict[str, Any]:  # noqa: N803
        """Return the number of visible messages."""
        del QueueUrl, AttributeNames
        return {"Attributes": {"ApproximateNumberOfMessages": str(self.visible)}}

    def receive(self) -> Message | None:
        """Return the next message, hidden from now on; None if no message is visible."""
        while (message := self._pop()) is not None:
            message.receives += 1
            if message.receives <= self._max_receives:
                self._hold(message)
                return message
            self.dead += 1
            message.is_deleted = True
        return None

    def delete(self, message: Message) -> None:
        """Delete a received message."""
        message.is_deleted = True
        self.visible -= message.is_ready
        self._release(message)

    def _hold(self, message: Message) -> None:
        self._held[message.id] = message
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self._in_flight[message.group] += 1
        self._announce(message.group)
        message.visible_at = self._time.now() + self._visibility
        self._show_later(message)

    def _release(self, message: Message) -> None:
        if self._held.pop(message.id, None) is not None:
            self.in_flight -= 1
            self._in_flight[message.group] -= 1
            self._announce(message.group)

    def _show_later(self, message: Message) -> None:
        due = message.visible_at

        def show() -> None:
            if message.visible_at == due and not message.is_deleted and not message.is_ready:
                self._show(message)

        self._time.call_at(due, show)

    def _show(self, message: Message) -> None:
        self._release(message)
        message.is_ready = True
        self.visible += 1
        self.most_visible = max(self.most_visible, self.visible)
        self._ready.setdefault(message.group, deque()).append((next(self._numbers), message))
        self._announce(message.group)
        self.on_visible()

    def _announce(self, group: str) -> None:
        """Add the group's oldest visible message to the heap, at its present rank."""
        if self._ready.get(group):
            heappush(self._next, (self._rank(group), self._ready[group][0][0], group))

    def _rank(self, group: str) -> int:
        return self._in_flight[group] if self._fair else 0

    def _pop(self) -> Message | None:
        while self._next:
            rank, order, group = heappop(self._next)
            ready = self._ready.get(group)
            if not ready or ready[0][0] != order or rank != self._rank(group):
                continue
            _, message = ready.popleft()
            self._announce(group)
            if not message.is_deleted:
                message.is_ready = False
                self.visible -= 1
                return message
        return None
