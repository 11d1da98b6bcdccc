"""Status line and header fields of a response (RFC 9112 sections 4 and 5).

Why there is a parser of our own: docs/adr/0013-http-by-libraries.md.
"""

import re

from msgspec import Struct

from wavecrawl.adapters.http.deadline_socket import DeadlineSocket
from wavecrawl.adapters.http.transfer_errors import TransferError, one_line, protocol_error
from wavecrawl.domain.fetching.exchange import TransportFault

MAX_HEAD_BYTES = 65_536
MAX_HEADERS = 200
_MAX_INTERIM = 8  # 1xx responses before the final one

_STATUS_LINE = re.compile(r"(HTTP/1\.[0-9]) +([1-9][0-9]{2})(?: +(.*))?[ \t]*")
_HEAD_END = re.compile(rb"\r?\n\r?\n")
_FIELD = re.compile(r"^([^\s:][^:\n]*):[ \t]*(.*)$", re.MULTILINE)
_UNDECODED = re.compile("[\udc80-\udcff]")
_FOLD = re.compile(r"\n[ \t]+")
_WHITESPACE = " \t"  # around a value, RFC 9110 section 5.5
_FIRST_FINAL = 200
_SWITCHING = 101

Headers = tuple[tuple[str, str], ...]


class ResponseHead(Struct, frozen=True, gc=False):
    """Everything before the body."""

    version: str
    status: int
    reason: str
    headers: Headers  # as received: order, case and repeats


class ResponseHeadError(TransferError):
    """A head that is incomplete or invalid. `head` holds the part that could be read, if it has a status line."""

    def __init__(self, cause: TransferError, head: ResponseHead | None) -> None:
        super().__init__(cause.fault, cause.detail)
        self.head = head


def read_head(stream: DeadlineSocket) -> ResponseHead:
    """Return the head of the final response; interim (1xx) responses are skipped. Raise ResponseHeadError."""
    for _ in range(_MAX_INTERIM + 1):
        head = _next_head(stream)
        if head.status >= _FIRST_FINAL:
            return head
        if head.status == _SWITCHING:
            raise ResponseHeadError(protocol_error("the server switches protocols without a request to do so"), head)
    raise ResponseHeadError(protocol_error(f"more than {_MAX_INTERIM} interim responses"), None)


def _next_head(stream: DeadlineSocket) -> ResponseHead:
    try:
        end = _find_end(stream)
    except TransferError as error:
        raise ResponseHeadError(error, _partial_head(bytes(stream.buffer))) from error
    text = _text(stream.take(end))
    status_line, _, fields = text.partition("\n")
    version, status, reason = _parse_status(status_line)
    if "\0" in text:
        raise ResponseHeadError(protocol_error("a NUL in the headers"), ResponseHead(version, status, reason, ()))
    headers = _parse_fields(fields)
    if len(headers) > MAX_HEADERS:
        cut = ResponseHead(version, status, reason, headers[:MAX_HEADERS])
        raise ResponseHeadError(protocol_error(f"more than {MAX_HEADERS} headers"), cut)
    return ResponseHead(version, status, reason, headers)


def _find_end(stream: DeadlineSocket) -> int:
    """Return where the head ends, waiting for it. Anything that is not HTTP fails at its first bytes."""
    searched = 0
    while True:
        data = stream.buffer
        if not data.startswith(b"HTTP/"[: len(data)]):
            raise protocol_error(f"not HTTP/1: {one_line(_text(bytes(data[:40])))!r}")
        match = _HEAD_END.search(data, searched)
        end = match.end() if match else len(data)
        if end > MAX_HEAD_BYTES:
            raise protocol_error(f"a head of more than {MAX_HEAD_BYTES} bytes")
        if match:
            return end
        searched = max(0, len(data) - 3)
        if not stream.receive():
            where = "inside the head" if data else "without a response"
            raise TransferError(TransportFault.RESET, f"the server closed the connection {where}")


def _partial_head(data: bytes) -> ResponseHead | None:
    """Return the head that the complete lines make up, or None without a final status line."""
    complete, _, _ = _text(data[:MAX_HEAD_BYTES]).partition("\0")[0].rpartition("\n")
    status_line, _, fields = complete.partition("\n")
    try:
        version, status, reason = _parse_status(status_line)
    except ResponseHeadError:
        return None
    return None if status < _FIRST_FINAL else ResponseHead(version, status, reason, _parse_fields(fields)[:MAX_HEADERS])


def _parse_status(line: str) -> tuple[str, int, str]:
    match = _STATUS_LINE.fullmatch(line)
    if match is None:
        raise ResponseHeadError(protocol_error(f"not a status line: {one_line(line)!r}"), None)
    version, status, reason = match.groups()
    return version, int(status), one_line(reason or "").strip()


def _parse_fields(text: str) -> Headers:
    """Return the header fields. Lines without colon or name are skipped, folded lines are joined to their field."""
    unfolded = _FOLD.sub(" ", text)
    return tuple([(name.rstrip(), value.rstrip(_WHITESPACE)) for name, value in _FIELD.findall(unfolded)])


def _text(data: bytes) -> str:
    """Decode as UTF-8, which servers send in Location; lines that are none as Latin-1. Lines end with LF.

    A bare CR becomes a space: it must not reach code that writes headers (RFC 9112 section 2.2).
    """
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\n".join(map(_line, data.split(b"\n")))
    return text.replace("\r\n", "\n").replace("\r", " ")


def _line(data: bytes) -> str:
    """Decode a line as UTF-8, or else as Latin-1. In a Location, bytes that are no UTF-8 are percent-encoded.

    Browsers request `/caf%E9` then: the bytes that the server wrote, not those of the letter that they may mean.
    """
    try:
        return data.decode()
    except UnicodeDecodeError:
        if not data.lower().startswith(b"location:"):
            return data.decode("latin-1")
    return _UNDECODED.sub(lambda found: f"%{ord(found[0]) - 0xDC00:02X}", data.decode("utf-8", "surrogateescape"))
