"""Parts of the page client that a server alone cannot bring into every state: decoding, sending, pools."""

import gzip
import io
import socket
import ssl
import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from random import Random
from time import monotonic

import brotli
import pytest
import zstandard
from requests import PreparedRequest
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import answering, page, serving
from urllib3 import HTTPConnectionPool
from urllib3.connection import HTTPConnection

from wavecrawl.adapters.http import decoding
from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import Dialer, Pools
from wavecrawl.adapters.http.decoding import codings_of, decode
from wavecrawl.adapters.http.faults import TransferError, one_line
from wavecrawl.adapters.http.inbox import Inbox
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.adapters.http.target import target_of
from wavecrawl.adapters.http.transport import GuardedAdapter
from wavecrawl.domain.fetching.exchange import TransportFault

TEXT = b"".join(b"%d bottles of beer on the wall, " % number for number in range(3_000))
NOISE = Random(1).randbytes(9_000)  # does not get smaller
STREAMED = ("gzip", "deflate")  # these give what they have as they go


def bare_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


def zstd_of_unknown_size(data: bytes) -> bytes:
    out = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as writer:
        writer.write(data)
    return out.getvalue()


def turned(data: bytes, at: int) -> bytes:
    """Return data with the bits of one byte turned over."""
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


WHOLE = {
    "gzip": gzip.compress(TEXT, mtime=0),
    "deflate": zlib.compress(TEXT),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.compress(TEXT),
}


@dataclass(frozen=True, slots=True)
class Coded:
    name: str
    codings: tuple[str, ...]
    raw: bytes
    body: bytes
    problem: str = ""
    truncated: bool = False
    whole: bool = True
    limit: int = 1_000_000


@pytest.mark.parametrize(
    "case",
    [
        Coded("nothing", ("gzip",), b"", b""),
        Coded("nothing under something", ("gzip", "br"), brotli.compress(b""), b""),
        Coded("no coding", (), TEXT, TEXT),
        Coded("no coding, cut", (), TEXT, TEXT[:9], truncated=True, limit=9),
        Coded("two members", ("gzip",), gzip.compress(b"one") + gzip.compress(b"two"), b"onetwo"),
        Coded("many members", ("gzip",), gzip.compress(b"x") * 1_000, b"x" * 1_000),
        Coded("too many members", ("gzip",), gzip.compress(b"x") * 1_001, b"x" * 1_000, "not gzip: more than 1,000"),
        Coded("gzip and something behind", ("gzip",), gzip.compress(b"one") + b"\0\0rest", b"one"),
        Coded("gzip with a wrong checksum", ("gzip",), turned(WHOLE["gzip"], -6), b"?", "not gzip"),
        Coded("the first byte of gzip", ("gzip",), b"\x1f", b"", "the gzip body ends early"),
        Coded("the head of gzip", ("gzip",), WHOLE["gzip"][:10], b"", "the gzip body ends early"),
        Coded("plain text, cut", ("gzip",), TEXT, TEXT[:9], truncated=True, limit=9),
        Coded("bare deflate", ("deflate",), bare_deflate(TEXT), TEXT),
        Coded("brotli and something behind", ("br",), brotli.compress(b"one") + b"rest", b"one"),
        Coded("two frames", ("zstd",), zstandard.compress(b"one") + zstandard.compress(b"two"), b"onetwo"),
        Coded("zstd of unknown size", ("zstd",), zstd_of_unknown_size(NOISE * 9), NOISE * 9),
        Coded("zstd and something behind", ("zstd",), zstandard.compress(b"one") + b"rest", b"one", "not zstd"),
        Coded("three codings", ("br", "zstd", "gzip"), gzip.compress(zstandard.compress(brotli.compress(TEXT))), TEXT),
        Coded("four codings", ("gzip",) * 4, b"x", b"", "4 content codings, one over another"),
        Coded("an unknown coding", ("rot13",), b"uryyb", b"uryyb", "unknown coding 'rot13'"),
        Coded("an unknown one, cut", ("rot13",), b"uryyb", b"ury", "unknown coding 'rot13'", truncated=True, limit=3),
        Coded("an unknown one inside", ("rot13", "gzip"), gzip.compress(b"uryyb"), b"uryyb", "unknown coding 'rot13'"),
        Coded("a broken one outside", ("gzip", "br"), b"\xff" * 9, b"", "not br"),
        *(Coded(f"{c}, cut at the limit", (c,), raw, TEXT[:99], "", True, limit=99) for c, raw in WHOLE.items()),
        *(Coded(f"{c} of just the limit", (c,), raw, TEXT, limit=len(TEXT)) for c, raw in WHOLE.items()),
        *(Coded(f"{c}, all but its end", (c,), raw[:-9], b"?", f"the {c} body ends early") for c, raw in WHOLE.items()),
        *(Coded(f"{c}, known to be cut", (c,), raw[:-9], b"?", whole=False) for c, raw in WHOLE.items()),
    ],
    ids=lambda case: case.name,
)
def test_decoding(case: Coded) -> None:
    found = decode(case.raw, case.codings, limit=case.limit, whole=case.whole)
    if case.body == b"?":  # as much as the decoder gave before the end
        assert TEXT.startswith(found.body)
    else:
        assert found.body == case.body
    assert found.truncated == case.truncated
    assert found.problem.startswith(case.problem)
    assert bool(found.problem) == bool(case.problem)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_what_comes_before_the_damage_is_kept(coding: str) -> None:
    pack = {"gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress, "zstd": zstd_of_unknown_size}
    whole = pack[coding](TEXT + NOISE)
    found = decode(whole[:-2_000] + b"\xff" * 2_000, (coding,), limit=1_000_000)
    assert found.problem
    assert found.body[: len(TEXT)] == TEXT[: len(found.body)]
    assert len(found.body) >= len(TEXT) or coding not in STREAMED


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_stream_is_decoded_in_pieces_no_larger_than_asked_for(coding: str) -> None:
    pieces = list(decoding._STREAMS[coding](WHOLE[coding], 1_000))
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) == 1_000


