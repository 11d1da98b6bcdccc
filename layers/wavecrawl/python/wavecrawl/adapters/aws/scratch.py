"""A process's own temporary folder; folders that dead processes left behind are deleted.

Lambda kills a function that exceeds its timeout. The next process in the same environment finds /tmp as it was, so what
dead processes left there must be deleted or it takes up the space.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
"""

import atexit
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

SCRATCH: Final = Path("/tmp/wavecrawl")  # noqa: S108 - the only folder that a function can write to; it has no other user

_OWNED: Final = re.compile(r"process-(\d+)-.+")


def own_folder(root: Path) -> Path:
    """Return a new folder in `root`, deleted when this process exits; delete the folders of dead processes."""
    root.mkdir(parents=True, exist_ok=True)
    for path in root.iterdir():
        match = _OWNED.fullmatch(path.name)
        if match is not None and not _lives(int(match[1])):
            shutil.rmtree(path, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"process-{os.getpid()}-", dir=root))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it runs as another user
        return True
    return True
