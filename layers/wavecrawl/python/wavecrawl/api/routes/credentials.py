"""Credentials of saved sites. No response contains a value."""

from http import HTTPStatus

from aws_lambda_powertools.event_handler import Response

from wavecrawl.adapters.http.client_certificates import check_certificate
from wavecrawl.api.backend import Backend
from wavecrawl.api.routes.sites import SiteName, site_of
from wavecrawl.api.routing import Routes, respond
from wavecrawl.api.serializers.credentials import names_model, requested_credentials
from wavecrawl.api_models.credentials import SiteCredentials, SiteSecrets
from wavecrawl.application.site_credentials import delete_credentials, set_credentials

_PATH = "/v1/sites/{site}/credentials"
_MISSING = (HTTPStatus.NOT_FOUND,)


def credential_routes(backend: Backend) -> Routes:
    """Return the routes of credentials."""
    routes = Routes(backend, tag="Sites")

    @routes.on("GET", _PATH, summary="Get the names of the credentials of a site", problems=_MISSING)
    def get_site_credentials(site: SiteName) -> SiteCredentials:
        """Get which credentials a site has. Their values cannot be read."""
        return names_model(site_of(routes, site).credentials)

    @routes.on("PUT", _PATH, summary="Set the credentials of a site", problems=_MISSING)
    def set_site_credentials(site: SiteName, secrets: SiteSecrets) -> SiteCredentials:
        """Set the credentials of a site in place of earlier ones, for crawls that start from now on.

        They are sent to the hosts of the site only: to the host of its URL, and to others that its scope
        `host_and_www` or `subdomains` names. They are not sent after a redirect to another host, not by http if the
        URL has https, and not with requests for robots.txt, which is cached for all tenants. A running crawl that
        started with credentials may use the new ones. A client certificate is also shown for robots.txt.
        """
        row, credentials = site_of(routes, site), requested_credentials(secrets).validated()
        check_certificate(credentials.client_certificate)
        return names_model(set_credentials(row.tenant, row.site, credentials, backend).credentials)

    @routes.on(
        "DELETE", _PATH, summary="Delete the credentials of a site", status=HTTPStatus.NO_CONTENT, problems=_MISSING
    )
    def delete_site_credentials(site: SiteName) -> Response[None]:
        """Delete the credentials of a site, if it has any. They cannot be restored.

        Workers of a running crawl that have read them use them until the crawl ends.
        """
        row = site_of(routes, site)
        delete_credentials(row.tenant, row.site, backend)
        return respond(None, status=HTTPStatus.NO_CONTENT)

    return routes
