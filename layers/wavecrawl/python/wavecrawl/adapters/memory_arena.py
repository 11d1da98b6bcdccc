"""The malloc arena of a worker process."""

import ctypes
from contextlib import suppress

_M_ARENA_MAX = -8  # malloc.h


def share_one_arena() -> None:
    """Make all threads share one malloc arena. Call it before the process starts threads.

    With one arena per thread, glibc keeps the peak memory of each: a batch of large pages takes twice as much.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
