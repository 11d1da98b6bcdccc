"""Compression of images, compared with the pictures that went in."""

import struct
import zlib
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageCms, ImageStat
from tests.adapters.media.conftest import ALL, Process
from tests.support.pictures import encoded, opened, photo

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import UnusableAssetError

ORIENTATION = 0x0112
COMMENT = 0x9286


def difference(one: Image.Image, other: Image.Image) -> float:
    """Return the mean difference of two pictures of the same size, from 0 to 255."""
    return max(ImageStat.Stat(ImageChops.difference(one.convert("RGB"), other.convert("RGB"))).mean)


@pytest.mark.parametrize(
    ("format_", "mode", "options", "stored_as", "tolerance"),
    [
        ("JPEG", "RGB", {"quality": 98}, "JPEG", 3.5),
        ("JPEG", "L", {"quality": 98}, "JPEG", 3.5),
        ("PNG", "RGB", {"compress_level": 1}, "PNG", 0),
        ("PNG", "RGBA", {"compress_level": 1}, "PNG", 0),
        ("PNG", "L", {"compress_level": 0}, "PNG", 0),
        ("PNG", "P", {"compress_level": 0}, "PNG", 0),
        ("WEBP", "RGB", {"quality": 99}, "WEBP", 3.5),
        ("WEBP", "RGBA", {"quality": 99}, "WEBP", 8),
        ("BMP", "RGB", {}, "PNG", 0),
        ("TIFF", "RGB", {}, "PNG", 0),
    ],
)
def test_an_image_becomes_smaller_and_looks_the_same(
    process: Process,
    *,
    format_: str,
    mode: str,
    options: dict[str, int],
    stored_as: str,
    tolerance: float,
) -> None:
    picture = photo(240, 150, mode)
    sent = encoded(picture, format_, **options)
    asset, stored = process(sent)
    assert len(stored) < len(sent)
    shown = opened(stored)
    assert (shown.format, shown.size) == (stored_as, (240, 150))
    assert (asset.kind, asset.media_type) == (MediaKind.IMAGE, f"image/{stored_as.lower()}")
    assert (asset.width, asset.height, asset.problem) == (240, 150, "")
    assert asset.hash == sha256(sent).hexdigest()
    assert difference(opened(sent), shown) <= tolerance


def test_jpeg_is_progressive_with_quality_80(process: Process) -> None:
    picture = photo(240, 150)
    _, stored = process(encoded(picture, "JPEG", quality=98))
    shown = opened(stored)
    assert shown.info["progressive"] == 1
    expected = opened(encoded(opened(encoded(picture, "JPEG", quality=98)), "JPEG", quality=80))
    assert shown.quantization == expected.quantization  # type: ignore[attr-defined]


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(("size", "stored_size"), [((2400, 60), (1920, 48)), ((1921, 40), (1920, 40))])
def test_wide_images_are_narrowed_in_proportion(
    process: Process, format_: str, size: tuple[int, int], stored_size: tuple[int, int]
) -> None:
    picture = photo(*size)
    asset, stored = process(encoded(picture, format_, **({"quality": 99} if format_ != "PNG" else {})))
    assert opened(stored).size == stored_size == (asset.width, asset.height)
    assert difference(picture.resize(stored_size, Image.Resampling.LANCZOS), opened(stored)) < 6


