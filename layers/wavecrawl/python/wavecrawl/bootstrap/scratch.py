"""A process's own folder for what it need not keep, and the end of those that dead processes left behind.

A function that runs into its time-out is killed, and the next process in its place finds what lies in /tmp as it was.
What nobody counts would leave less room each time, for everybody whose requests come there.
https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
"""

import atexit
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Final

_OWNED: Final = re.compile(r"process-(\d+)-.+")


def own_folder(root: Path) -> Path:
    """Return a new folder below `root`, gone when this process ends; delete those of processes that are gone."""
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
    except OSError:  # it lives, and is somebody else's
        return True
    return True
