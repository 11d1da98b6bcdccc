"""Bodies that are written to a file: what well-behaved and hostile servers leave there."""

import gzip
import tracemalloc
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random

import brotli
import pytest
import zstandard
from tests.adapters.http.loopback import Peer, Talk, once, page, responding, serving

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits

LIMIT = 100_000
LIMITS = FetchLimits(timeout=1.0, max_bytes=LIMIT, max_decoded_bytes=1)  # only max_bytes bounds downloads
PATIENT = FetchLimits(timeout=60.0, max_bytes=LIMIT)
NOISE = Random(1).randbytes(90_000)  # cannot be compressed
ZEROS = bytes(10_000_000)
OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
F = TransportFault


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    talk: Talk
    file: bytes | None  # None: there is no file
    received: int
    fault: TransportFault | None = None
    truncated: bool = False
    status: int | None = 200


def coded(coding: str, body: bytes) -> Talk:
    return responding(page(body, f"Content-Encoding: {coding}"))


def endless(peer: Peer) -> None:
    peer.request()
    peer.say(OK, b"\r\n")
    while not peer.server.stopped.is_set():
        peer.say(b"x" * 4_096)


def slow(peer: Peer) -> None:
    peer.request()
    peer.say(OK, b"\r\n")
    peer.drip(b"x")


def two_members() -> bytes:
    return gzip.compress(b"one", mtime=0) + gzip.compress(b"two", mtime=0)


def raw_deflate(body: bytes) -> bytes:
    maker = zlib.compressobj(wbits=-15)
    return maker.compress(body) + maker.flush()


GZIPPED = gzip.compress(NOISE, mtime=0)
BROTLI, BROTLI_OF_GZIP, BROTLI_BOMB = (brotli.compress(one, quality=1) for one in (NOISE, GZIPPED, ZEROS))
BOMB = gzip.compress(ZEROS, mtime=0)
CASES = (
    Case("a plain body", responding(page(NOISE)), NOISE, 90_000),
    Case("an empty body", responding(page(b"")), b"", 0),
    Case("chunks", responding(CHUNKED + b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), b"abcde", 5),
    Case("up to the end of the connection", once(OK + b"\r\nabc"), b"abc", 3),
    Case("gzip", coded("gzip", GZIPPED), NOISE, len(GZIPPED)),
    Case("gzip in two members", coded("gzip", two_members()), b"onetwo", len(two_members())),
    Case("bytes after gzip", coded("gzip", two_members() + b"rest"), b"onetwo", len(two_members()) + 4),
    Case("text labelled gzip", coded("gzip", b"<svg/>"), b"<svg/>", 6),
    Case("zlib", coded("deflate", zlib.compress(NOISE)), NOISE, len(zlib.compress(NOISE))),
    Case("raw deflate", coded("deflate", raw_deflate(NOISE)), NOISE, len(raw_deflate(NOISE))),
    Case("brotli", coded("br", BROTLI), NOISE, len(BROTLI)),
    Case("zstd", coded("zstd", zstandard.compress(NOISE)), NOISE, len(zstandard.compress(NOISE))),
    Case("two codings", coded("gzip, br", BROTLI_OF_GZIP), NOISE, len(BROTLI_OF_GZIP)),
    Case("no coding", coded("identity", b"abc"), b"abc", 3),
    # too long
    Case("as long as allowed", responding(page(bytes(LIMIT))), bytes(LIMIT), LIMIT),
    Case("too long by its Content-Length", responding(OK + b"Content-Length: 100001\r\n\r\n"), None, 0, truncated=True),
    Case("a byte too long", responding(OK + b"\r\n" + bytes(LIMIT + 1)), bytes(LIMIT), LIMIT, truncated=True),
    Case("endless", endless, b"x" * LIMIT, LIMIT, truncated=True),
    Case("a gzip bomb", coded("gzip", BOMB), bytes(LIMIT), len(BOMB), truncated=True),
    Case("a bomb in a bomb", coded("gzip, gzip", gzip.compress(BOMB, mtime=0)), bytes(LIMIT),
         len(gzip.compress(BOMB, mtime=0)), truncated=True),
    Case("a brotli bomb", coded("br", BROTLI_BOMB), bytes(LIMIT), len(BROTLI_BOMB), truncated=True),
    Case("a zstd bomb", coded("zstd", zstandard.compress(ZEROS)), bytes(LIMIT), len(zstandard.compress(ZEROS)),
         truncated=True),
    # broken
    Case("more than Content-Length", responding(OK + b"Content-Length: 3\r\n\r\nabcdef"), b"abc", 3),
    Case("less than Content-Length", once(OK + b"Content-Length: 9\r\nConnection: close\r\n\r\nabc"), b"abc", 3,
         F.RESET),
    Case("slow", slow, None, -1, F.TIMEOUT),
    Case("not gzip after its magic", coded("gzip", b"\x1f\x8bxxxxxx"), b"", 8, F.DECODING),
    Case("gzip that ends early", coded("gzip", two_members()[:-9]), b"onetwo", len(two_members()) - 9, F.DECODING),
    Case("brotli that ends early", coded("br", brotli.compress(b"abc" * 99)[:-3]), None, -1, F.DECODING),
    Case("not brotli", coded("br", b"<html>"), b"", 6, F.DECODING),
    Case("zstd that ends early", coded("zstd", zstandard.compress(NOISE)[:-9]), None, -1, F.DECODING),
    Case("an unknown coding", coded("sdch", b"abc"), b"", 0, F.DECODING),
    Case("too many codings", coded("gzip, gzip, gzip, gzip", b"abc"), b"", 0, F.DECODING),
    # no success
    Case("not found", responding(b"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc"), None, 3, status=404),
    Case("not modified", responding(b"HTTP/1.1 304 Not Modified\r\n\r\n"), None, 0, status=304),
    Case("closes without a response", once(), None, 0, F.RESET, status=None),
)  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_download_ends_with_a_file_and_a_clean_result(client: RequestsPageClient, tmp_path: Path, case: Case) -> None:
    path = tmp_path / "body"
    limits = LIMITS if case.fault is F.TIMEOUT else PATIENT
    with serving(case.talk) as server:
        exchange = client.download(FetchRequest(url=f"{server.url}/", limits=limits), path)
    assert (exchange.status, exchange.fault, exchange.truncated) == (case.status, case.fault, case.truncated)
    assert (exchange.body, exchange.raw_body) == (b"", b"")
    assert exchange.file_bytes == (path.stat().st_size if path.exists() else 0)
    if case.received >= 0:
        assert exchange.received_bytes == case.received
        assert (path.read_bytes() if path.exists() else None) == case.file


