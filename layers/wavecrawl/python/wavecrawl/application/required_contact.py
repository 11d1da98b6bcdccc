"""The contact that a deployment needs before it crawls public sites."""

from ipaddress import ip_address

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.urls.url import Identity
from wavecrawl.errors import InvalidInputError


def require_contact(url: str, operator: OperatorSettings) -> None:
    """Raise InvalidInputError if a deployment without a contact is to crawl a public site; InvalidUrlError.

    Owners of crawled sites must be able to reach the operator. The start URL is public unless its host
    is an address outside the public internet, or a name below `localhost`.
    """
    if operator.needs_contact and not operator.contact and _is_public(url):
        raise InvalidInputError(
            "the deployment has no contact, so it crawls no public sites: their owners could not reach its operator; "
            "deploy it with -c contact=URL, a page or an e-mail address that is sent in the User-Agent"
        )


def _is_public(url: str) -> bool:
    host = Identity().page_url(url).host.strip("[]")
    if host == "localhost" or host.endswith(".localhost"):
        return False
    try:
        return ip_address(host).is_global
    except ValueError:  # a name
        return True
