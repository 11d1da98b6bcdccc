"""Credentials of a saved site, while other requests change or delete the site."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from wavecrawl.adapters.embedded.credential_files import CredentialFiles
from wavecrawl.application.site_credentials import set_credentials
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.credentials import CredentialNames, SiteCredentials
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.sites import SiteRow

SITE = SiteRow(tenant="t", site="s", name="s", url="https://s.example/", settings=CrawlSettings())
CREDENTIALS = SiteCredentials(headers=(("X-Key", "not-a-real-key"),))


@pytest.fixture(name="saved")
def a_saved_site(store: LocalStore) -> LocalStore:
    store.sites.create(SITE)
    return store


def test_the_names_are_stored_although_someone_else_changes_the_site(saved: LocalStore) -> None:
    class Changing(CredentialFiles):
        def write(self, tenant: str, site: str, credentials: SiteCredentials) -> None:
            super().write(tenant, site, credentials)
            assert saved.sites.update(replace(SITE, name="renamed", version=2))

    saved.credentials = Changing(saved.root)
    row = set_credentials("t", "s", CREDENTIALS, saved)
    assert (row.name, row.credentials) == ("renamed", CredentialNames(headers=("X-Key",)))
    assert saved.sites.read("t", "s") == row


def test_credentials_of_a_site_that_is_deleted_meanwhile_are_not_kept(saved: LocalStore, tmp_path: Path) -> None:
    class Deleting(CredentialFiles):
        def write(self, tenant: str, site: str, credentials: SiteCredentials) -> None:
            super().write(tenant, site, credentials)
            saved.sites.delete(tenant, site)

    saved.credentials = Deleting(tmp_path)
    with pytest.raises(NotFoundError, match="no site s"):
        set_credentials("t", "s", CREDENTIALS, saved)
    assert saved.credentials.read("t", "s") is None
