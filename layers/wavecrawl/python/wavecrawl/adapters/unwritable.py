"""Errors that say that files cannot be written, by the operating system, SQLite or DuckDB."""

import errno
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from wavecrawl.errors import UnwritableError

FULL: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
"""The disk is full, a quota is used up, or a file is larger than allowed."""

NO_ACCESS: Final = (errno.EACCES, errno.EPERM, errno.EROFS)
"""The file or folder may not be accessed, or can only be read."""

_TEXTS: Final = (
    *(os.strerror(number) for number in (*FULL, *NO_ACCESS)),
    "Could not write all bytes",
    "max_temp_directory_size",  # DuckDB's own limit, which is the free space of the disk
)
_SQLITE: Final = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)  # SQLite reports a used-up quota as an I/O error
_OF_READING: Final = (
    *(sqlite3.SQLITE_IOERR_READ, sqlite3.SQLITE_IOERR_SHORT_READ, sqlite3.SQLITE_IOERR_DATA),
    *(sqlite3.SQLITE_IOERR_CORRUPTFS, sqlite3.SQLITE_IOERR_NOMEM),
)
PRIMARY: Final = 0xFF
"""The bits of an extended result code of SQLite that are its primary code (https://www.sqlite.org/rescode.html)."""


def is_unwritable(error: BaseException) -> bool:
    """Return whether an error says that a file cannot be written."""
    if isinstance(error, OSError):
        return error.errno in (*FULL, *NO_ACCESS)
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0)
        return code & PRIMARY in _SQLITE and code not in _OF_READING
    return type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb") and any(
        text in str(error) for text in _TEXTS
    )


def unwritable(error: BaseException, folder: Path) -> UnwritableError:
    """Return the error in place of one that `is_unwritable`, with what to do.

    `folder` is named if the error names no file. The disk of another folder may be full, such as that of /tmp.
    """
    why = (error.strerror if isinstance(error, OSError) else str(error).partition("\n")[0]) or type(error).__name__
    may_not = isinstance(error, OSError) and error.errno in NO_ACCESS
    advice = "Make it writable" if may_not else "Make room on its disk, or raise its quota"
    named = error.filename if isinstance(error, OSError) and isinstance(error.filename, str) else ""
    return UnwritableError(f"{named or folder} cannot be written: {why}. {advice}")


@contextmanager
def unwritable_reported(folder: Path) -> Iterator[None]:
    """Raise UnwritableError in place of errors of the block that say that files cannot be written."""
    try:
        yield
    except Exception as error:
        if isinstance(error, UnwritableError) or not is_unwritable(error):
            raise
        raise unwritable(error, folder) from error
