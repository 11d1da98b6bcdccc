"""Whose host it is: whether two hosts belong to the same site, as far as their names show, or to one of a list."""

from ipaddress import ip_address
from typing import Final

_GENERIC: Final = frozenset(("ac", "co", "com", "edu", "gob", "gov", "go", "ne", "net", "or", "org"))
"""Labels under which registries of countries register names, such as `co.uk`."""

_COUNTRY: Final = 2  # letters of the domain of a country


def is_host_of(host: str, hosts: tuple[str, ...]) -> bool:
    """Return whether a host is one of `hosts`, or a subdomain of one."""
    return any(host == one or host.endswith(f".{one}") for one in hosts)


def is_same_site(host: str, other: str) -> bool:
    """Return whether two hosts belong to the same site: `www.example.com` and `cdn.example.com` do."""
    return host == other or _registered(host) == _registered(other)


def _registered(host: str) -> str:
    """Return the name that was registered; the host itself if it is an address.

    It is a guess without the list of public suffixes, and good enough to tell whose script it is that fails.
    """
    try:
        return str(ip_address(host.strip("[]")))
    except ValueError:
        labels = host.rstrip(".").split(".")
    has_generic = len(labels) > _COUNTRY and len(labels[-1]) == _COUNTRY and labels[-2] in _GENERIC
    return ".".join(labels[-3:] if has_generic else labels[-2:])
