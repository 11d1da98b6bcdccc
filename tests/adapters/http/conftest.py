"""Clients for the tests of the HTTP adapter."""

from collections.abc import Iterator

import pytest
from tests.adapters.http.loopback import CA_FILE

from wavecrawl.adapters.http.client import RequestsPageClient

LOOPBACK = ("127.0.0.0/8", "::1/128")
HOSTS = {
    "shop.example": ("127.0.0.1",),
    "other.example": ("127.0.0.1",),
    "mixed.example": ("10.0.0.1", "169.254.169.254", "127.0.0.1"),
    "inside.example": ("10.0.0.1", "fd00:ec2::254"),
    "empty.example": (),
    "two.example": ("127.0.0.2", "127.0.0.1"),
}


def lookup(host: str) -> tuple[str, ...]:
    if host not in HOSTS:
        raise OSError(-2, "Name or service not known")
    return HOSTS[host]


@pytest.fixture
def client() -> Iterator[RequestsPageClient]:
    """A client that may connect to loopback, resolves invented names, and trusts the fake certificate."""
    made = RequestsPageClient(
        user_agent="wavecrawl/test (+https://example.com)", allowed=LOOPBACK, ca_file=CA_FILE, lookup=lookup
    )
    yield made
    made.close()
