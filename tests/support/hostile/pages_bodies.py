"""Responses whose head or body is hostile, whatever the document says."""

import gzip
import zlib

import brotli
import zstandard
from tests.adapters.http.loopback import Peer, Talk, once, page
from tests.support.hostile.behaviour import HTML, OK, Behaviour, html, sends

TEXT = b"<title>Shop</title><p>words <a href=/next>next</a>"
ZEROS = bytes(8_000_000)  # 20 times the limit of a decoded body
GZIPPED = gzip.compress(TEXT, mtime=0)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(100)


def _coded(coding: str, body: bytes) -> Talk:
    return html(body, f"Content-Encoding: {coding}")


def _typed(content_type: str, body: bytes = TEXT) -> Talk:
    return sends(body, f"Content-Type: {content_type}")


def _bomb(name: str, coding: str, body: bytes) -> Behaviour:
    return Behaviour(name=f"sends a bomb of {name}", talk=_coded(coding, body), truncated=True, links=0)


def _busy(name: str, retry_after: str, status: str = "503 Service Unavailable") -> Behaviour:
    talk = sends(b"busy", f"Retry-After: {retry_after}", status=status)
    return Behaviour(name=f"asks to wait {name}", talk=talk, state="http_error", reason="status")


def _shop(name: str, talk: Talk) -> Behaviour:
    """Return a behaviour that does not keep the page from being read."""
    return Behaviour(name=name, talk=talk, links=1, title="Shop")


def _failed(name: str, talk: Talk, reason: str) -> Behaviour:
    return Behaviour(name=name, talk=talk, state="failed", reason=reason)


def _in_part(name: str, talk: Talk, *, links: int | None = 0, title: str | None = None, reason: str = "") -> Behaviour:
    """Return a behaviour of which a part of the page arrives, or nothing."""
    return Behaviour(name=name, talk=talk, truncated=True, links=links, title=title, reason=reason)


