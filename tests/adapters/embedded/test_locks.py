"""Locks on folders while other processes check them."""

import fcntl
import os
from collections.abc import Callable
from pathlib import Path
from threading import Timer

import pytest

from wavecrawl.adapters.embedded.lock import FolderLock, is_run, is_served, run_lock, serve_lock
from wavecrawl.errors import ConflictError

LOCKS = [(run_lock, is_run, "run.lock"), (serve_lock, is_served, "serve.lock")]


@pytest.mark.parametrize(("take", "is_held", "name"), LOCKS)
def test_a_brief_check_of_a_lock_does_not_keep_it_from_being_taken(
    tmp_path: Path, take: Callable[[Path], FolderLock], is_held: Callable[[Path], bool], name: str
) -> None:
    take(tmp_path).release()
    looking = os.open(tmp_path / name, os.O_RDONLY)
    fcntl.flock(looking, fcntl.LOCK_SH)
    gone = Timer(0.05, os.close, [looking])
    gone.start()
    lock = take(tmp_path)
    gone.join()
    assert is_held(tmp_path)
    lock.release()
    assert not is_held(tmp_path)


@pytest.mark.parametrize(("take", "is_held", "name"), LOCKS)
def test_a_lock_is_for_one(
    tmp_path: Path, take: Callable[[Path], FolderLock], is_held: Callable[[Path], bool], name: str
) -> None:
    lock = take(tmp_path)
    with pytest.raises(ConflictError, match=tmp_path.name):
        take(tmp_path)
    assert is_held(tmp_path)
    lock.release()
    take(tmp_path).release()
    assert (tmp_path / name).exists()
