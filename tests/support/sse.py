"""A client of server-sent events that follows the steps of the standard.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Received:
    """A dispatched event."""

    type: str
    data: str
    last_event_id: str


@dataclass(slots=True)
class EventSource:
    """The state that a client keeps between connections."""

    last_event_id: str = ""
    retry: int = 0
    received: list[Received] = field(default_factory=list)

    def read(self, stream: str) -> None:
        """Read one response. Discard what is not followed by an empty line."""
        kind, data, id_ = "", "", self.last_event_id
        for line in stream.split("\n")[:-1]:
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if not line:
                self.last_event_id = id_
                if data:
                    self.received.append(Received(kind or "message", data.removesuffix("\n"), id_))
                kind, data = "", ""
            elif name == "event":
                kind = value
            elif name == "data":
                data += f"{value}\n"
            elif name == "id":
                id_ = value
            elif name == "retry":
                self.retry = int(value)
