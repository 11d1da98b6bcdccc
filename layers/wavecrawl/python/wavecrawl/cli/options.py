"""Crawl settings from command-line options."""

import json
from collections.abc import Mapping
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import InvalidInputError, InvalidSettingsError

LOOPBACK = ("127.0.0.0/8", "::1/128")


def settings_from(url: str, options: Mapping[str, Any], *, file: Path | None) -> CrawlSettings:
    """Return the settings of a crawl: options override the settings file, which overrides the defaults.

    `options` maps dotted setting names to values; None means not given. If the URL is a loopback URL, the loopback
    networks are added to `allowed_addresses`. Raise InvalidInputError or InvalidSettingsError.
    """
    given = _read(file) if file else {}
    for name, value in options.items():
        if value is None or value == []:
            continue
        *path, last = name.split(".")
        place = given
        for part in path:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise InvalidSettingsError((f"{part} must be a group of settings, such as {name}, not {place!r}",))
        place[last] = value
    try:
        settings = msgspec.convert(given, CrawlSettings, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidSettingsError((_said_plainly(error),)) from error
    _reject_unknown(given)
    if is_loopback(url):
        settings = replace(settings, allowed_addresses=(*settings.allowed_addresses, *LOOPBACK))
    return settings.validated()


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


def _reject_unknown(given: Mapping[str, Any]) -> None:
    known = msgspec.to_builtins(CrawlSettings())
    problems = [f"there is no setting {name!r}" for name in _names(given) if not _has(known, name)]
    if problems:
        raise InvalidSettingsError(tuple(problems))


def _names(given: Mapping[str, Any], prefix: str = "") -> list[str]:
    found: list[str] = []
    for name, value in given.items():
        found += _names(value, f"{prefix}{name}.") if isinstance(value, dict) else [f"{prefix}{name}"]
    return found


def _has(known: Any, name: str) -> bool:
    for part in name.split("."):
        if not isinstance(known, dict) or part not in known:
            return False
        known = known[part]
    return True


def _said_plainly(error: msgspec.ValidationError) -> str:
    """Say what does not hold the way the settings are written: `polite.interval`, not `$.polite.interval`."""
    what, _, where = str(error).partition(" - at `")
    name = where.removesuffix("`").removeprefix("$").removeprefix(".")
    return f"{name}: {what}" if name else what
