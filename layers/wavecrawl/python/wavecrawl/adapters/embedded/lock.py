"""Locks on folders: for the process that serves a data folder, the one that runs a crawl, and its workers."""

import fcntl
import os
import time
from pathlib import Path

from wavecrawl.errors import ConflictError

_WORKERS_END = 15.0  # seconds for workers to notice that their pool has ended
_LOOK_ENDS = 0.3  # seconds for other processes to release a lock they only test
_POLL = 0.01  # seconds

PATIENCE = 30.0
"""Seconds that a crawl's process waits for an earlier one that has not ended yet."""


class FolderLock:
    """An advisory lock; the operating system releases it when the process ends."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)

    def try_alone(self, *, within: float) -> bool:
        """Take the lock exclusively; return whether that succeeded within `within` seconds."""
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
        """Take the lock shared."""
        fcntl.flock(self._file, fcntl.LOCK_SH)

    def release(self) -> None:
        """Release the lock and close its file."""
        os.close(self._file)


_RUN, _SERVE = "run.lock", "serve.lock"


def is_run(folder: Path) -> bool:
    """Return whether a process runs the crawl in `folder`."""
    return _is_held(folder / _RUN)


def is_served(root: Path) -> bool:
    """Return whether a process serves the data folder `root`."""
    return _is_held(root / _SERVE)


def _is_held(path: Path) -> bool:
    """Return whether a process holds a lock exclusively. The test takes the lock shared for an instant."""
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


def run_lock(folder: Path, *, patience: float = 0.0) -> FolderLock:
    """Lock the crawl in `folder` for running; raise ConflictError if another process runs it."""
    lock = FolderLock(folder / _RUN)
    if not lock.try_alone(within=max(patience, _LOOK_ENDS)):
        lock.release()
        raise ConflictError(f"the crawl {folder.name} is being run by another process; wait for it or stop it first")
    return lock


def serve_lock(root: Path) -> FolderLock:
    """Lock the data folder `root` for serving; raise ConflictError if another process serves it."""
    lock = FolderLock(root / _SERVE)
    if not lock.try_alone(within=_LOOK_ENDS):
        lock.release()
        raise ConflictError(f"{root} is being served by another process; stop that process or use another folder")
    return lock


def workers_lock(folder: Path) -> FolderLock:
    """Return the lock that all workers of the crawl in `folder` share while they run."""
    return FolderLock(folder / "workers.lock")


def await_no_workers(folder: Path) -> None:
    """Wait until all workers of an earlier run have ended; raise ConflictError if one does not end."""
    lock = workers_lock(folder)
    over = lock.try_alone(within=_WORKERS_END)
    lock.release()
    if not over:
        raise ConflictError(f"workers of an earlier run of the crawl {folder.name} are still running; end them first")
