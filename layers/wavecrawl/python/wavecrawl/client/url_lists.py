"""Operations on uploaded lists of URLs."""

import gzip
from collections.abc import Iterable
from contextlib import ExitStack
from hashlib import sha256
from os import SEEK_END
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Final, TypeVar

from pydantic import BaseModel

from wavecrawl.api_models.url_lists import NewUploadedList, UploadedList, UploadedLists, UploadedListWithTarget
from wavecrawl.client.operations import Operations
from wavecrawl.domain.lists.state import ListState

LARGEST_BODY: Final = 65_536
"""Bytes of a request body that a deployment accepts by default (`max_body_bytes`)."""

Body = TypeVar("Body", bound=BaseModel)


class UrlListOperations(Operations):
    """Operations on lists."""

    def create_list(self, new: NewUploadedList, *, idempotency_key: str | None = None) -> UploadedListWithTarget:
        """Create a list. Send its file to `upload.url`, then check the list; `upload_list` does all of this."""
        return self._post(UploadedListWithTarget, "lists", body=new, idempotency_key=idempotency_key)

    def check_list(self, list: str, *, idempotency_key: str | None = None) -> UploadedList:  # noqa: A002 - the parameter of the path
        """Check the uploaded file of a list, which is then ready."""
        return self._post(UploadedList, "lists", list, "check", idempotency_key=idempotency_key)

    def list_lists(self) -> UploadedLists:
        """List all lists, newest first."""
        return self._get(UploadedLists, "lists")

    def get_list(self, list: str) -> UploadedList:  # noqa: A002 - the parameter of the path
        """Get the state of a list and the number of its URLs."""
        return self._get(UploadedList, "lists", list)

    def delete_list(self, list: str) -> None:  # noqa: A002 - the parameter of the path
        """Delete a list. Crawls that were requested before have their own copies."""
        self._delete("lists", list)

    def upload_list(
        self, urls: Path | Iterable[str], *, name: str = "", idempotency_key: str | None = None
    ) -> UploadedList:
        """Upload a list of URLs, from a file or one by one, and check it. Return it when it is ready.

        A file has one URL per line, and may be compressed with gzip. A repeated call with the same idempotency key
        returns the same list. Raise ApiError if the list cannot be used.
        """
        with ExitStack() as stack:
            if isinstance(urls, Path):
                file: IO[bytes] = stack.enter_context(urls.open("rb"))
            else:
                file = stack.enter_context(TemporaryFile())
                _write(urls, file)
            new = NewUploadedList(bytes=file.seek(0, SEEK_END), name=name)
            made = self.create_list(new, idempotency_key=idempotency_key)
            if idempotency_key is not None:
                known = self.get_list(made.list)
                if known.state is ListState.READY:
                    return known
            self._transport.upload(made.upload.url, file)
        return self.check_list(made.list)

    def _fitting(self, body: Body, idempotency_key: str | None = None) -> Body:
        """Return the body of a request. If it is too large, upload its URLs, and name the list in their place."""
        settings = getattr(body, "settings", None)
        given = settings.model_dump(mode="json", exclude_unset=True) if isinstance(settings, BaseModel) else settings
        if not given or not given.get("urls") or len(_json(body)) <= LARGEST_BODY:
            return body
        key = None if idempotency_key is None else sha256(f"list of {idempotency_key}".encode()).hexdigest()
        uploaded = self.upload_list(given["urls"], idempotency_key=key)
        named = {name: value for name, value in given.items() if name != "urls"} | {"url_list": uploaded.list}
        return body.model_copy(update={"settings": named})


def _json(body: BaseModel) -> bytes:
    return body.model_dump_json(exclude_unset=True).encode()


def _write(urls: Iterable[str], file: IO[bytes]) -> None:
    """Write URLs as a compressed file without a timestamp: the same URLs always give the same bytes."""
    with gzip.GzipFile(fileobj=file, mode="wb", filename="", mtime=0) as compressed:
        compressed.writelines(f"{url}\n".encode() for url in urls)
