"""Permissions of the files that a command creates: private in data folders, the user's elsewhere."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from wavecrawl.adapters.embedded.private_files import data_umask

_USERS: ContextVar[int | None] = ContextVar("the user's umask", default=None)


@contextmanager
def private_files() -> Iterator[None]:
    """Create files of this process and its children with `data_umask`. Raise InvalidInputError if that is invalid."""
    users = os.umask(data_umask())
    token = _USERS.set(users)
    try:
        yield
    finally:
        _USERS.reset(token)
        os.umask(users)


@contextmanager
def users_files() -> Iterator[None]:
    """Create files with the user's umask again, because they are outside of the data folder."""
    users = _USERS.get()
    if users is None:
        yield
        return
    private = os.umask(users)
    try:
        yield
    finally:
        os.umask(private)
