"""The decoding of Content-Encoding: complete, truncated, damaged and hostile bodies."""

import gzip
import io
import zlib
from dataclasses import dataclass
from random import Random

import brotli
import pytest
import zstandard

from wavecrawl.adapters.http.content_codings import codings_of, undone
from wavecrawl.adapters.http.decoding import decode

TEXT = b"".join(b"%d bottles of beer on the wall, " % number for number in range(3_000))
NOISE = Random(1).randbytes(9_000)  # cannot be compressed
STREAMED = ("gzip", "deflate")  # these produce output before the end of the body


def bare_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


def zstd_of_unknown_size(data: bytes) -> bytes:
    out = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(out, closefd=False) as writer:
        writer.write(data)
    return out.getvalue()


def turned(data: bytes, at: int) -> bytes:
    """Return data with one byte inverted."""
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
        Coded("four codings", ("gzip",) * 4, b"x", b"", "4 content codings, at most 3 are decoded"),
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
    if case.body == b"?":  # any output before the error
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
    pieces = list(undone(coding, iter((WHOLE[coding],)), step=1_000))
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) == 1_000


@pytest.mark.parametrize("coding", WHOLE)
def test_the_pieces_of_a_body_may_have_any_size(coding: str) -> None:
    raw = WHOLE[coding]
    assert b"".join(undone(coding, (raw[at : at + 1] for at in range(len(raw))), step=100_000)) == TEXT
    assert b"".join(undone(coding, iter((b"", raw[:1], b"", raw[1:], b"")), step=100_000)) == TEXT


def test_all_content_before_an_error_is_kept() -> None:
    """The error is that of the checksum, after all of the content."""
    assert decode(turned(WHOLE["gzip"], -6), ("gzip",), limit=1_000_000).body == TEXT


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
