"""Signed URLs of one machine that take a file without an API key."""

import os
from pathlib import Path
from typing import Final
from uuid import uuid4

import msgspec

from wavecrawl.adapters.batch_objects import PART
from wavecrawl.adapters.embedded.signed_tokens import SignedTokens
from wavecrawl.adapters.list_names import UPLOADS
from wavecrawl.errors import InvalidInputError, NotFoundError
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.url_lists import UPLOAD_SECONDS

UPLOAD_PATHS: Final = "/v1/uploads/"
"""The start of the paths of signed URLs; a token follows."""


class UploadTicket(msgspec.Struct, frozen=True, kw_only=True):
    """The right to upload one file."""

    name: str  # below the data folder
    bytes: int
    until: float  # Unix seconds


class Uploads:
    """Signs and checks URLs. `base_url`: the URL of the API, without a slash at the end."""

    def __init__(self, root: Path, *, signing_key: bytes, clock: Clock, base_url: str) -> None:
        self._root = root
        self._tokens = SignedTokens(UploadTicket, key=signing_key, purpose="upload")
        self._clock = clock
        self._base_url = base_url

    def url_of(self, name: str, *, size: int) -> str:
        """Return a URL that takes a file of `size` bytes, valid for `UPLOAD_SECONDS`."""
        ticket = UploadTicket(name=name, bytes=size, until=self._clock.now() + UPLOAD_SECONDS)
        return f"{self._base_url}{UPLOAD_PATHS}{self._tokens.sign(ticket)}"

    def ticket(self, token: str) -> UploadTicket:
        """Return the ticket of a signed URL's token; raise NotFoundError if it is not valid, or its time is over.

        Even with a leaked key, nothing outside of the folder of uploads can be written.
        """
        ticket = self._tokens.read(token)
        if ticket is None or ticket.until < self._clock.now():
            raise NotFoundError("this upload does not exist, or its time is over; create a new list")
        folder = (self._root / UPLOADS).resolve()
        if not (self._root / ticket.name).resolve().is_relative_to(folder):
            raise NotFoundError("this upload does not exist")
        return ticket

    def open(self, ticket: UploadTicket) -> "OpenUpload":
        """Return the upload, to write the file to."""
        return OpenUpload(self._root / ticket.name, ticket.bytes)


class OpenUpload:
    """An upload that is being received. The file gets its name when it is complete. Call `close` in any case."""

    def __init__(self, path: Path, size: int) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self._part = path.with_name(f"{path.name}.{uuid4().hex}{PART}")
        self._file = self._part.open("wb")
        self._size = size

    def write(self, piece: bytes) -> None:
        """Add a piece of the file; raise InvalidInputError if the file gets too large."""
        self._file.write(piece)
        if self._file.tell() > self._size:
            raise wrong_size("more", self._size)

    def complete(self) -> None:
        """Store the file; raise InvalidInputError if it is too small."""
        self._file.flush()
        if self._file.tell() < self._size:
            raise wrong_size(f"{self._file.tell():,}", self._size)
        os.fsync(self._file.fileno())
        self._part.replace(self._path)

    def close(self) -> None:
        """Close the file, and delete it unless it is complete."""
        try:
            self._file.close()  # writes what is left, and fails if the disk is full
        finally:
            self._part.unlink(missing_ok=True)


def wrong_size(received: str, size: int) -> InvalidInputError:
    """Return the error of a file that has another size than its list."""
    return InvalidInputError(
        f"the body has {received} bytes, but the list was created for {size:,}; send the whole file, or create a list "
        "with the size of the file"
    )
