"""Credentials of sites as models of the API, and back."""

from wavecrawl.api_models import credentials as models
from wavecrawl.domain.sites.credentials import CredentialNames, SiteCredentials


def names_model(names: CredentialNames) -> models.SiteCredentials:
    """Return which credentials a site has."""
    return models.SiteCredentials(
        headers=list(names.headers),
        cookies=list(names.cookies),
        basic_auth=names.basic_auth,
        client_certificate=names.client_certificate,
    )


def requested_credentials(secrets: models.SiteSecrets) -> SiteCredentials:
    """Return the credentials of a request."""
    basic = secrets.basic_auth
    return SiteCredentials(
        headers=tuple(secrets.headers.items()),
        cookies=tuple(secrets.cookies.items()),
        username=basic.username if basic else "",
        password=basic.password if basic else "",
        client_certificate=secrets.client_certificate,
    )