def _chunks_of_one_byte(peer: Peer) -> None:
    peer.request()
    peer.say(OK + f"{HTML}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    peer.say(b"1\r\nx\r\n" * 60_000 + b"0\r\n\r\n")


def _drips_in_chunks(peer: Peer) -> None:
    peer.request()
    peer.say(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while not peer.server.stopped.wait(0.02):
        peer.say(b"1\r\nx\r\n")


def _compressed_without_end(peer: Peer) -> None:
    peer.request()
    peer.say(OK + f"{HTML}\r\nContent-Encoding: gzip\r\n\r\n".encode())
    piece = gzip.compress(bytes(100_000))
    while not peer.server.stopped.is_set():
        peer.say(piece)


def _waits_between_bytes_of_its_head(peer: Peer) -> None:
    peer.request()
    for byte in OK * 10:
        if peer.server.stopped.wait(0.02):
            return
        peer.say(bytes((byte,)))


NESTED = gzip.compress(gzip.compress(2 * ZEROS) * 64)  # of 1 GB, more than a worker's memory
BODIES = (
    _bomb("gzip", "gzip", gzip.compress(ZEROS)),
    _bomb("deflate", "deflate", zlib.compress(ZEROS)),
    _bomb("br", "br", brotli.compress(ZEROS, quality=1)),
    _bomb("zstd", "zstd", zstandard.compress(ZEROS)),
    _bomb("gzip inside gzip", "gzip, gzip", NESTED),
    _bomb("br inside gzip", "br, gzip", gzip.compress(brotli.compress(ZEROS, quality=1))),
    _bomb("a thousand gzip members", "gzip", gzip.compress(bytes(10_000)) * 1_000),
    Behaviour(name="compresses without end", talk=_compressed_without_end, truncated=True),
    _in_part("announces three codings and compresses once", _coded("gzip, br, zstd", GZIPPED)),
    _in_part("announces a hundred codings", _coded(", ".join(["gzip"] * 100), GZIPPED)),
    _in_part("announces br and sends gzip", _coded("br", GZIPPED)),
    _in_part("announces zstd and sends noise", _coded("zstd", bytes(range(256)) * 4)),
    _shop("announces gzip and sends plain HTML", _coded("gzip", TEXT)),
    _in_part("sends a gzip checksum that is wrong", _coded("gzip", GZIPPED[:-8] + b"\0" * 8), links=1, title="Shop"),
    _shop("sends noise after its gzip stream", _coded("gzip", GZIPPED + b"noise" * 1_000)),
    _shop("announces an old name of gzip", _coded("x-gzip", GZIPPED)),
    _shop(
        "sends chunks after announcing a length",
        once(
            OK
            + f"{HTML}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n{len(TEXT):x}\r\n".encode()
            + TEXT
            + b"\r\n0\r\n\r\n"
        ),
    ),
    Behaviour(name="sends 60,000 chunks of one byte", talk=_chunks_of_one_byte, links=0, title=""),
    _in_part("drips chunks without end", _drips_in_chunks, links=None, reason="not_html"),
    _in_part("drips its head byte by byte", _waits_between_bytes_of_its_head),
    Behaviour(name="calls a picture HTML", talk=_typed("text/html", PNG), links=0),
    Behaviour(name="calls HTML a text", talk=_typed("text/plain"), reason="not_html"),
    Behaviour(name="calls HTML a picture", talk=_typed("image/png"), reason="not_html"),
    Behaviour(name="calls HTML XML", talk=_typed("text/xml"), reason="not_html"),
    Behaviour(name="sends noise without a type", talk=sends(bytes(range(256)) * 100), reason="not_html"),
    Behaviour(name="sends white space only", talk=_typed("text/html", b" \r\n\t" * 1_000), reason="empty"),
    Behaviour(name="sends a PDF as a page", talk=_typed("text/html", b"%PDF-1.7\n%%EOF"), links=0),
    _shop("has a type of 8,000 characters", _typed("text/html; x=" + "y" * 8_000)),
    _shop("has a type with a thousand parameters", _typed("text/html" + "; charset=utf-8" * 1_000)),
    _shop("says a character set that does not exist", _typed("text/html; charset=klingon")),
    _shop("says UTF-16 and sends ASCII", _typed("text/html; charset=utf-8", b"<meta charset=utf-16>" + TEXT)),
    _shop("says UTF-7", _typed("text/html; charset=utf-7")),
    _shop("says a Python codec", _typed("text/html; charset=zlib_codec")),
    _shop("says the codec that runs escapes", _typed("text/html; charset=unicode_escape")),
    _shop("says the codec of host names", _typed("text/html; charset=idna")),
    _shop("has 300 declarations of character sets", _typed("text/html", b"<meta charset=x>" * 300 + TEXT)),
    Behaviour(
        name="sends UTF-32", talk=_typed("text/html; charset=utf-32", "<title>Shop</title>".encode("utf-32")), links=0
    ),
    _shop("sends half of a character", _typed("text/html; charset=utf-8", TEXT + b"\xf0\x9f")),
    Behaviour(
        name="sends only bytes that are no UTF-8", talk=_typed("text/html; charset=utf-8", b"\xff" * 10_000), links=0
    ),
    Behaviour(name="sends NULs only", talk=_typed("text/html", bytes(10_000)), links=0),
    _shop("sets 190 large cookies", html(TEXT, *(f"Set-Cookie: c{index}={'x' * 200}" for index in range(190)))),
    _shop("sets a cookie without a name", html(TEXT, "Set-Cookie: =x", "Set-Cookie: ;;;", "Set-Cookie: ")),
    _shop("has an ETag of 8,000 characters", html(TEXT, f'ETag: "{"e" * 8_000}"')),
    _shop(
        "has an ETag of control characters",
        once(OK + f"{HTML}\r\nContent-Length: {len(TEXT)}\r\nETag: ".encode() + b'"\x01\x1b[31m\x7f"\r\n\r\n' + TEXT),
    ),
    _shop("has a Last-Modified that is no date", html(TEXT, "Last-Modified: yesterday, " + "9" * 500)),
    _shop("has a Date of the year 9999", html(TEXT, "Date: Fri, 31 Dec 9999 23:59:59 GMT", "Expires: 0")),
    _shop("links to 1,000 resources in its head", html(TEXT, "Link: " + ", ".join(["</a>; rel=preload"] * 1_000))),
    _shop("never closes the bracket of its Link", html(TEXT, "Link: " + "<" * 20_000)),
    _shop("never closes the quotes of its Link", html(TEXT, 'Link: </a>; rel="' + "\\" * 20_000)),
    _shop("claims a canonical page that is a script", html(TEXT, "Link: <javascript:alert(1)>; rel=canonical")),
    _shop("has 2,000 directives for crawlers", html(TEXT, "X-Robots-Tag: " + "unavailable_after: x, " * 2_000)),
    _shop("sends commands to a terminal in its reason", sends(TEXT, HTML, status="200 \x1b[2Jhi")),
    _busy("for ever", "9" * 400),
    _busy("for a negative time", "-1"),
    _busy("until the year 9999", "Fri, 31 Dec 9999 23:59:59 GMT"),
    _busy("until a date that does not exist", "Fri, 31 Feb 2026 25:61:61 GMT"),
    _busy("not a number of seconds", "nan"),
    _busy("in digits of another script", "\u0663", "429 Too Many Requests"),
    Behaviour(
        name="asks for a password of a scheme of its own",
        talk=sends(TEXT, 'WWW-Authenticate: X realm="' + "r" * 5_000, status="401 Unauthorized"),
        state="forbidden",
        reason="status",
    ),
    Behaviour(
        name="is a teapot", talk=sends(TEXT, HTML, status="418 I'm a teapot"), state="http_error", reason="status"
    ),
    Behaviour(
        name="sends a part that nobody asked for",
        talk=sends(TEXT, HTML, "Content-Range: bytes 0-9/99", status="206 Partial Content"),
        truncated=True,
    ),
    Behaviour(name="resets the content", talk=sends(b"", HTML, status="205 Reset Content"), reason="empty"),
    _failed(
        "upgrades to a WebSocket",
        once(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello"),
        "protocol",
    ),
    _failed("speaks HTTP/2 at once", once(b"\0\0\x12\x04\0\0\0\0\0\0\x03\0\0\0d"), "protocol"),
    _failed("speaks TLS on a plain port", once(b"\x15\x03\x01\0\x02\x02\x46"), "protocol"),
    _failed("speaks SSH", once(b"SSH-2.0-OpenSSH_9.6\r\n"), "protocol"),
    _failed("speaks RTSP", once(b"RTSP/1.0 200 OK\r\n\r\n"), "protocol"),
    _failed("sends a request instead of a response", once(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), "protocol"),
    _failed("floods with 1xx", once(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 10_000), "protocol"),
    _in_part("floods with trailers", once(OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"X: y\r\n" * 20_000)),
    Behaviour(
        name="folds a header 10,000 times", talk=once(OK + b"X: y\r\n" + b" z\r\n" * 10_000 + b"\r\n"), reason="empty"
    ),
    _shop("sends two responses for one request", once(page(TEXT, HTML) + page(b"<title>Other</title>", HTML))),
)
