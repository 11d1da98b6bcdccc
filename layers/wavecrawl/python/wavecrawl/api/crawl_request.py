"""What a request may ask for: a URL and settings. Every problem is named, with the field it is in."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache
from http import HTTPStatus
from typing import Any, get_type_hints

import msgspec

from wavecrawl.api.problems import Problem
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import InvalidSettingsError

OPERATORS = frozenset({"allowed_addresses", "contact", "robots_product", "waves"})
"""Settings that belong to whoever runs the crawler: a request cannot name them."""

_MIB = 1024 * 1024
CEILINGS: Mapping[str, int] = {
    "limits.timeout": 30,  # seconds
    "limits.max_bytes": 50 * _MIB,
    "limits.max_decoded_bytes": 50 * _MIB,
    "sitemaps.timeout": 60,  # seconds
    "sitemaps.max_bytes": 50 * _MIB,
}
"""The most that a request may ask for: what one page or sitemap takes has to fit a function's time and memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlRequest:
    """A crawl that somebody asks for."""

    url: str
    settings: CrawlSettings
    pages_named: bool = True  # whether it said how many pages it wants


def crawl_request(body: bytes, *, contact: str, allowed_addresses: tuple[str, ...], lease: float) -> CrawlRequest:
    """Return what a body asks for: `{"url": ..., "settings": {...}}`, with the operator's own settings.

    A batch is owned for `lease` seconds, which the functions' time-outs go by.

    Raise Problem 400 where it is no such object, InvalidSettingsError with every problem of the settings.
    """
    document = _document(body)
    unknown = sorted(set(document) - {"url", "settings"})
    url, settings = document.get("url"), document.get("settings", {})
    problems = [f"{name}: unknown field; there are url and settings" for name in unknown]
    if not isinstance(url, str) or not url.strip():
        problems.append("url: must be the URL to start from")
    asked_for = settings if isinstance(settings, dict) else {}
    if isinstance(settings, dict):
        problems += _problems(settings, CrawlSettings, "settings.")
    else:
        problems.append("settings: must be an object")
    if problems:
        raise InvalidSettingsError(tuple(problems))
    asked = msgspec.convert(settings, CrawlSettings)
    operated = replace(
        asked, contact=contact, allowed_addresses=allowed_addresses, waves=replace(asked.waves, lease=lease)
    )
    return CrawlRequest(url=str(url), settings=operated.validated(), pages_named="max_pages" in asked_for)


def _document(body: bytes) -> dict[str, object]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise Problem(HTTPStatus.BAD_REQUEST, f"the body is not JSON: {error}") from error
    if not isinstance(document, dict):
        raise Problem(HTTPStatus.BAD_REQUEST, 'the body must be an object such as {"url": "https://example.com/"}')
    return document


def _problems(values: Mapping[str, object], shape: type, prefix: str) -> Iterator[str]:
    known = _known(shape)
    for name, value in values.items():
        kind = known.get(name)
        if name in OPERATORS:
            yield f"{prefix}{name}: only the operator can set it"
        elif kind is None:
            yield f"{prefix}{name}: unknown setting"
        elif is_dataclass(kind) and isinstance(kind, type) and isinstance(value, dict):
            yield from _problems(value, kind, f"{prefix}{name}.")
        else:
            yield from _problem_of(value, kind, prefix + name)


def _problem_of(value: object, kind: Any, name: str) -> Iterator[str]:
    try:
        converted = msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        yield f"{name}: {error}"
    else:
        ceiling = CEILINGS.get(name.removeprefix("settings."))
        if ceiling is not None and converted > ceiling:
            yield f"{name}: must be at most {ceiling:,}: {value!r}"


@cache
def _known(shape: type) -> dict[str, Any]:
    hints = get_type_hints(shape)
    return {field.name: hints[field.name] for field in fields(shape)}