def test_what_is_saved_comes_in_pieces_no_larger_than_asked_for() -> None:
    pieces = list(decoding._salvaged(turned(WHOLE["gzip"], -6), 31, 10))
    assert TEXT.startswith(b"".join(pieces))
    assert max(map(len, pieces)) == 10
    assert b"".join(decoding._salvaged(WHOLE["gzip"], 31, 100_000)) == TEXT


def test_a_bomb_is_cut_at_every_stage() -> None:
    bomb = gzip.compress(gzip.compress(b"\0" * 20_000_000))
    found = decode(bomb, ("gzip", "gzip"), limit=1_000)
    assert len(found.body) <= 1_000
    assert found.truncated


@pytest.mark.parametrize(
    ("values", "codings"),
    [
        ((), ()),
        (("gzip",), ("gzip",)),
        (("GZIP , br",), ("gzip", "br")),
        (("x-gzip", "identity"), ("gzip",)),
        ((",, ,", "Identity"), ()),
    ],
)
def test_the_codings_that_headers_name(values: tuple[str, ...], codings: tuple[str, ...]) -> None:
    assert codings_of(values) == codings


@pytest.mark.parametrize(
    ("url", "scheme", "host", "port", "header", "path"),
    [
        ("http://shop.example", "http", "shop.example", 80, "shop.example", "/"),
        ("https://shop.example/a#b", "https", "shop.example", 443, "shop.example", "/a"),
        ("HTTP://Shop.Example:80/", "http", "shop.example", 80, "Shop.Example", "/"),
        ("http://shop.example:/x", "http", "shop.example", 80, "shop.example", "/x"),
        ("http://shop.example:443/", "http", "shop.example", 443, "shop.example:443", "/"),
        ("https://[2001:DB8::1]:8443/?q#", "https", "2001:db8::1", 8443, "[2001:DB8::1]:8443", "/?q"),
        ("http://shop.example.?a=/b", "http", "shop.example.", 80, "shop.example.", "/?a=/b"),
        ("http://a_b~c/", "http", "a_b~c", 80, "a_b~c", "/"),
    ],
)
def test_what_a_url_asks_for(url: str, scheme: str, host: str, port: int, header: str, path: str) -> None:  # noqa: PLR0917 - a table
    target = target_of(url)
    endpoint = target.endpoint
    assert (endpoint.scheme, endpoint.host, endpoint.port) == (scheme, host, port)
    assert (endpoint.host_header, target.path) == (header, path)


