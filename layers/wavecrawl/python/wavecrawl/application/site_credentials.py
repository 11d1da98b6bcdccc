"""Credentials of sites: set and delete."""

from typing import TYPE_CHECKING

from msgspec.structs import replace

from wavecrawl.domain.sites.credentials import CredentialNames, SiteCredentials
from wavecrawl.errors import NotFoundError, StoreBusyError
from wavecrawl.ports.all_ports import Ports

if TYPE_CHECKING:  # a crawl on the command line does not need it
    from wavecrawl.ports.sites import SiteRow

_ATTEMPTS = 5  # to store the names, while others change the site


def set_credentials(tenant: str, site: str, credentials: SiteCredentials, ports: Ports) -> "SiteRow":
    """Store the credentials of a saved site in place of earlier ones; return the site, which has their names.

    Raise InvalidSettingsError if a name or a value is invalid, NotFoundError if the tenant has no such site.
    """
    credentials = credentials.validated()
    _site_of(tenant, site, ports)
    ports.credentials.write(tenant, site, credentials)
    try:
        return _named(tenant, site, credentials.names, ports)
    except NotFoundError:  # the site was deleted meanwhile
        ports.credentials.delete(tenant, site)
        raise


def delete_credentials(tenant: str, site: str, ports: Ports) -> None:
    """Delete the credentials of a saved site, if it has any; raise NotFoundError if the tenant has no such site."""
    _site_of(tenant, site, ports)
    ports.credentials.delete(tenant, site)
    _named(tenant, site, CredentialNames(), ports)


def save_credentials(tenant: str, site: str, credentials: SiteCredentials | None, ports: Ports) -> None:
    """Store the credentials of a site that need not be saved; None deletes them.

    Raise InvalidSettingsError if a name or a value is invalid.
    """
    names = CredentialNames() if credentials is None else credentials.validated().names
    if credentials is None:
        ports.credentials.delete(tenant, site)
    else:
        ports.credentials.write(tenant, site, credentials)
    if ports.sites.read(tenant, site) is not None:
        _named(tenant, site, names, ports)


def _named(tenant: str, site: str, names: CredentialNames, ports: Ports) -> "SiteRow":
    """Store the names of a site's credentials, also while other requests change the site."""
    for _ in range(_ATTEMPTS):
        row = _site_of(tenant, site, ports)
        if row.credentials == names:
            return row
        new = replace(row, credentials=names, changed_at=ports.clock.now(), version=row.version + 1)
        if ports.sites.update(new):
            return new
    raise StoreBusyError(f"site {site} is being changed again and again; set its credentials again")


def _site_of(tenant: str, site: str, ports: Ports) -> "SiteRow":
    row = ports.sites.read(tenant, site)
    if row is None:
        raise NotFoundError(f"there is no site {site}")
    return row
