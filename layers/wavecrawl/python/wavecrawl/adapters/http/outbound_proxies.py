"""The proxies through which a company's machines reach the internet, by the usual environment variables.

A proxy resolves names itself, so nobody here can check to which address a name leads (docs/security.md).
"""

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, Self
from urllib.parse import unquote_to_bytes, urlsplit

from wavecrawl.adapters.http.addresses import literal_address
from wavecrawl.errors import InvalidInputError

SETTING: Final = "WAVECRAWL_PROXY"
"""The variable that `--proxy` sets for this process and its workers, and that a deployment has."""

_VARIABLES: Final = {"http": ("http_proxy", "HTTP_PROXY"), "https": ("https_proxy", "HTTPS_PROXY")}
_BYPASS: Final = ("no_proxy", "NO_PROXY")
_DEFAULT_PORT: Final = 80
_SHOWN: Final = {SETTING: f"--proxy ({SETTING})"}


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundProxy:
    """An HTTP proxy. Its text form has no credentials."""

    host: str
    port: int
    authorization: str = field(default="", repr=False)  # value of Proxy-Authorization; "" = none


@dataclass(frozen=True, slots=True, kw_only=True)
class Bypassed:
    """An entry of NO_PROXY: hosts that are reached without the proxy."""

    name: str = ""  # this host and all below it; "" if the entry is a network
    network: IPv4Network | IPv6Network | None = None
    port: int | None = None  # the only one; None = every port

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return an entry: a name, an address or a network, the first two also with a port."""
        host, port = text, None
        if (split := text.rpartition(":"))[2].isdecimal() and ("]:" in text or text.count(":") == 1):
            host, port = split[0], int(split[2])
        try:
            return cls(network=ip_network(host.strip("[]"), strict=False), port=port)
        except ValueError:
            return cls(name=host.removeprefix("*").strip(".").lower(), port=port)

    def matches(self, host: str, address: str | None, port: int) -> bool:
        """Return whether a host is reached directly. `address`: that of the host if it is one, not a name."""
        if self.port not in (None, port):
            return False
        if self.network is not None:
            return address is not None and ip_address(address) in self.network
        return bool(self.name) and address is None and (host == self.name or host.endswith(f".{self.name}"))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboundProxies:
    """The proxies of a process, and the hosts that are reached without them."""

    http: OutboundProxy | None = None
    https: OutboundProxy | None = None
    bypassed: tuple[Bypassed, ...] = ()

    def proxy_for(self, scheme: str, host: str, port: int) -> OutboundProxy | None:
        """Return the proxy for a host and port, None to reach it directly: this machine always is."""
        proxy = self.https if scheme == "https" else self.http
        if proxy is None:
            return None
        name, address = host.rstrip(".").lower(), literal_address(host)
        if name == "localhost" or name.endswith(".localhost") or (address and ip_address(address).is_loopback):
            return None
        return None if any(one.matches(name, address, port) for one in self.bypassed) else proxy


DIRECT: Final = OutboundProxies()
"""No proxies."""


def outbound_proxies(environ: Mapping[str, str] = os.environ) -> OutboundProxies:
    """Return the proxies that the environment names: that of the setting, else those of the usual variables.

    In AWS Lambda, where others may set variables for their own extensions, only the setting counts. Raise
    InvalidInputError, without the value, which may have a password.
    """
    given = (_BYPASS, *_VARIABLES.values())
    bypass, http, https = (next((name for name in names if environ.get(name)), "") for names in given)
    if "REQUEST_METHOD" in environ and http == "HTTP_PROXY":  # a CGI program: the value is a header of its client
        http = ""
    if environ.get(SETTING):
        http = https = SETTING
    elif "AWS_LAMBDA_FUNCTION_NAME" in environ:
        return DIRECT
    entries = [entry.strip() for entry in environ.get(bypass, "").split(",")]
    if "*" in entries:
        return DIRECT
    return OutboundProxies(
        http=_parsed(http, environ[http]) if http else None,
        https=_parsed(https, environ[https]) if https else None,
        bypassed=tuple(Bypassed.parse(entry) for entry in entries if entry),
    )


def _parsed(variable: str, text: str) -> OutboundProxy:
    problem = InvalidInputError(
        f"{_SHOWN.get(variable, variable)} must be the URL of an HTTP proxy, such as http://proxy.example.com:3128. "
        "Proxies that are reached by TLS or SOCKS cannot be used. To use no proxy, set NO_PROXY=*"
    )
    try:
        url = urlsplit(text.strip() if "://" in text else f"http://{text.strip()}")
        host, port = url.hostname or "", url.port if url.port is not None else _DEFAULT_PORT
        user, password = unquote_to_bytes(url.username or ""), unquote_to_bytes(url.password or "")
        host.encode("ascii")
    except ValueError:
        raise problem from None  # its cause has the value
    if url.scheme != "http" or not host or not port or url.path not in ("", "/") or url.query or url.fragment:
        raise problem
    proof = f"Basic {b64encode(user + b':' + password).decode()}" if user or password else ""
    return OutboundProxy(host=host, port=port, authorization=proof)
