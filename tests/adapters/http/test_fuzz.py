"""The client returns a consistent exchange for any bytes that a server sends."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, pairwise

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import Peer, Server, page, serving

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.domain.fetching.exchange import Exchange, FetchRequest, TransportFault
from wavecrawl.domain.fetching.limits import FetchLimits
from wavecrawl.domain.fetching.outcome import classify

LIMITS = FetchLimits(timeout=0.3, max_bytes=2_000, max_decoded_bytes=3_000)
PATIENT = replace(LIMITS, timeout=60.0)  # for responses that must be read to their end, even on a busy machine
TEXT = b"<title>fuzz</title>" + b"<p>hello, wide world</p>" * 20
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html\r\n\r\n"
    b"c8;x=y\r\n" + TEXT[:200] + b"\r\n" + b"%x\r\n" % len(TEXT[200:]) + TEXT[200:] + b"\r\n0\r\nX-Sum: 1\r\n\r\n"
)
VALID = (
    page(TEXT, "Content-Type: text/html; charset=utf-8", 'ETag: "1"', "Date: Sat, 01 Aug 2026 00:00:00 GMT"),
    page(gzip.compress(TEXT, mtime=0), "Content-Encoding: gzip"),
    page(zlib.compress(TEXT), "Content-Encoding: deflate"),
    page(brotli.compress(TEXT), "Content-Encoding: br"),
    page(zstandard.compress(TEXT), "Content-Encoding: zstd"),
    page(brotli.compress(gzip.compress(TEXT, mtime=0)), "Content-Encoding: gzip, br"),
    b"HTTP/1.1 200 OK\r\n\r\n" + TEXT,
    b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + page(TEXT),
    CHUNKED,
)
EMPTY = (
    page(b"", "Location: /elsewhere", status="301 Moved Permanently"),
    page(b"", "Retry-After: 7", status="503 Service Unavailable"),
    page(b"", status="304 Not Modified"),
)
ON_THE_WIRE = frozenset(
    (TransportFault.RESET, TransportFault.PROTOCOL, TransportFault.TIMEOUT, TransportFault.DECODING)
)


@dataclass(slots=True)
class Script:
    """The pieces that the server sends before it closes."""

    pieces: list[bytes] = field(default_factory=list)

    def talk(self, peer: Peer) -> None:
        peer.request()
        peer.say(*self.pieces)


@dataclass(frozen=True, slots=True)
class Stage:
    server: Server
    script: Script
    client: RequestsPageClient
    numbers: Iterator[int] = field(default_factory=count)

    def play(self, *pieces: bytes, method: str = "GET", limits: FetchLimits = LIMITS) -> Exchange:
        self.script.pieces = list(pieces)
        path = f"/{next(self.numbers)}"  # on a busy machine the server may still read the request of an earlier call
        exchange = self.client.fetch(FetchRequest(url=self.server.url + path, method=method, limits=limits))
        silent = not any(self.script.pieces)
        # A request is sent twice only if the server sent nothing, for example on a kept connection that it just closed.
        made = sum(head.startswith(f"{method} {path} ".encode()) for head in self.server.requests)
        assert made <= (2 if silent else 1)
        assert (
            made or exchange.fault is TransportFault.TIMEOUT
        )  # on a busy machine the server may not have read it in time
        return exchange


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    script = Script()
    client = RequestsPageClient(user_agent="bot/1", allowed=LOOPBACK)
    with serving(script.talk) as server:
        yield Stage(server, script, client)
        client.close()


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Valid responses after a few flips, cuts and insertions."""
    data = bytearray(draw(st.sampled_from(VALID + EMPTY)))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, max(0, len(data) - 1)))
        match draw(st.sampled_from(("flip", "cut", "insert"))):
            case "flip" if data:
                data[start] ^= 1 << draw(st.integers(0, 7))
            case "cut":
                del data[start : start + draw(st.integers(1, 40))]
            case _:
                grain = (b"\r\n", b"\n", b":", b"\0", b"\r", b" ", b"\r\n\r\n", b"Content-Length: 5\r\n", b"\xff", b"0")
                data[start:start] = draw(st.sampled_from(grain) | st.binary(min_size=1, max_size=9))
    return bytes(data)


