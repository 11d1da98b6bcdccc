"""A backup of a data folder that is in use.

No process can write to the database while the backup lists the files. As every step of a crawl stores its files first
and then its row, the backup is what a crash at that moment would leave, and crawls continue from it.
"""

import os
import shutil
import sqlite3
import tarfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from secrets import token_hex

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.embedded.lock import FolderLock
from wavecrawl.adapters.embedded.private_files import create_private
from wavecrawl.errors import ConflictError, InvalidInputError

_COPIES = ".backup-"  # folders in the data folder, while a backup is made
_LOCK = "backup.lock"
_GROWING = ".part"  # files that change in place: they are copied; all others are replaced, so a link keeps them
_DATABASE = ".sqlite"
_LEFT_OUT = (".lock", ".sqlite-wal", ".sqlite-shm")  # locks, and what SQLite's own copies contain
_LOCK_WAIT = 0.3  # seconds


class Backup(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup contains."""

    files: int
    bytes: int


def back_up(database: Database, target: Path) -> Backup:
    """Write a tar archive of the folder of a database; return its size.

    Raise InvalidInputError if the target exists, or cannot be written; ConflictError if another backup is being made;
    StoreBusyError if another process writes to the database for too long.
    """
    root = database.path.parent.resolve()
    if target.resolve().is_relative_to(root):
        raise InvalidInputError(f"{target} is in the data folder {root}; name a file outside it")
    if target.exists():
        raise InvalidInputError(f"{target} exists; name a new file")
    with _alone(root), _new_file(target) as part, _copies(root) as folder:
        with database.transaction():
            _copy(root, folder)
        return _packed(folder, part)


def _copy(root: Path, folder: Path) -> None:
    for path in _files(root):
        copy = folder / path.relative_to(root)
        copy.parent.mkdir(parents=True, exist_ok=True)
        try:
            if path.suffix == _DATABASE:
                _copy_database(path, copy)
            elif path.is_symlink() or path.suffix == _GROWING:
                shutil.copy2(path, copy, follow_symlinks=False)
            else:
                _link(path, copy)
        except FileNotFoundError:  # it was deleted since it was listed
            continue


def _files(root: Path) -> Iterator[Path]:
    for parent, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(_COPIES)]
        links = [name for name in folders if Path(parent, name).is_symlink()]
        yield from (Path(parent, name) for name in (*files, *links) if not name.endswith(_LEFT_OUT))


def _link(path: Path, copy: Path) -> None:
    try:
        os.link(path, copy)
    except FileNotFoundError:
        raise
    except OSError:  # the file system has no hard links
        shutil.copy2(path, copy)


def _copy_database(path: Path, copy: Path) -> None:
    """Copy a database that other processes may use (https://www.sqlite.org/backup.html)."""
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(copy)) as made:
        source.backup(made)


def _packed(folder: Path, part: Path) -> Backup:
    files, size = 0, 0
    with tarfile.open(part, "w") as archive:
        for path in sorted(_files(folder)):
            archive.add(path, arcname=str(path.relative_to(folder)), recursive=False)
            files, size = files + 1, size + path.lstat().st_size
    return Backup(files=files, bytes=size)


@contextmanager
def _alone(root: Path) -> Iterator[None]:
    """Hold the lock of backups, and delete the copies that a killed one left behind."""
    lock = FolderLock(root / _LOCK)
    try:
        if not lock.try_alone(within=_LOCK_WAIT):
            raise ConflictError(f"another backup of {root} is being made; wait for its end")
        for left in root.glob(f"{_COPIES}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        lock.release()


@contextmanager
def _copies(root: Path) -> Iterator[Path]:
    folder = root / f"{_COPIES}{token_hex(8)}"
    folder.mkdir(mode=0o700)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _new_file(target: Path) -> Iterator[Path]:
    """Yield a file that only its owner can read; it gets the name of the target when the block ends."""
    part = target.with_name(f"{target.name}.{token_hex(8)}{_GROWING}")
    try:
        os.close(create_private(part))
    except OSError as error:
        raise InvalidInputError(f"{target} cannot be written: {error.strerror or error}") from error
    try:
        yield part
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
