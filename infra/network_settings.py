"""What is wrong with the settings of a deployment that say how it reaches sites."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from ssl import PROTOCOL_TLS_CLIENT, SSLContext

from wavecrawl.adapters.http.outbound_proxies import SETTING as PROXY
from wavecrawl.adapters.http.outbound_proxies import outbound_proxies
from wavecrawl.domain.fetching.allowed_networks import allowed_network
from wavecrawl.errors import InvalidInputError


def address_problems(networks: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with the networks outside the public internet that may be requested."""
    for network in networks:
        try:
            allowed_network(network)
        except ValueError as error:
            yield f"allowed_addresses must be networks such as 10.0.0.0/8: {error}"


def proxy_problems(proxy: str, no_proxy: str) -> Iterator[str]:
    """Yield what is wrong with the outbound proxy of a deployment."""
    if not proxy:
        if no_proxy:
            yield "no_proxy has no effect without proxy"
        return
    try:
        parsed = outbound_proxies({PROXY: proxy}).https
    except InvalidInputError:
        yield "proxy must be the URL of an HTTP proxy, such as http://proxy.example.com:3128"
    else:
        if parsed is not None and parsed.authorization:
            yield (
                "proxy must have no user name and password: everyone who may see the functions would see them; let the "
                "proxy accept the security groups or the address of the deployment"
            )


def authority_problems(ca_file: str, path: Path) -> Iterator[str]:
    """Yield what is wrong with the file of certificate authorities at `path`, which the setting names `ca_file`."""
    if not ca_file:
        return
    try:
        SSLContext(PROTOCOL_TLS_CLIENT).load_verify_locations(cafile=path)
    except OSError as error:  # SSLError is one
        why = error.strerror or str(error)
        yield f"ca_file must be a PEM file with certificates, relative to infra/: {ca_file!r}: {why}"