def test_tall_images_keep_their_height(process: Process) -> None:
    asset, _ = process(encoded(photo(10, 3000), "PNG"))
    assert (asset.width, asset.height) == (10, 3000)


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("size", [(60, 40), (3000, 20), (20, 3000)])
def test_the_orientation_of_exif_is_applied(process: Process, orientation: int, size: tuple[int, int]) -> None:
    exif = Image.Exif()
    exif[ORIENTATION] = orientation
    sent = encoded(photo(*size), "JPEG", quality=100, exif=exif)
    turned = {3: Image.Transpose.ROTATE_180, 6: Image.Transpose.ROTATE_270, 8: Image.Transpose.ROTATE_90,
              2: Image.Transpose.FLIP_LEFT_RIGHT, 4: Image.Transpose.FLIP_TOP_BOTTOM,
              5: Image.Transpose.TRANSPOSE, 7: Image.Transpose.TRANSVERSE}  # fmt: skip
    as_shown = opened(sent).transpose(turned[orientation]) if orientation in turned else opened(sent)
    asset, stored = process(sent)
    shown = opened(stored)
    width, height = as_shown.size
    assert shown.size == (asset.width, asset.height) == (min(width, 1920), round(height * min(1.0, 1920 / width)))
    assert ORIENTATION not in shown.getexif()
    assert difference(as_shown.resize(shown.size, Image.Resampling.LANCZOS), shown) < 8


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP"])
def test_metadata_is_removed(process: Process, format_: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = "SECRET place"
    exif.get_ifd(0x8825)[2] = (52.0, 31.0, 12.0)
    options: dict[str, Any] = {"exif": exif, "xmp": b"<x:xmpmeta>SECRET</x:xmpmeta>", "comment": "SECRET"}
    if format_ == "PNG":
        options = {"exif": exif, "compress_level": 0}
    else:
        options["quality"] = 99
    sent = encoded(photo(240, 150), format_, **options)
    assert b"SECRET" in sent
    _, stored = process(sent)
    assert len(stored) < len(sent)
    assert b"SECRET" not in stored
    assert not opened(stored).getexif()


@pytest.mark.parametrize("format_", ["JPEG", "PNG", "WEBP"])
def test_the_colour_profile_is_kept(process: Process, format_: str) -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()
    options = {} if format_ == "PNG" else {"quality": 99}
    _, stored = process(encoded(photo(2000, 40), format_, icc_profile=profile, **options))
    assert opened(stored).info["icc_profile"] == profile


def test_cmyk_colours_stay(process: Process) -> None:
    picture = photo(240, 150).convert("CMYK")
    asset, stored = process(encoded(picture, "JPEG", quality=99))
    assert opened(stored).mode == "CMYK"
    assert asset.stored_bytes < asset.bytes
    assert difference(picture, opened(stored)) < 5


def test_a_transparent_colour_stays_transparent(process: Process) -> None:
    picture = Image.new("P", (2400, 50), 1)
    picture.putpalette([255, 0, 0, 0, 0, 255])
    picture.paste(0, (0, 0, 1200, 50))
    _, stored = process(encoded(picture, "PNG", transparency=0, compress_level=0))
    shown = opened(stored).convert("RGBA")
    assert shown.size == (1920, 40)
    assert shown.getpixel((100, 20))[3] == 0  # type: ignore[index]
    assert shown.getpixel((1800, 20)) == (0, 0, 255, 255)


def test_lossless_webp_stays_lossless(process: Process) -> None:
    picture = photo(240, 150)
    sent = encoded(picture, "WEBP", lossless=True, quality=0, method=0)
    asset, stored = process(sent)
    assert asset.stored_bytes < asset.bytes
    assert difference(picture, opened(stored)) == 0


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def with_chunk(png: bytes, name: bytes, data: bytes) -> bytes:
    """Return a PNG with another chunk after its header."""
    return png[:33] + chunk(name, data) + png[33:]


def animated(format_: str) -> bytes:
    frames = [Image.new("RGB", (2000, 30), (shade, 0, 0)) for shade in (0, 100, 200)]
    return encoded(frames[0], format_, save_all=True, append_images=frames[1:], duration=100)


AS_RECEIVED = {
    "an animated GIF": animated("GIF"),
    "an animated WebP": animated("WEBP"),
    "an animated PNG": animated("PNG"),
    "several pages": animated("TIFF"),
    "a GIF": encoded(photo(2000, 30, "P"), "GIF"),
    "an icon": encoded(photo(64, 64, "RGBA"), "ICO"),
    "AVIF": encoded(photo(64, 64), "AVIF"),
    "16 bits of grey": encoded(Image.new("I;16", (2000, 30), 9), "PNG"),
    "a gamma of its own": with_chunk(
        encoded(photo(64, 64), "PNG", compress_level=0), b"gAMA", struct.pack(">I", 100_000)
    ),
    "of a lower quality": encoded(photo(240, 150), "JPEG", quality=20, optimize=True, progressive=True),
    "already small": encoded(photo(64, 64), "PNG", optimize=True),
}


@pytest.mark.parametrize("name", AS_RECEIVED)
def test_what_would_lose_frames_or_colours_is_stored_as_received(process: Process, name: str) -> None:
    sent = AS_RECEIVED[name]
    asset, stored = process(sent)
    assert stored == sent
    picture = opened(sent)
    assert (asset.width, asset.height, asset.problem) == (*picture.size, "")
    assert asset.media_type == Image.MIME[picture.format or ""].replace("vnd.microsoft.icon", "x-icon")


def test_the_usual_gamma_is_no_obstacle(process: Process) -> None:
    usual = with_chunk(encoded(photo(64, 64), "PNG", compress_level=0), b"gAMA", struct.pack(">I", 45_455))
    asset, stored = process(usual)
    assert asset.stored_bytes < asset.bytes
    assert b"gAMA" not in stored


def test_the_same_image_gives_the_same_bytes(process: Process) -> None:
    sent = encoded(photo(2000, 300), "JPEG", quality=95)
    assert process(sent) == process(sent)


def test_limits_are_obeyed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(encoded(photo(500, 100), "PNG"))
    processor = MediaProcessor(ProcessingLimits(max_width=250, max_pixels=50_000))
    try:
        assert processor.process(path, wanted=ALL).asset.width == 250
        path.write_bytes(encoded(photo(501, 100), "PNG"))
        with pytest.raises(UnusableAssetError, match="501 x 100 pixels; at most 50,000 are read"):
            processor.process(path, wanted=ALL)
    finally:
        processor.close()
