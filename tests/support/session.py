"""State that the workers of one test session share (pytest-xdist): a folder, and work that is done once."""

import atexit
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_FOLDER = "WAVECRAWL_TEST_SESSION"


def session_folder() -> Path:
    """Return the folder of this session. The first process creates it and removes it at the end."""
    if _FOLDER not in os.environ:
        made = mkdtemp(prefix="wavecrawl-tests-")
        os.environ[_FOLDER] = made  # workers inherit it
        atexit.register(shutil.rmtree, made, ignore_errors=True)
    return Path(os.environ[_FOLDER])


@contextmanager
def locked(name: str, *, on_machine: bool = False) -> Iterator[None]:
    """Run the block in one worker at a time; `on_machine`: also if several sessions run on this machine."""
    folder = Path(gettempdir()) / f"wavecrawl-tests-of-{os.getuid()}" if on_machine else session_folder()
    folder.mkdir(exist_ok=True)
    with (folder / f"{name}.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def make_once(name: str, make: Callable[[Path], None]) -> Path:
    """Return a folder that `make` fills. The first worker that needs it creates it; the others wait."""
    folder, done = session_folder() / name, session_folder() / f"{name}.done"
    with locked(name):
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # left by a worker that failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
