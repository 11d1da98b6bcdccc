"""Uploaded lists of URLs: a row for each, the uploaded file, and the checked list that crawls copy."""

from collections.abc import Iterable, Iterator
from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.lists.state import ListState

UPLOAD_SECONDS = 3_600
"""Seconds for which an upload URL is valid; in S3, shorter if the credentials that signed it expire earlier."""


def copy_name(list_: str) -> str:
    """Return the name of the object that has a crawl's copy of a list (`ports.objects.Objects`)."""
    return f"frontier/{list_}.txt"


class UrlList(msgspec.Struct, frozen=True, kw_only=True):
    """The row of a list. Times are Unix seconds."""

    tenant: str
    list: str  # its id
    name: str = ""
    bytes: int = 0  # of the uploaded file
    state: ListState = ListState.WAITING
    urls: int = 0  # of a checked list
    problem: str = ""  # of an invalid list
    sites: tuple[str, ...] = ()  # ids of the saved sites that name it
    created_at: float = 0.0
    expires_at: float = 0.0  # 0 = never, as a site names it
    version: int = 1  # increases with each change


class UrlLists(Protocol):
    """Rows and files of lists. Contract: tests/contract/test_uploaded_lists.py."""

    def create(self, row: UrlList) -> bool:
        """Store a new row; return False without a change if its id exists."""
        ...

    def read(self, tenant: str, list_: str) -> UrlList | None:
        """Return a row, or None."""
        ...

    def update(self, row: UrlList) -> bool:
        """Replace the row if the stored version is one lower; return whether it was."""
        ...

    def of_tenant(self, tenant: str) -> list[UrlList]:
        """Return a tenant's rows by id."""
        ...

    def delete(self, tenant: str, list_: str) -> bool:
        """Delete the files, then the row; return whether the row existed. Copies of crawls stay."""
        ...

    def upload_url(self, row: UrlList) -> str:
        """Return the URL to which a file of `row.bytes` bytes can be sent with PUT, without an API key.

        It is valid for `UPLOAD_SECONDS`. A repeated upload replaces the file.
        """
        ...

    def uploaded(self, tenant: str, list_: str) -> Iterator[bytes] | None:
        """Return the pieces of the uploaded file, or None if there is none."""
        ...

    def store(self, tenant: str, list_: str, urls: Iterable[str]) -> None:
        """Store the checked list, and delete the upload. If `urls` raises an error, nothing is stored."""
        ...

    def keep(self, tenant: str, list_: str, *, forever: bool) -> None:
        """Keep the checked list until it is deleted (`forever`), or until it expires by its age."""
        ...

    def give(self, tenant: str, list_: str, crawl: CrawlId) -> bool:
        """Copy the checked list to a crawl, as `copy_name`; return False if the list does not exist.

        The copy is text, one URL per line. A repeated call changes nothing, as checked lists never change.
        """
        ...
