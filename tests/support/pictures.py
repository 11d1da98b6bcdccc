"""Pictures for tests, drawn by formulas."""

from io import BytesIO
from random import Random
from typing import Any

from PIL import Image, ImageFilter


def photo(width: int, height: int, mode: str = "RGB") -> Image.Image:
    """Return a picture with soft colours and some grain, as photographs have."""
    across = Image.linear_gradient("L").resize((width, height))
    down = Image.linear_gradient("L").rotate(90).resize((width, height))
    grain = Image.frombytes("L", (width, height), Random(1).randbytes(width * height))
    grain = grain.filter(ImageFilter.GaussianBlur(2))
    bands = {"L": (across,), "RGB": (across, down, grain), "RGBA": (across, down, grain, across), "P": ()}
    if mode == "P":
        return Image.merge("RGB", bands["RGB"]).quantize(64)
    return Image.merge(mode, bands[mode])


def encoded(image: Image.Image, format_: str, **options: Any) -> bytes:
    """Return a picture as a file."""
    out = BytesIO()
    image.save(out, format_, **options)
    return out.getvalue()


def opened(content: bytes) -> Image.Image:
    """Return the picture in a file, decoded."""
    image = Image.open(BytesIO(content))
    image.load()
    return image