@pytest.mark.parametrize(
    ("text", "line"), [("plain", "plain"), ("a\r\nb\x1b[0m", "a  b [0m"), ("x" * 300, "x" * 200), (OSError(), "")]
)
def test_text_for_people_is_one_printable_line(text: object, line: str) -> None:
    assert one_line(text) == line


# one exchange's traffic


@contextmanager
def a_pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    one, other = socket.socketpair()
    with closing(one), closing(other):
        yield one, other


def test_sending_to_a_server_that_has_closed_leaves_its_answer_to_be_read() -> None:
    with a_pair() as (sock, server):
        server.sendall(b"HTTP/1.1 413 Too Large\r\n")
        server.close()
        inbox = Inbox(sock, deadline=monotonic() + 5)
        inbox.send(b"x" * 1_000_000)
        assert inbox.more()
        assert inbox.line(100, what="the answer") == b"HTTP/1.1 413 Too Large"


def test_a_request_nobody_reads_runs_into_the_deadline() -> None:
    with a_pair() as (sock, _), pytest.raises(TransferError) as caught:
        Inbox(sock, deadline=monotonic() + 0.1).send(b"x" * 9_000_000)  # more than the system's buffers hold
    assert caught.value.fault is TransportFault.TIMEOUT
    assert caught.value.detail == "the deadline passed while sending the request"


def test_nothing_is_waited_for_when_the_time_is_over() -> None:
    with a_pair() as (sock, server):
        server.sendall(b"late")
        inbox = Inbox(sock, deadline=monotonic() - 1)
        with pytest.raises(TransferError) as caught:
            inbox.more()
    assert caught.value.fault is TransportFault.TIMEOUT
    assert not inbox.heard


@pytest.mark.parametrize(
    ("failure", "fault"),
    [
        (ssl.SSLError(1, "bad record"), TransportFault.TLS),
        (ConnectionResetError(104, "reset by peer"), TransportFault.RESET),
        (TimeoutError("timed out"), TransportFault.TIMEOUT),
    ],
)
def test_a_connection_that_breaks_while_sending_is_a_fault(failure: OSError, fault: TransportFault) -> None:
    class Breaking(socket.socket):
        def sendall(self, *_: object) -> None:
            raise failure

    with Breaking(socket.AF_INET, socket.SOCK_STREAM) as sock, pytest.raises(TransferError) as caught:
        Inbox(sock, deadline=monotonic() + 5).send(b"GET / HTTP/1.1\r\n\r\n")
    assert caught.value.fault is fault


# pools


def dialer() -> Dialer:
    return Dialer(resolver=Resolver(), policy=AddressPolicy(LOOPBACK))


@pytest.fixture
def pools() -> Iterator[Pools]:
    found = Pools(dialer=dialer(), ca_file=None, pools=4, connections=2)
    yield found
    found.close()


def test_the_adapter_sends_its_own_requests_alone() -> None:
    adapter = GuardedAdapter(dialer=dialer(), ca_file=None, pools=1, connections=1)
    request = PreparedRequest()
    request.prepare(method="GET", url="http://shop.example/")
    with pytest.raises(TypeError, match="a PageRequest is needed"):
        adapter.send(request, timeout=1)
    adapter.close()


def test_a_connection_that_checks_no_address_is_not_lent(pools: Pools) -> None:
    pool = pools.pool_for(target_of("http://shop.example/").endpoint)
    pool._get_conn()  # makes room
    pool._put_conn(HTTPConnection("shop.example"))
    with pytest.raises(TypeError, match="not one of ours"):
        pool.borrow()


def test_a_pool_that_checks_no_address_is_not_used(pools: Pools) -> None:
    pools.pool_classes_by_scheme["http"] = HTTPConnectionPool
    with pytest.raises(TypeError, match="not one of ours"):
        pools.pool_for(target_of("http://shop.example/").endpoint)


def test_closing_passes_over_a_pool_that_another_thread_dropped(pools: Pools, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(answering(page(b""))) as server:
        pools.pool_for(target_of(server.url).endpoint)
        keys = pools.pools.keys()
        pools.pools.clear()
        monkeypatch.setattr(pools.pools, "keys", lambda: keys)
        pools.close()
    assert len(pools.pools) == 0
