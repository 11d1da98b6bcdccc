"""Compression of images with Pillow."""

from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image, ImageFile, ImageOps, UnidentifiedImageError

from wavecrawl.adapters.media.formats import AVIF, BMP, GIF, ICO, JPEG, PNG, TIFF, WEBP, Format
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.messages import Job, Reply, one_line

_PILLOW = {JPEG: "JPEG", PNG: "PNG", GIF: "GIF", WEBP: "WEBP", AVIF: "AVIF", BMP: "BMP", TIFF: "TIFF", ICO: "ICO"}
_STORED_AS = {JPEG: JPEG, PNG: PNG, WEBP: WEBP, BMP: PNG, TIFF: PNG}  # the others are stored as received
_WITH_FRAMES = (PNG, WEBP, TIFF)
_MODES = {
    JPEG: ("L", "RGB", "CMYK"),
    PNG: ("1", "L", "LA", "P", "RGB", "RGBA"),
    WEBP: ("RGB", "RGBA"),
}
_ORIENTATION = 0x0112  # EXIF tag
_SIDEWAYS = (5, 6, 7, 8)  # its values with which width and height are exchanged
_SRGB_GAMMA = 0.45455
_GAMMA_TOLERANCE = 0.01

Image.MAX_IMAGE_PIXELS = None  # `max_pixels` is checked here, before anything is decoded


def compressed(job: Job) -> Reply:
    """Read an image, and write a smaller one if that is possible."""
    path = Path(job.path)
    try:
        image = Image.open(path, formats=(_PILLOW[job.format],))
    except MemoryError:
        raise
    except UnidentifiedImageError:  # its message has the path
        return Reply(unusable=f"no readable {job.format.extension.upper()} image")
    except Exception as error:  # noqa: BLE001 - a hostile file makes a decoder raise anything
        return Reply(unusable=f"no readable {job.format.extension.upper()} image: {one_line(error)}")
    with image:
        return _of(image, job)


def _of(image: ImageFile.ImageFile, job: Job) -> Reply:
    width, height = image.size
    if width * height > job.limits.max_pixels:
        return Reply(unusable=f"{width} x {height} pixels; at most {job.limits.max_pixels:,} are read")
    try:
        sideways = _orientation(image) in _SIDEWAYS
        data = _encoded(image, job.format, job.limits, sideways=sideways)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - as above
        return Reply(width=width, height=height, problem=f"damaged, stored as received: {one_line(error)}")
    shown = (height, width) if sideways else (width, height)
    if data is None or len(data) >= Path(job.path).stat().st_size:
        return Reply(width=shown[0], height=shown[1])
    Path(job.made).write_bytes(data)
    with Image.open(BytesIO(data)) as made:
        return Reply(width=made.width, height=made.height, made=_STORED_AS[job.format])


def _encoded(image: ImageFile.ImageFile, format_: Format, limits: ProcessingLimits, *, sideways: bool) -> bytes | None:
    """Return the compressed image, None if that would lose frames or change colours."""
    target = _STORED_AS.get(format_)
    if target is None or image.mode not in _MODES[target] or _has_own_gamma(image):
        return None
    if format_ in _WITH_FRAMES and getattr(image, "n_frames", 1) > 1:
        return None
    icc, lossless = image.info.get("icc_profile"), _is_lossless_webp(image)
    shown = _oriented(_narrowed(image, limits.max_width, sideways=sideways))
    # Pillow writes some of the metadata that it has read.
    shown.info = {name: value for name, value in shown.info.items() if name == "transparency"}
    options: dict[str, Any] = {
        JPEG: {"quality": limits.jpeg_quality, "progressive": True, "optimize": True},
        PNG: {"optimize": True, "compress_level": 9},
        WEBP: {"quality": limits.webp_quality, "lossless": lossless},
    }[target]
    out = BytesIO()
    shown.save(out, _PILLOW[target], icc_profile=icc, **options)
    return out.getvalue()


def _narrowed(image: Image.Image, max_width: int, *, sideways: bool) -> Image.Image:
    width, height = image.size
    if (height if sideways else width) <= max_width:
        return image
    if image.mode in ("1", "P") or "transparency" in image.info:
        has_alpha = "transparency" in image.info
        image = image.convert("RGBA" if has_alpha else "L" if image.mode == "1" else "RGB")
    box = (width, max_width) if sideways else (max_width, height)
    image.thumbnail(box, Image.Resampling.LANCZOS, reducing_gap=2.0)
    return image


def _oriented(image: Image.Image) -> Image.Image:
    image.load()
    return ImageOps.exif_transpose(image)


def _orientation(image: Image.Image) -> int:
    return int(image.getexif().get(_ORIENTATION, 1))


def _has_own_gamma(image: Image.Image) -> bool:
    """Return whether a PNG says by its gamma alone that its colours are not those of sRGB; Pillow drops it."""
    gamma = image.info.get("gamma")
    return bool(
        gamma and abs(gamma - _SRGB_GAMMA) > _GAMMA_TOLERANCE and not {"icc_profile", "srgb"} & image.info.keys()
    )


def _is_lossless_webp(image: ImageFile.ImageFile) -> bool:
    """Return whether a WebP file has a lossless bitstream (RFC 9649 section 2.6)."""
    if image.format != "WEBP" or not image.filename:
        return False
    with Path(str(image.filename)).open("rb") as file:
        return b"VP8L" in file.read(4_096)
