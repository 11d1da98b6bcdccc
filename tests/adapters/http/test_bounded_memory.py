"""The memory for one response: what is reserved before its body, and what pieces of any size take."""

import gzip
import tracemalloc
from random import Random
from threading import Event

import brotli
import pytest
from tests.adapters.http.loopback import Peer, responding, serving
from tests.support.patience import seen_within

from wavecrawl.adapters.http import decoding
from wavecrawl.adapters.http.body_buffer import BodyBuffer
from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.decoding import decode
from wavecrawl.domain.fetching.exchange import FetchRequest
from wavecrawl.domain.fetching.limits import FetchLimits

TEXT = b"<p>hello</p>"
LIMITS = FetchLimits(max_bytes=1_000, max_decoded_bytes=5_000)
NOISE = Random(1).randbytes(300_000)  # cannot be compressed


def test_a_body_in_small_chunks_takes_little_more_memory_than_its_size(client: RequestsPageClient) -> None:
    chunks = b"2\r\nxy\r\n" * 100_000 + b"0\r\n\r\n"
    with serving(responding(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)) as server:
        tracemalloc.start()
        exchange = client.fetch(FetchRequest(url=f"{server.url}/", limits=FetchLimits(timeout=120.0)))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert exchange.body == b"xy" * 100_000
    assert peak < 2_000_000  # a list of the chunks takes more than 4 MB


@pytest.mark.parametrize("coded", [1, 2, 3])
def test_bytes_after_a_brotli_stream_do_not_make_it_slow(coded: int) -> None:
    body = NOISE
    for _ in range(coded):
        body = brotli.compress(body, quality=0) + b"x"
    pieces = list(decoding._pieces_to_error("br", body, 1_000_000))
    assert len(pieces) < 5_000  # not one for each of 300,000 bytes
    found = decode(body, ("br",) * coded, limit=1_000_000)
    assert (found.body, found.problem, found.truncated) == (NOISE, "", False)


def test_bytes_after_a_brotli_stream_that_ends_with_a_slice_are_ignored() -> None:
    sizes = {len(brotli.compress(NOISE[:size], quality=0)): size for size in range(3_900, 4_200)}
    whole = NOISE[: sizes[decoding._SLICE]]
    found = decode(brotli.compress(whole, quality=0) + b"rest", ("br",), limit=1_000_000)
    assert (found.body, found.problem) == (whole, "")


@pytest.mark.parametrize("pieces", [(), (b"one",), (b"one", b"two", b"three")])
@pytest.mark.parametrize("limit", [0, 2, 5, 100])
def test_a_buffer_joins_pieces_up_to_a_limit(pieces: tuple[bytes, ...], limit: int) -> None:
    buffer = BodyBuffer()
    for piece in pieces:
        buffer.add(piece)
    assert buffer.size == sum(map(len, pieces))
    assert buffer.content(limit) == b"".join(pieces)[:limit]


@pytest.mark.parametrize(
    ("head", "body", "most"),
    [
        ("Content-Length: 12", TEXT, [12]),
        ("Content-Length: 5000", TEXT * 500, [1_000]),
        ("Connection: close", TEXT, [1_000]),
        ("Transfer-Encoding: chunked", b"c\r\n" + TEXT + b"\r\n0\r\n\r\n", [1_000]),
        ("Content-Encoding: gzip\r\nContent-Length: 32", gzip.compress(TEXT, mtime=0), [32, 5_000]),
        ("Content-Encoding: gzip, br\r\nContent-Length: 12", TEXT, [12, 2 * 5_000]),
        ("Content-Encoding: gzip\r\nContent-Length: 0", b"", [0]),
    ],
)
def test_the_most_that_a_body_may_take_is_reserved_first(
    client: RequestsPageClient, head: str, body: bytes, most: list[int]
) -> None:
    reserved: list[int] = []

    def reserve(count: int) -> float:
        reserved.append(count)
        return 0.0

    def talk(peer: Peer) -> None:
        peer.request()
        peer.say(f"HTTP/1.1 200 OK\r\n{head}\r\n\r\n".encode() + body)

    with serving(talk) as server:
        client.fetch(FetchRequest(url=f"{server.url}/", limits=LIMITS, reserve=reserve))
    assert reserved == most


def test_a_wait_for_memory_does_not_count_towards_the_time_limit(client: RequestsPageClient) -> None:
    def waiting(limit: float) -> tuple[object, bytes]:
        goes_on = Event()

        def reserve(_: int) -> float:
            Event().wait(limit)
            goes_on.set()
            return 60.0

        def talk(peer: Peer) -> None:
            peer.request()
            peer.say(b"HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n")
            goes_on.wait()
            peer.say(TEXT)

        with serving(talk) as server:
            request = FetchRequest(url=f"{server.url}/", limits=FetchLimits(timeout=limit), reserve=reserve)
            exchange = client.fetch(request)
        return exchange.fault, exchange.body

    expected = (None, TEXT)
    assert seen_within((1.0, 20.0), waiting, expected=expected.__eq__) == expected
