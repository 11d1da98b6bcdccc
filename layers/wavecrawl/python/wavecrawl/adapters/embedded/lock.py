"""Locks on folders: one process serves a data folder, one runs a crawl, and knows of an earlier run's workers."""

import fcntl
import os
import time
from pathlib import Path

from wavecrawl.errors import ConflictError

_WORKERS_END = 15.0  # seconds that workers get to notice that their pool is gone
_LOOK_ENDS = 0.3  # seconds that whoever only looks whether a lock is held gets to let it go
_POLL = 0.01  # seconds


class FolderLock:
    """An advisory lock that the system takes back when its process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def try_alone(self, *, within: float) -> bool:
        """Take the lock alone; return whether that was possible within so many seconds."""
        deadline = time.monotonic() + within
        while True:
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    return False
                time.sleep(_POLL)
            else:
                return True

    def share(self) -> None:
        """Hold the lock together with others who share it."""
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def release(self) -> None:
        """Give the lock back, and close its file."""
        os.close(self._file)


_RUN, _SERVE = "run.lock", "serve.lock"


def is_run(folder: Path) -> bool:
    """Tell whether a process runs the crawl in `folder`."""
    return _is_held(folder / _RUN)


def is_served(root: Path) -> bool:
    """Tell whether a process serves the data folder `root`."""
    return _is_held(root / _SERVE)


def _is_held(path: Path) -> bool:
    """Tell whether a process holds a lock alone. Looking takes it for an instant, together with others who look."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def run_lock(folder: Path) -> FolderLock:
    """Take the right to run the crawl in `folder`; raise ConflictError where another process has it."""
    lock = FolderLock(folder / _RUN)
    if not lock.try_alone(within=_LOOK_ENDS):
        lock.release()
        raise ConflictError(f"the crawl in {folder} is being run by another process; wait for it, or stop it first")
    return lock


def serve_lock(root: Path) -> FolderLock:
    """Take the right to serve the data folder `root`; raise ConflictError where another process has it."""
    lock = FolderLock(root / _SERVE)
    if not lock.try_alone(within=_LOOK_ENDS):
        lock.release()
        raise ConflictError(f"{root} is being served by another process; stop that one first, or use another folder")
    return lock


def workers_lock(folder: Path) -> FolderLock:
    """Return the lock that every worker of the crawl in `folder` shares while it lives."""
    return FolderLock(folder / "workers.lock")


def await_no_workers(folder: Path) -> None:
    """Return when no worker of an earlier run lives; raise ConflictError where one does not end."""
    lock = workers_lock(folder)
    over = lock.try_alone(within=_WORKERS_END)
    lock.release()
    if not over:
        raise ConflictError(f"workers of an earlier run of the crawl in {folder} are still alive; end them first")
