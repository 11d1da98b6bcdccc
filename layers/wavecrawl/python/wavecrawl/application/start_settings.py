"""The settings of a crawl that is started on this machine."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from msgspec.structs import replace

from wavecrawl.application.crawl_settings import NO_COSTS, crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.urls.limits import DEFAULT_PORTS
from wavecrawl.errors import InvalidSettingsError


def start_settings(url: str, given: Mapping[str, Any]) -> CrawlSettings:
    """Return the settings that `given` names, in groups as in a settings file, and the defaults of all others.

    If the URL is a loopback URL and `allowed_addresses` is empty, its address and port are allowed, and nothing else of
    this machine. Raise InvalidSettingsError.
    """
    settings = crawl_settings(given, bounds=OPERATOR_BOUNDS)
    if settings.budget_usd:
        raise InvalidSettingsError((NO_COSTS,))
    if is_loopback(url) and not settings.allowed_addresses:
        settings = replace(settings, allowed_addresses=addresses_of(url))
    return settings


def is_loopback(url: str) -> bool:
    """Return whether the URL's host is this machine."""
    try:
        host = (urlsplit(url).hostname or "").lower()
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def addresses_of(url: str) -> tuple[str, ...]:
    """Return the addresses of a loopback URL, with its port. Names below localhost have two (RFC 6761 6.3)."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if host.endswith("localhost"):
        return f"127.0.0.1:{port}", f"[::1]:{port}"
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}",)
