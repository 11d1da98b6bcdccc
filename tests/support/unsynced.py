"""Files that are not written through to the disk, in each process that imports this module.

Only a power failure could tell the difference, even `kill -9` cannot. A small crawl waits 46 times for its disk, which
takes longer than fetching its pages. `tests/unit/adapters/test_synced_files.py` tests what is synced, and when.
"""

import os

from wavecrawl.adapters.embedded import database


def _skip(fd: object) -> None:
    """Do nothing in place of `os.fsync`."""


os.fsync = _skip
database._SYNCHRONOUS = "PRAGMA synchronous = OFF"
