"""wavecrawl: a website crawler whose frontier advances in waves.

`crawl`, `iter_crawl` and `open_crawl` crawl on this machine (docs/library.md). They are imported when they are used.
"""

from typing import TYPE_CHECKING

from wavecrawl.version import __version__

if TYPE_CHECKING:
    from wavecrawl.library import Crawl, Link, Page, crawl, iter_crawl, open_crawl

__all__ = ["Crawl", "Link", "Page", "__version__", "crawl", "iter_crawl", "open_crawl"]


def __dir__() -> list[str]:
    """Return the names of this module, also those that are not imported yet."""
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> object:
    """Return a name of `wavecrawl.library`."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from wavecrawl import library  # noqa: PLC0415 - the functions in AWS and the command line do not need it

    return getattr(library, name)
