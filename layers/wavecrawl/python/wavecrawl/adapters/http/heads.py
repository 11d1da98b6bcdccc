"""Status lines and header fields (RFC 9112 4 and 5), read strictly where it matters and leniently where it does not."""

import re

from msgspec import Struct

from wavecrawl.adapters.http.faults import TransferError, one_line
from wavecrawl.adapters.http.inbox import Inbox
from wavecrawl.domain.fetching.exchange import TransportFault

MOST_HEAD_BYTES = 65_536
MOST_HEADERS = 200
_MOST_INTERIM = 8  # 1xx answers before the real one

_STATUS_LINE = re.compile(r"(HTTP/1\.[0-9]) +([1-9][0-9]{2})(?: +(.*))?[ \t]*")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_BLANK = " \t"  # around a value, RFC 9110 5.5
_FIRST_FINAL = 200
_SWITCHING = 101

Headers = tuple[tuple[str, str], ...]


class Head(Struct, frozen=True, gc=False):
    """What comes before the body."""

    version: str
    status: int
    reason: str
    headers: Headers  # as received: order, case and repeats


class BrokenHeadError(TransferError):
    """The exchange ended inside the head; `head` holds what is known where the status line had arrived."""

    def __init__(self, cause: TransferError, head: Head | None) -> None:
        super().__init__(cause.fault, cause.detail)
        self.head = head


def read_head(inbox: Inbox) -> Head:
    """Return the head of the final answer; interim (1xx) ones are dropped. Raise BrokenHeadError."""
    for _ in range(_MOST_INTERIM + 1):
        head = _next_head(inbox)
        if head.status >= _FIRST_FINAL:
            return head
        if head.status == _SWITCHING:
            raise BrokenHeadError(_protocol("the server switches to a protocol nobody asked for"), head)
    raise BrokenHeadError(_protocol(f"more than {_MOST_INTERIM} interim answers"), None)


def _next_head(inbox: Inbox) -> Head:
    try:
        end = _find_end(inbox)
    except TransferError as error:
        raise BrokenHeadError(error, _partial(bytes(inbox.data))) from error
    text = _text(inbox.take(end).rstrip(b"\r\n"))
    lines = text.replace("\r\n", "\n").split("\n")
    version, status, reason = _status(lines[0])
    if "\0" in text:
        raise BrokenHeadError(_protocol("a NUL in the headers"), Head(version, status, one_line(reason), ()))
    headers = _fields(lines)
    head = Head(version, status, reason, headers)
    if len(headers) > MOST_HEADERS:
        cut = Head(version, status, reason, headers[:MOST_HEADERS])
        raise BrokenHeadError(_protocol(f"more than {MOST_HEADERS} headers"), cut)
    return head


def _find_end(inbox: Inbox) -> int:
    """Return where the head ends, waiting for it; whatever is no HTTP is told at its first bytes."""
    searched = 0
    while True:
        data = inbox.data
        if not data.startswith(b"HTTP/"[: len(data)]):
            raise _protocol(f"not HTTP/1: {one_line(_text(bytes(data[:40])))!r}")
        match = _HEAD_END.search(data, searched)
        end = match.end() if match else len(data)
        if end > MOST_HEAD_BYTES:
            raise _protocol(f"a head of more than {MOST_HEAD_BYTES} bytes")
        if match:
            return end
        searched = max(0, len(data) - 3)
        if not inbox.more():
            inside = "inside the head" if data else "without an answer"
            raise TransferError(TransportFault.RESET, f"the server closed the connection {inside}")


def _partial(data: bytes) -> Head | None:
    """Return what whole lines say, where the status line is one of them."""
    text = _text(data[:MOST_HEAD_BYTES]).partition("\0")[0]
    *lines, _ = text.replace("\r\n", "\n").split("\n")
    if not lines:
        return None
    try:
        version, status, reason = _status(lines[0])
    except BrokenHeadError:
        return None
    return None if status < _FIRST_FINAL else Head(version, status, reason, _fields(lines)[:MOST_HEADERS])


def _status(line: str) -> tuple[str, int, str]:
    match = _STATUS_LINE.fullmatch(line)
    if match is None:
        raise BrokenHeadError(_protocol(f"not a status line: {one_line(line)!r}"), None)
    version, status, reason = match.groups()
    return version, int(status), one_line(reason or "").strip()


def _fields(lines: list[str]) -> Headers:
    """Return the header fields; a line without colon or name is skipped, and a folded one joined to its field.

    A bare CR counts as a space: it must not reach anything that writes headers (RFC 9112 2.2).
    """
    found: list[tuple[str, str]] = []
    for written in lines[1:]:
        line = written.replace("\r", " ")
        name, colon, value = line.partition(":")
        if line[:1] in (" ", "\t"):
            if found:
                before, start = found[-1]
                found[-1] = (before, f"{start} {line.strip(_BLANK)}")
        elif colon and name.strip():
            found.append((name.rstrip(), value.strip(_BLANK)))
    return tuple(found)


def _text(data: bytes) -> str:
    """Headers are UTF-8 where that fits (Location, in practice), else bytes one to one."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _protocol(detail: str) -> TransferError:
    return TransferError(TransportFault.PROTOCOL, detail)
