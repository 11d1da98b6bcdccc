"""Images that are damaged, huge, mislabelled, or something else as well."""

import struct
import zlib

import pytest
from tests.adapters.media.conftest import Process
from tests.adapters.media.test_compressed_images import chunk, with_chunk
from tests.support.pictures import encoded, opened, photo

from wavecrawl.errors import UnusableAssetError

GIF = encoded(photo(10, 10, "P"), "GIF")
PNG = encoded(photo(64, 64), "PNG", compress_level=0)


def png_of(width: int, height: int, data: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg_of(width: int, height: int) -> bytes:
    """Return a JPEG whose header claims another size."""
    small = bytearray(encoded(photo(16, 16, "L"), "JPEG"))
    at = small.index(b"\xff\xc0") + 5
    small[at : at + 4] = struct.pack(">HH", height, width)
    return bytes(small)


REFUSED = {
    "a bomb of pixels in PNG": (png_of(60_000, 60_000, zlib.compress(bytes(1_000))), "60000 x 60000 pixels"),
    "a bomb of pixels in JPEG": (jpeg_of(65_500, 65_500), "65500 x 65500 pixels"),
    "a bomb of pixels in GIF": (GIF[:6] + struct.pack("<HH", 65_535, 65_535) + GIF[10:], "65535 x 65535"),
    "a bomb of pixels in BMP": (
        b"BM" + struct.pack("<IIIIiiHHIIiiII", 1_000, 0, 54, 40, 100_000, 100_000, 1, 24, 0, 0, 0, 0, 0, 0),
        "100000 x 100000 pixels",
    ),
    "magic and nothing else": (b"\x89PNG\r\n\x1a\n", "no readable PNG image"),
    "magic and noise": (b"\xff\xd8\xff" + bytes(range(256)), "no readable JPG image"),
    "HTML with the bytes of a PNG in it": (b"<html><img>" + PNG, "the content is no image"),
    "a script": (b"alert(1) // GIF89a", "the content is no image"),
    "plain text": (b"hello", "the content is no image"),
    "nothing": (b"", "empty"),
    "a program": (b"\x7fELF" + bytes(100), "the content is no image"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_file_that_is_no_usable_image_is_refused(process: Process, name: str) -> None:
    content, message = REFUSED[name]
    with pytest.raises(UnusableAssetError, match=message):
        process(content)


JPEG = encoded(photo(640, 480), "JPEG", quality=98)
DAMAGED = {
    "truncated JPEG": JPEG[: len(JPEG) // 2],
    "truncated PNG": PNG[: len(PNG) // 2],
    "wrong checksum": PNG[:60] + b"\0\0\0\0" + PNG[64:],
    "less data than pixels": png_of(5_000, 5_000, zlib.compress(bytes(1_000))),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_image_is_stored_as_received(process: Process, name: str) -> None:
    asset, stored = process(DAMAGED[name])
    assert stored == DAMAGED[name]
    assert asset.problem.startswith("damaged, stored as received: ")


WEBP_BOMB = bytes.fromhex("524946461a000000574542505650384c0e0000002ffebfff0f071011fd0f4444ff03")
"""A grey picture of 16,383 x 16,383 pixels, lossless: Pillow's file of Image.new("L", (16_383, 16_383))."""

BOMB = b"k\0\0" + zlib.compress(bytes(80_000_000), 9)
UNREADABLE = {
    "a bomb of pixels in WebP": WEBP_BOMB,
    "truncated WebP": encoded(photo(640, 480), "WEBP", quality=99)[:-9_000],
    "a bomb of text in PNG": with_chunk(PNG, b"zTXt", BOMB),
    "a bomb of a profile in PNG": with_chunk(PNG, b"iCCP", BOMB),
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_header_that_cannot_be_read_is_refused(process: Process, name: str) -> None:
    with pytest.raises(UnusableAssetError, match="no readable"):
        process(UNREADABLE[name])


@pytest.mark.parametrize(
    "sent",
    [PNG + b"<script>alert(1)</script>", PNG + b"%PDF-1.7 trailer", JPEG + b"PK\3\4" + bytes(99)],
    ids=["HTML", "PDF", "ZIP"],
)
def test_what_follows_an_image_is_not_stored(process: Process, sent: bytes) -> None:
    asset, stored = process(sent)
    assert asset.media_type in {"image/png", "image/jpeg"}
    assert len(stored) < len(sent)
    assert not any(other in stored for other in (b"<script>", b"%PDF-", b"PK\3\4"))


def test_a_gif_that_is_a_script_too_is_an_image(process: Process) -> None:
    sent = b"GIF89a" + b"=1;alert(1);//".ljust(30, b"/")
    with pytest.raises(UnusableAssetError):
        process(sent)
    gif = encoded(photo(10, 10, "P"), "GIF") + b"/*<script>*/"
    assert process(gif)[0].media_type == "image/gif"


def test_after_a_hostile_file_others_are_processed(process: Process) -> None:
    with pytest.raises(UnusableAssetError):
        process(REFUSED["a bomb of pixels in PNG"][0])
    assert opened(process(PNG)[1]).size == (64, 64)
