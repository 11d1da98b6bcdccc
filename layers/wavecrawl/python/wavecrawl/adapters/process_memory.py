"""The memory of this process."""

import os
from pathlib import Path

_RESIDENT = 1  # field of /proc/self/statm, in pages: proc(5)


def resident_bytes() -> int:
    """Return the resident bytes of this process; 0 if the system does not say."""
    try:
        fields = Path("/proc/self/statm").read_text(encoding="ascii").split()
        return int(fields[_RESIDENT]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):  # no Linux
        return 0
