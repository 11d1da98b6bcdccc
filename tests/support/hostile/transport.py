"""Servers that break the rules of HTTP, each with the exchange that a page client must return."""

import gzip
import zlib
from dataclasses import dataclass

import brotli
import zstandard
from tests.adapters.http.loopback import Peer, Talk, once, page, responding

from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits

LIMITS = FetchLimits(timeout=60.0, max_bytes=1_000, max_decoded_bytes=5_000)
"""Limits of the requests, for which the expected bodies are made."""

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
TEXT = b"<p>hello</p>"
REST = b"Content-Length: 12\r\n\r\n" + TEXT
LAST_CHUNK = b"\r\n0\r\n\r\n"
GZIPPED = gzip.compress(TEXT, mtime=0)


@dataclass(frozen=True, slots=True)
class Case:
    """A server and the exchange with it."""

    name: str
    talk: Talk
    status: int | None
    fault: TransportFault | None = None
    body: bytes = b""
    truncated: bool = False
    is_stream: bool = False
    method: str = "GET"


def hold(peer: Peer) -> None:
    """Send nothing more."""
    peer.hold()


def reset(peer: Peer) -> None:
    """End the connection with RST."""
    peer.reset()


def drip(byte: bytes = b"x") -> Talk:
    """Send a byte every 20 ms."""
    return lambda peer: peer.drip(byte)


def silent_from_the_start(peer: Peer) -> None:
    """Read the request, and send nothing."""
    peer.request()
    peer.hold()


def closes_at_once(peer: Peer) -> None:
    """Read the request, and close."""
    peer.request()


def resets_at_once(peer: Peer) -> None:
    """Read the request, and reset."""
    peer.request()
    peer.reset()


def floods(peer: Peer) -> None:
    """Send a body without end."""
    peer.request()
    peer.say(OK, b"\r\n")
    while not peer.server.stopped.is_set():
        peer.say(b"x" * 4096)


def streaming(content_type: str) -> Talk:
    """Send a head, and a body that never begins."""
    return once(OK + f"Content-Type: {content_type}\r\n\r\n".encode(), then=hold)


def encoded(coding: str, body: bytes) -> Talk:
    """Send a body with a Content-Encoding."""
    return responding(page(body, f"Content-Encoding: {coding}"))


