"""Server-Sent Events, as browsers read them.

https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
"""

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

FIRST_RETRY: Final = 3.0
"""Seconds until a stream is opened again, unless the server sets another delay."""

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSentEvent:
    """An event. `id` is that of the last event that had one; a stream is resumed after it."""

    id: str
    event: str
    data: str


class EventStream:
    """A parser of consecutive streams, which remembers where to resume."""

    def __init__(self, last_event_id: str = "") -> None:
        self.last_event_id = last_event_id
        self.retry = FIRST_RETRY  # seconds
        self._seen_id = last_event_id
        self._event = ""
        self._data: list[str] = []

    def read(self, chunks: Iterable[bytes]) -> Iterator[ServerSentEvent]:
        """Yield the events of one stream. Lines after its last blank line are ignored."""
        self._seen_id, self._event, self._data = self.last_event_id, "", []
        for line in _lines(chunks):
            if line:
                self._take(line)
                continue
            event = self._dispatched()
            if event is not None:
                yield event

    def _take(self, line: str) -> None:
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "data":
            self._data.append(value)
        elif field == "event":
            self._event = value
        elif field == "id" and "\0" not in value:
            self._seen_id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry = int(value) / 1000

    def _dispatched(self) -> ServerSentEvent | None:
        self.last_event_id = self._seen_id
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return ServerSentEvent(id=self.last_event_id, event=event, data="\n".join(data)) if data else None


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    """Yield whole lines. A carriage return at the end of a chunk may be the first half of a line end."""
    decoder, rest, first = codecs.getincrementaldecoder("utf-8")("replace"), "", True
    for chunk in chunks:
        text = decoder.decode(chunk)
        if first and text:
            text, first = text.removeprefix("\ufeff"), False
        rest += text
        held = "\r" if rest.endswith("\r") else ""
        *lines, rest = _LINE_END.split(rest.removesuffix("\r"))
        rest += held
        yield from lines
    if rest.endswith("\r"):
        yield rest.removesuffix("\r")
