"""The asset processor of a process that downloads media."""

from importlib.util import find_spec

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.errors import InvalidInputError

_PACKAGES = {"PIL": "Pillow", "pypdf": "pypdf", "cryptography": "cryptography", "mammoth": "mammoth"}


def missing_media() -> str:
    """Return what media needs and how to get it, in one line; "" if everything is installed. Loads nothing."""
    missing = [package for module, package in _PACKAGES.items() if find_spec(module) is None]
    return f"{', '.join(missing)} not installed; install it: pip install 'wavecrawl[media]'" if missing else ""


def require_media() -> None:
    """Raise InvalidInputError before a crawl with media starts, if media cannot be processed."""
    problem = missing_media()
    if problem:
        raise InvalidInputError(f"images, videos and documents need more packages: {problem}")


def media_processor(limits: ProcessingLimits) -> MediaProcessor:
    """Return a processor. Close it in the end; it starts a child process with the first file."""
    return MediaProcessor(limits)