def assert_consistent(exchange: Exchange) -> None:
    fault, status = exchange.fault, exchange.status
    if exchange.address is None:  # on a busy machine, the time ends before the connection is made
        assert status is None
        assert fault is TransportFault.TIMEOUT
        return
    assert exchange.address == "127.0.0.1"
    assert 0 <= exchange.first_byte_after <= exchange.elapsed
    assert bool(exchange.fault_detail) == (fault is not None)
    assert exchange.fault_detail.isprintable()
    assert len(exchange.fault_detail) <= 200
    assert len(exchange.raw_body) <= LIMITS.max_bytes
    assert len(exchange.body) <= LIMITS.max_decoded_bytes
    assert fault is None or fault in ON_THE_WIRE
    if status is None:
        assert fault in ON_THE_WIRE - {TransportFault.DECODING}
        assert (exchange.headers, exchange.raw_body, exchange.body, exchange.truncated) == ((), b"", b"", False)
    else:
        assert 200 <= status <= 999 or (status, fault) == (101, TransportFault.PROTOCOL)
        assert exchange.http_version.startswith("HTTP/1.")
        assert exchange.reason.isprintable()
    for name, value in exchange.headers:
        assert name.strip()
        assert not set("\r\n\0") & set(name + value)
    classify(exchange)  # must not raise


@given(response=st.binary(max_size=300) | st.binary(max_size=300).map(b"HTTP/1.1 200 OK\r\n".__add__))
def test_random_bytes_give_a_consistent_exchange(stage: Stage, response: bytes) -> None:
    assert_consistent(stage.play(response))


@given(response=mutated(), method=st.sampled_from(("GET", "GET", "GET", "HEAD")))
def test_damaged_responses_give_a_consistent_exchange(stage: Stage, response: bytes, method: str) -> None:
    assert_consistent(stage.play(response, method=method))


@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(
                "Content-Length Transfer-Encoding Content-Encoding Connection Location Retry-After Date X".split()
            ),
            st.sampled_from(
                ("5", "0", "-1", "5, 5", "chunked", "gzip", "identity", "close", "br,, gzip", "", "é", "\t")
            )
            | st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=9),
        ),
        max_size=6,
    ),
    body=st.sampled_from((b"", b"hello", b"5\r\nhello\r\n0\r\n\r\n", gzip.compress(b"hello"))),
)
def test_any_mixture_of_framing_and_coding_gives_a_consistent_exchange(
    stage: Stage, lines: list[tuple[str, str]], body: bytes
) -> None:
    head = "".join(f"{name}: {value}\r\n" for name, value in lines).encode()
    exchange = stage.play(b"HTTP/1.1 200 OK\r\n" + head + b"\r\n" + body, limits=PATIENT)
    assert exchange.status == 200
    assert_consistent(exchange)


@given(response=st.sampled_from(VALID), cuts=st.lists(st.integers(0, 700), max_size=8))
def test_a_response_is_the_same_however_it_is_cut_into_pieces(stage: Stage, response: bytes, cuts: list[int]) -> None:
    ends = [0, *sorted(cuts), len(response)]
    exchange = stage.play(*(response[start:end] for start, end in pairwise(ends)), limits=PATIENT)
    assert_consistent(exchange)
    assert (exchange.status, exchange.fault, exchange.body) == (200, None, TEXT)


@given(response=st.sampled_from(VALID + EMPTY), keep=st.integers(0, 700))
def test_a_response_that_breaks_off_never_looks_like_another_page(stage: Stage, response: bytes, keep: int) -> None:
    exchange = stage.play(response[:keep], limits=PATIENT)
    assert_consistent(exchange)
    assert TEXT.startswith(exchange.body)
    whole = keep >= len(response) or response.startswith(
        b"HTTP/1.1 200 OK\r\n\r\n"
    )  # its body ends with the connection
    if exchange.fault is None and not whole:
        assert exchange.body in (TEXT, b"")