F = TransportFault
CASES = (
    # no response, or no HTTP
    Case("never sends a byte", silent_from_the_start, None, F.TIMEOUT),
    Case("closes without a response", closes_at_once, None, F.RESET),
    Case("resets without a response", resets_at_once, None, F.RESET),
    Case("speaks another protocol", once(b"220 mail.example ESMTP\r\n"), None, F.PROTOCOL),
    Case("responds like HTTP/0.9", once(b"<html>old</html>"), None, F.PROTOCOL),
    Case("holds after a word that is not HTTP", once(b"<html>", then=hold), None, F.PROTOCOL),
    Case("sends a blank line first", once(b"\r\n\r\n" + page(TEXT)), None, F.PROTOCOL),
    Case("says HTTP/2", once(b"HTTP/2 200\r\n\r\n"), None, F.PROTOCOL),
    Case("has no number for status", once(b"HTTP/1.1 OK\r\n\r\n"), None, F.PROTOCOL),
    Case("has a status of four digits", once(b"HTTP/1.1 2000 OK\r\n\r\n"), None, F.PROTOCOL),
    Case("has a negative status", once(b"HTTP/1.1 -200 OK\r\n\r\n"), None, F.PROTOCOL),
    # the head
    Case("drips its status line", once(b"HTTP/1.1 200 O", then=drip()), None, F.TIMEOUT),
    Case("drips its headers", once(OK + b"X-Long: ", then=drip()), 200, F.TIMEOUT),
    Case("closes inside its status line", once(b"HTTP/1.1 20"), None, F.RESET),
    Case("closes inside its headers", once(OK + b"Content-Type: text/ht"), 200, F.RESET),
    Case("has one endless header", once(OK + b"X: " + b"x" * 70_000, then=hold), 200, F.PROTOCOL),
    Case("has an endless status line", once(b"HTTP/1.1 200 " + b"x" * 70_000, then=hold), None, F.PROTOCOL),
    Case("has 201 headers", once(OK + b"X: 1\r\n" * 201 + b"\r\n"), 200, F.PROTOCOL),
    Case("has 199 headers", once(OK + b"X: 1\r\n" * 199 + b"Content-Length: 12\r\n\r\n" + TEXT), 200, None, TEXT),
    Case("has a NUL in a header", once(OK + b"X: a\0b\r\n\r\n"), 200, F.PROTOCOL),
    Case("has a line without colon", once(OK + b"nonsense\r\nContent-Length: 12\r\n\r\n" + TEXT), 200, None, TEXT),
    Case("ends lines with LF alone", once(b"HTTP/1.1 200 OK\nContent-Length: 12\n\n" + TEXT), 200, None, TEXT),
    Case("has no reason", once(b"HTTP/1.1 200\r\nContent-Length: 12\r\n\r\n" + TEXT), 200, None, TEXT),
    Case("has a status of its own", once(page(TEXT, status="999 Denied")), 999, None, TEXT),
    Case("switches protocols", once(b"HTTP/1.1 101 Switching Protocols\r\n\r\n"), 101, F.PROTOCOL),
    Case(
        "hints before it responds", once(b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + page(TEXT)), 200, None, TEXT
    ),
    Case("never stops hinting", once(b"HTTP/1.1 100 Continue\r\n\r\n" * 50, then=hold), None, F.PROTOCOL),
    # deviations of real servers that httptools rejects (docs/adr/0013-http-by-libraries.md)
    Case("has two spaces before its status", once(b"HTTP/1.1  200 OK\r\n" + REST), 200, None, TEXT),
    Case("has a bare CR in its reason", once(b"HTTP/1.1 200 a\rb\r\n" + REST), 200, None, TEXT),
    Case("repeats its status line", once(OK + OK + REST), 200, None, TEXT),
    Case("has a program's warning among its headers", once(OK + b"<b>Warning</b>:  x\r\n" + REST), 200, None, TEXT),
    Case("has a space inside a name", once(OK + b"X Y: b\r\n" + REST), 200, None, TEXT),
    Case("has a space before a colon", once(OK + b"P3P : CP=x\r\n" + REST), 200, None, TEXT),
    Case("has a name in UTF-8", once(OK + "X-Gr\u00f6\u00dfe: b\r\n".encode() + REST), 200, None, TEXT),
    Case("has parentheses in a name", once(OK + b"foo(bar): b\r\n" + REST), 200, None, TEXT),
    Case("has brackets around a name", once(OK + b"[x]: b\r\n" + REST), 200, None, TEXT),
    Case("repeats its Content-Length field", once(OK + b"Content-Length: 12\r\n" + REST), 200, None, TEXT),
    Case("hides a length behind a bare CR", once(OK + b"X: a\rContent-Length: 3\r\n" + REST), 200, None, TEXT),
    Case("has an empty Transfer-Encoding", once(OK + b"Transfer-Encoding: \r\n" + REST), 200, None, TEXT),
    Case("has junk in a chunk extension", once(CHUNKED + b"c;@[]\x80\r\n" + TEXT + LAST_CHUNK), 200, None, TEXT),
    Case("has a trailer without colon", once(CHUNKED + b"c\r\n" + TEXT + b"\r\n0\r\nx\r\n\r\n"), 200, None, TEXT),
    # framing
    Case("has a word for Content-Length", once(OK + b"Content-Length: many\r\n\r\n" + TEXT), 200, None, TEXT),
    Case("has a negative Content-Length", once(OK + b"Content-Length: -1\r\n\r\n" + TEXT), 200, None, TEXT),
    Case(
        "has two Content-Lengths", once(OK + b"Content-Length: 1\r\nContent-Length: 12\r\n\r\n" + TEXT), 200, F.PROTOCOL
    ),
    Case("repeats one Content-Length", once(OK + b"Content-Length: 12, 12\r\n\r\n" + TEXT), 200, None, TEXT),
    Case("promises more than it sends", once(OK + b"Content-Length: 99\r\n\r\n" + TEXT), 200, F.RESET, TEXT),
    Case("sends more than it promises", once(OK + b"Content-Length: 3\r\n\r\nabcdef"), 200, None, b"abc"),
    Case("says no length and closes", once(OK + b"\r\n" + TEXT), 200, None, TEXT),
    Case("resets inside the body", once(OK + b"Content-Length: 99\r\n\r\n" + TEXT, then=reset), 200, F.RESET, TEXT),
    Case("stops inside the body", once(OK + b"Content-Length: 99\r\n\r\n" + TEXT, then=hold), 200, F.TIMEOUT, TEXT),
    Case("has a transfer coding of its own", once(OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n"), 200, F.PROTOCOL),
    Case(
        "has a length and chunks",
        once(OK + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n" + TEXT + b"\r\n0\r\n\r\n"),
        200,
        None,
        TEXT,
    ),
    Case("sends chunks", once(CHUNKED + b"5;x=y\r\n<p>he\r\n7\r\nllo</p>\r\n0\r\nX: t\r\n\r\n"), 200, None, TEXT),
    Case("drips chunk headers", once(CHUNKED + b"c;", then=drip()), 200, F.TIMEOUT),
    Case("has no number for a chunk", once(CHUNKED + b"5\r\n<p>he\r\nzz\r\n"), 200, F.PROTOCOL, b"<p>he"),
    Case("has a negative chunk", once(CHUNKED + b"-5\r\nhello\r\n"), 200, F.PROTOCOL),
    Case("has a chunk of 2^64", once(CHUNKED + b"1" + b"0" * 16 + b"\r\nhello\r\n"), 200, F.PROTOCOL),
    Case("has a chunk longer than its size", once(CHUNKED + b"2\r\nhello\r\n"), 200, F.PROTOCOL, b"he"),
    Case("closes between chunks", once(CHUNKED + b"5\r\n<p>he\r\n"), 200, F.RESET, b"<p>he"),
    Case("closes inside a chunk", once(CHUNKED + b"5\r\n<p>"), 200, F.RESET, b"<p>"),
    Case("closes before the last line end", once(CHUNKED + b"5\r\n<p>he\r\n0\r\n"), 200, None, b"<p>he"),
    Case("never ends its trailers", once(CHUNKED + b"0\r\n" + b"X: y\r\n" * 100), 200, F.PROTOCOL),
    Case("has a body with 304", once(page(TEXT, status="304 Not Modified")), 304),
    Case("has a body with 204", once(page(TEXT, status="204 No Content")), 204),
    Case("has a body for HEAD", once(page(TEXT)), 200, method="HEAD"),
    Case(
        "holds the body of a redirect",
        once(b"HTTP/1.1 302 Found\r\nLocation: /x\r\nContent-Length: 99\r\n\r\n", then=hold),
        302,
        F.TIMEOUT,
    ),
    Case("is a radio", streaming("audio/mpeg"), 200, is_stream=True),
    Case("sends events", streaming("text/event-stream"), 200, is_stream=True),
    Case("is a camera", streaming("multipart/x-mixed-replace; boundary=f"), 200, is_stream=True),
    Case("has a short sound", once(page(TEXT, "Content-Type: audio/mpeg")), 200, None, TEXT),
    # size
    Case("drips its body", once(OK + b"\r\n", then=drip()), 200, F.TIMEOUT, b"x"),
    Case("never stops", floods, 200, None, b"x" * 1_000, truncated=True),
    Case("announces a body too big", responding(page(b"x" * 1_001)), 200, None, b"x" * 1_000, truncated=True),
    Case("has a body of just the limit", responding(page(b"x" * 1_000)), 200, None, b"x" * 1_000),
    Case(
        "sends chunks too big",
        once(CHUNKED + b"7d0\r\n" + b"x" * 2_000 + b"\r\n0\r\n\r\n"),
        200,
        None,
        b"x" * 1_000,
        truncated=True,
    ),
    # content coding
    Case("compresses with gzip", encoded("gzip", GZIPPED), 200, None, TEXT),
    Case("compresses with deflate (zlib)", encoded("deflate", zlib.compress(TEXT)), 200, None, TEXT),
    Case("compresses with deflate (bare)", encoded("deflate", zlib.compress(TEXT)[2:-4]), 200, None, TEXT),
    Case("compresses with br", encoded("br", brotli.compress(TEXT)), 200, None, TEXT),
    Case("compresses with zstd", encoded("zstd", zstandard.compress(TEXT)), 200, None, TEXT),
    Case("compresses twice", encoded("gzip, br", brotli.compress(GZIPPED)), 200, None, TEXT),
    Case("compresses four times", encoded("gzip, gzip, gzip, gzip", GZIPPED), 200, F.DECODING),
    Case("says gzip and sends plain text", encoded("gzip", TEXT), 200, None, TEXT),
    Case("says br and sends plain text", encoded("br", b"plain text it is"), 200, F.DECODING),
    Case("says utf-8 for a coding", encoded("utf-8", TEXT), 200, F.DECODING, TEXT),
    Case("breaks its gzip off", encoded("gzip", GZIPPED[:-9]), 200, F.DECODING, TEXT),
    Case("sends a bomb", encoded("gzip", gzip.compress(b"\0" * 900_000)), 200, None, b"\0" * 5_000, truncated=True),
)