def test_the_connection_is_used_again_after_whole_bodies_and_short_errors(
    client: RequestsPageClient, tmp_path: Path
) -> None:
    def talk(peer: Peer) -> None:
        while head := peer.request():
            if b"/missing" in head:
                peer.say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\n\r\nabc")
            else:
                peer.say(page(NOISE))

    with serving(talk) as server:
        found = [
            client.download(FetchRequest(url=f"{server.url}/{name}"), tmp_path / name)
            for name in ("one", "missing", "two")
        ]
        assert server.connections == 1
    assert [exchange.status for exchange in found] == [200, 404, 200]
    assert (tmp_path / "two").read_bytes() == NOISE


def test_a_download_is_guarded_as_any_request(client: RequestsPageClient, tmp_path: Path) -> None:
    def download(url: str, method: str = "GET") -> Exchange:
        return client.download(FetchRequest(url=url, method=method), tmp_path / "body")

    assert download("http://inside.example/a.png").fault is F.BLOCKED_ADDRESS
    assert download("ftp://other.example/a.png").fault is F.URL
    assert download("http://other.example/a.png", "POST").fault is F.URL
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("coding", ["identity", "gzip", "br", "zstd"])
def test_a_long_body_is_not_held_in_memory(client: RequestsPageClient, tmp_path: Path, coding: str) -> None:
    body = NOISE * 300  # 27 MB
    coders: dict[str, Callable[[bytes], bytes]] = {
        "identity": bytes,
        "gzip": partial(gzip.compress, compresslevel=1),
        "br": partial(brotli.compress, quality=0),
        "zstd": zstandard.compress,
    }
    with serving(coded(coding, coders[coding](body))) as server:
        tracemalloc.start()
        request = FetchRequest(url=f"{server.url}/", limits=FetchLimits(timeout=60.0, max_bytes=30_000_000))
        exchange = client.download(request, tmp_path / "body")
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert (exchange.fault, exchange.file_bytes) == (None, len(body))
    assert peak < 12_000_000  # a window of zstd takes 8 MiB
    assert (tmp_path / "body").read_bytes() == body
