"""The asset processor of a process that downloads media."""

from importlib.util import find_spec

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.domain.media.settings import MediaSettings
from wavecrawl.errors import InvalidInputError

_PACKAGES = {"PIL": "Pillow", **{name: name for name in ("pypdf", "cryptography", "mammoth", "openpyxl")}}


def missing_media() -> str:
    """Return what media needs and how to get it, in one line; "" if everything is installed. Loads nothing."""
    missing = [package for module, package in _PACKAGES.items() if find_spec(module) is None]
    return (
        f"{', '.join(missing)} not installed; install it: pip install '.[media]' in wavecrawl's checkout"
        if missing
        else ""
    )


def require_media() -> None:
    """Raise InvalidInputError before a crawl with media starts, if media cannot be processed."""
    problem = missing_media()
    if problem:
        raise InvalidInputError(f"images, videos and documents need more packages: {problem}")


def media_processor(settings: MediaSettings) -> MediaProcessor:
    """Return the processor of a crawl. Close it in the end; it starts a child process with the first file."""
    return MediaProcessor(
        ProcessingLimits(
            max_width=settings.max_width,
            max_pixels=settings.max_pixels,
            jpeg_quality=settings.jpeg_quality,
            webp_quality=settings.webp_quality,
            seconds=settings.process_seconds,
            document_memory=settings.document_mb,
            max_text=settings.document_characters,
        )
    )
