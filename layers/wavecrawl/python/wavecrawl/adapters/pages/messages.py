"""The messages between a worker and the child process that reads pages for it.

A message is its length in 8 bytes, then its content. The HTML of a job follows as a message of its own, which is not
copied.
"""

from collections.abc import Callable
from functools import cache
from struct import Struct as Layout
from typing import IO, Final, TypeVar

import msgspec

from wavecrawl.domain.pages.extraction.reading import Reading
from wavecrawl.domain.pages.page import Extraction

_Message = TypeVar("_Message")
_LENGTH: Final = Layout("<Q")


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """How to read a page, whose HTML follows."""

    how: Reading
    is_text: bool  # whether the HTML was text, and not the bytes of UTF-8


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a page, or the traceback of the error that reading it raised."""

    content: Extraction | None = None
    failure: str = ""
    cpu_seconds: float = 0.0  # processor time that reading the page took


@cache
def _decoder(shape: type[_Message]) -> msgspec.msgpack.Decoder[_Message]:
    """Return the decoder of a message. Most workers never meet a large page, and start faster without one."""
    return msgspec.msgpack.Decoder(shape)


def encoded_job(html: bytes | str, how: Reading) -> tuple[bytes, bytes]:
    """Return a job as bytes to write one after the other; the second ones are the HTML."""
    is_text = isinstance(html, str)
    job = msgspec.msgpack.encode(Job(how=how, is_text=is_text))
    content = html.encode("utf-8", "surrogatepass") if isinstance(html, str) else html
    return _LENGTH.pack(len(job)) + job + _LENGTH.pack(len(content)), content


def receive_job(source: IO[bytes]) -> tuple[bytes | str, Reading] | None:
    """Read the HTML of a job, and how to read it; return None at the end of the input."""
    data = _receive(source.read)
    html = None if data is None else _receive(source.read)
    if data is None or html is None:
        return None
    job = _decoder(Job).decode(data)
    return html.decode("utf-8", "surrogatepass") if job.is_text else html, job.how


def encoded_reply(reply: Reply) -> bytes:
    """Return a reply as a message."""
    data = msgspec.msgpack.encode(reply)
    return _LENGTH.pack(len(data)) + data


def receive_reply(read: Callable[[int], bytes]) -> Reply | None:
    """Read a reply; return None if the process has ended before it.

    `read` returns the next bytes, as many as it is asked for; fewer only at the end of the replies.
    """
    data = _receive(read)
    return None if data is None else _decoder(Reply).decode(data)


def _receive(read: Callable[[int], bytes]) -> bytes | None:
    head = read(_LENGTH.size)
    if len(head) < _LENGTH.size:
        return None
    size: int = _LENGTH.unpack(head)[0]
    data = read(size)
    return data if len(data) == size else None
