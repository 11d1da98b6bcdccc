"""The credentials of sites, which are secrets."""

from typing import Protocol

from wavecrawl.domain.sites.credentials import SiteCredentials


class Credentials(Protocol):
    """The secrets of sites, kept apart from all other data. Contract: tests/contract/test_site_credentials.py."""

    def read(self, tenant: str, site: str) -> SiteCredentials | None:
        """Return the credentials of a site, or None."""
        ...

    def write(self, tenant: str, site: str, credentials: SiteCredentials) -> None:
        """Store the credentials of a site in place of earlier ones."""
        ...

    def delete(self, tenant: str, site: str) -> None:
        """Delete the credentials of a site, if there are any. They cannot be restored."""
        ...
