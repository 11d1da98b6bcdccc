"""Prepared responses of the server, as bytes."""

from email.utils import parsedate_to_datetime
from enum import StrEnum
from functools import lru_cache
from http import HTTPStatus

import msgspec


class Fault(StrEnum):
    """The ways a response can fail on purpose."""

    STATUS = "status"
    RESET = "reset"
    SHORT = "short"
    GARBAGE = "garbage"


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A response. `data` is head and body as they are sent."""

    status: int
    data: bytes
    head_size: int  # bytes of the head at the start of `data`; a HEAD request gets only these
    etag: str = ""
    last_modified: str = ""
    delay: float = 0.0  # seconds before the response is sent
    closes: bool = False  # whether the connection is closed after the response
    failures: int = 0  # number of GET requests that fail before the first success
    fault: Fault = Fault.STATUS
    failure_status: int = 503
    failure_data: bytes = b""

    def answer(self, method: str, fields: bytes) -> tuple[int, bytes]:
        """Return status and bytes for a request with these header lines (If-None-Match wins, RFC 9110 13.1)."""
        if (self.etag or self.last_modified) and b"if-" in fields.lower() and self._is_known(fields):
            head = (("ETag", self.etag), ("Last-Modified", self.last_modified))
            return 304, encode_head(304, tuple(field for field in head if field[1]))
        return self.status, self.data if method == "GET" else self.data[: self.head_size]

    def _is_known(self, fields: bytes) -> bool:
        values = _request_fields(fields)
        tags = values.get("if-none-match")
        if tags is not None:
            known = [tag.strip().removeprefix("W/") for tag in tags.split(",")]
            return bool(self.etag) and ("*" in known or self.etag.removeprefix("W/") in known)
        since = values.get("if-modified-since")
        if since is None or not self.last_modified:
            return False
        try:
            return parsedate_to_datetime(self.last_modified) <= parsedate_to_datetime(since)
        except (ValueError, TypeError):
            return False


def reply_of(status: int, headers: tuple[tuple[str, str], ...], body: bytes, *, delay: float = 0.0) -> Reply:
    """Return a response with these headers and its Content-Length."""
    sized = headers if status in (204, 304) else (*headers, ("Content-Length", str(len(body))))
    head = encode_head(status, sized)
    known = {name.lower(): value for name, value in headers}
    return Reply(
        status=status,
        data=head + body,
        head_size=len(head),
        etag=known.get("etag", ""),
        last_modified=known.get("last-modified", ""),
        delay=delay,
    )


@lru_cache(maxsize=64)
def error_reply(status: int, *, closes: bool = False) -> Reply:
    """Return a short page that names the error."""
    body = f"<!DOCTYPE html><title>{status}</title><h1>{status} {_phrase(status)}</h1>\n".encode()
    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Content-Length", str(len(body))),
        *((("Allow", "GET, HEAD"),) if status == HTTPStatus.METHOD_NOT_ALLOWED else ()),
        *((("Connection", "close"),) if closes else ()),
    )
    head = encode_head(status, headers)
    return Reply(status=status, data=head + body, head_size=len(head), closes=closes)


def encode_head(status: int, headers: tuple[tuple[str, str], ...]) -> bytes:
    """Return status line and headers as bytes, including the empty line after them."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers)
    return f"HTTP/1.1 {status} {_phrase(status)}\r\n{lines}\r\n".encode("latin-1")


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"


def _request_fields(fields: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in fields.decode("latin-1").split("\r\n"))
    return {name.strip().lower(): value.strip() for name, _, value in lines}
