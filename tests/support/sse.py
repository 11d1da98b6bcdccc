"""A client of server-sent events, written after the standard's own steps.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Received:
    """An event that was dispatched."""

    type: str
    data: str
    last_event_id: str


@dataclass(slots=True)
class EventSource:
    """What a client keeps between its connections."""

    last_event_id: str = ""
    retry: int = 0
    received: list[Received] = field(default_factory=list)

    def read(self, stream: str) -> None:
        """Read what came of one answer; what has no empty line after it is thrown away."""
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
