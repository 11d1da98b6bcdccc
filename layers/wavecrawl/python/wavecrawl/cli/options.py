"""Crawl settings from command-line options."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from wavecrawl.application.crawl_settings import NO_COSTS, crawl_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import OPERATOR_BOUNDS
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.urls.limits import DEFAULT_PORTS
from wavecrawl.errors import InvalidInputError, InvalidSettingsError


class Media(StrEnum):
    """Values of `--media`."""

    NONE = "none"
    IMAGES = "images"
    VIDEOS = "videos"
    DOCUMENTS = "documents"
    ALL = "all"


def media_groups(given: Sequence[Media]) -> tuple[str, ...] | None:
    """Return the setting `media.include` for the values of `--media`; None if there are none."""
    if not given:
        return None
    if Media.ALL in given:
        return tuple(MediaGroup)
    return tuple(one.value for one in dict.fromkeys(given) if one is not Media.NONE)


def settings_from(url: str, options: Mapping[str, Any], *, file: Path | None) -> CrawlSettings:
    """Return the settings of a crawl: options override the settings file, which overrides the defaults.

    `options` maps dotted setting names to values; None means not given. If the URL is a loopback URL and
    `allowed_addresses` is empty, its address and port are allowed, and nothing else of this machine. Raise
    InvalidInputError or InvalidSettingsError.
    """
    given = _read(file) if file else {}
    for name, value in options.items():
        if value is not None:
            _put(given, name, value)
    settings = crawl_settings(given, bounds=OPERATOR_BOUNDS)
    if settings.budget_usd:
        raise InvalidSettingsError((NO_COSTS,))
    if is_loopback(url) and not settings.allowed_addresses:
        settings = replace(settings, allowed_addresses=_addresses_of(url))
    return settings


def urls_of(file: Path) -> list[str]:
    """Return the URLs of a file with one per line; raise InvalidInputError if it cannot be read."""
    try:
        lines = file.read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InvalidInputError(f"--urls {file} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InvalidInputError(f"--urls {file} is not UTF-8 text: {error}") from error
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def free_settings(pairs: list[str]) -> dict[str, Any]:
    """Return the settings given by `--set name=value`; raise InvalidInputError if one has another form."""
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InvalidInputError(f"--set takes name=value, not {pair!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def is_loopback(url: str) -> bool:
    """Return whether the URL's host is this machine."""
    try:
        host = (urlsplit(url).hostname or "").lower()
        return host == "localhost" or host.endswith(".localhost") or ip_address(host).is_loopback
    except ValueError:
        return False


def _addresses_of(url: str) -> tuple[str, ...]:
    """Return the addresses of a loopback URL, with its port. Names below localhost have two (RFC 6761 6.3)."""
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if host.endswith("localhost"):
        return f"127.0.0.1:{port}", f"[::1]:{port}"
    return (f"[{host}]:{port}" if ":" in host else f"{host}:{port}",)


def _read(file: Path) -> dict[str, Any]:
    decode = msgspec.toml.decode if file.suffix == ".toml" else msgspec.json.decode
    try:
        given = decode(file.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"the settings file {file} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"the settings file {file} is not {file.suffix[1:] or 'JSON'}: {error}") from error
    if not isinstance(given, dict):
        raise InvalidInputError(f"the settings file {file} must contain one object of settings")
    return given


def _put(given: dict[str, Any], name: str, value: object) -> None:
    """Put a setting into its group; a value that stands in place of the group stays, for the check to report it."""
    group, _, rest = name.partition(".")
    if not rest:
        given[name] = value
        return
    inner = given.setdefault(group, {})
    if isinstance(inner, dict):
        _put(inner, rest, value)
