"""Which requests carry the credentials of a site: those to the site's own hosts."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct

from wavecrawl.domain.crawl.settings import ScopeMode
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.domain.urls.limits import DEFAULT_PORTS
from wavecrawl.domain.urls.url import origin_of

COOKIE: Final = "Cookie"

_HTTPS: Final = "https"


class OwnHosts:
    """The hosts of a site, by its start URL and its scope. A redirect never adds one.

    Scope `origin`: the host of the start URL. `host_and_www`: the host with and without `www.`. `subdomains`: the host
    and all hosts below it. The port must be that of the start URL. If the start URL has scheme https, http does not
    belong to the site. If it has scheme http, https does too, as sites redirect to it; then both ports are the default.
    """

    def __init__(self, start_url: str, mode: ScopeMode) -> None:
        self._scheme, self._host, self._port = _parts(origin_of(start_url))
        self._mode = mode
        self._domain = self._host.removeprefix("www.")

    def include(self, origin: str) -> bool:
        """Return whether an origin (`scheme://host[:port]`, serialised) belongs to the site."""
        scheme, host, port = _parts(origin)
        return self._is_endpoint(scheme, port) and self._is_host(host)

    @property
    def cookie_domains(self) -> tuple[str, ...]:
        """The domains of cookies that the hosts receive; one that starts with "." includes all hosts below it."""
        if self._mode is ScopeMode.ORIGIN:
            return (self._host,)
        if self._mode is ScopeMode.HOST_AND_WWW:
            return self._domain, f"www.{self._domain}"
        return (f".{self._domain}",)

    @property
    def is_secure(self) -> bool:
        """Whether the hosts are requested by https only."""
        return self._scheme == _HTTPS

    def _is_host(self, host: str) -> bool:
        if self._mode is ScopeMode.ORIGIN:
            return host == self._host
        if self._mode is ScopeMode.HOST_AND_WWW:
            return host.removeprefix("www.") == self._domain
        return host == self._domain or host.endswith(f".{self._domain}")

    def _is_endpoint(self, scheme: str, port: str) -> bool:
        if scheme == self._scheme:
            return port == self._port
        return scheme == _HTTPS and self._port == str(DEFAULT_PORTS["http"]) and port == str(DEFAULT_PORTS[_HTTPS])


class Authentication(Struct, frozen=True, kw_only=True):
    """The credentials of a site and the hosts that receive them."""

    credentials: SiteCredentials
    hosts: OwnHosts

    def fields_for(self, origin: str, *, cookies: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
        """Return the header fields that requests to an origin carry; empty if it is not one of the site.

        `cookies`: those that the site has set in this chain of redirects. They are sent too, and replace the site's
        credentials of the same name.
        """
        if not self.hosts.include(origin):
            return ()
        fields = self.credentials.fields
        if not self.credentials.cookies:
            return fields
        jar = {**dict(self.credentials.cookies), **cookies}
        return (*fields, (COOKIE, "; ".join(f"{name}={value}" for name, value in jar.items())))

    def certificate_for(self, origin: str) -> str:
        """Return the client certificate to show to an origin, as PEM; "" if there is none, or it is another site."""
        pem = self.credentials.client_certificate
        return pem if pem and self.hosts.include(origin) else ""


def _parts(origin: str) -> tuple[str, str, str]:
    """Return scheme, host and port of a serialised origin."""
    scheme, _, rest = origin.partition("://")
    end = rest.find("]") + 1  # of an IPv6 address
    host, _, port = rest[end:].partition(":")
    return scheme, (rest[:end] + host).lower(), port or str(DEFAULT_PORTS.get(scheme, ""))
