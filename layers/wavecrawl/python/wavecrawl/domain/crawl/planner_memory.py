"""Whether the planner of a crawl has enough memory for the next wave.

The figures are upper bounds of what `bench/large_frontier.py` and `bench/planner_memory.py` measure.
"""

from typing import Final

MEBIBYTE: Final = 1024 * 1024

PROCESS: Final = 250 * MEBIBYTE
"""Python, the libraries, and what a crawl has besides its URLs: families of pages, words, lessons of rendering."""

WAVE: Final = 500 * MEBIBYTE
"""What a wave takes for a time: the links of its records, the URLs of sitemaps, the snapshot that is written."""

_SMALL: Final = 0.25
"""Share of a small memory that the URLs of crawls may take: small crawls need less than `PROCESS` and `WAVE`."""

_GROWTH: Final = 1.15
"""Arrays reserve up to an eighth more than they hold."""

_NEARLY_FULL: Final = 0.85


def fits(state_bytes: int, memory: int) -> bool:
    """Return whether a wave can be planned in `memory` bytes, if the URLs found so far take `state_bytes`.

    The answer depends on these numbers only, so the function and the task decide the same for the same wave.
    """
    return _GROWTH * state_bytes <= max(memory - PROCESS - WAVE, _SMALL * memory)


def is_nearly_full(resident: int, memory: int) -> bool:
    """Return whether a process that has `resident` bytes needs a larger `memory`, whatever `fits` says."""
    return resident > _NEARLY_FULL * memory
