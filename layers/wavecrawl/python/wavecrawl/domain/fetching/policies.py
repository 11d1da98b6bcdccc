"""The security policies that a response or a page declares to browsers."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Final

from wavecrawl.domain.fetching.exchange import Exchange


class Policy(StrEnum):
    """A policy that is in effect."""

    HSTS = "hsts"  # Strict-Transport-Security with a max-age above 0 (RFC 6797 6.1.1)
    CSP = "csp"  # Content-Security-Policy
    UPGRADE = "upgrade"  # its directive upgrade-insecure-requests
    FRAMES = "frames"  # its directive frame-ancestors, or X-Frame-Options with a value that browsers know
    NOSNIFF = "nosniff"  # X-Content-Type-Options
    REFERRER = "referrer"  # Referrer-Policy


_FRAME_OPTIONS: Final = ("deny", "sameorigin")  # HTML, section 7.7.1
_REFERRER_POLICIES: Final = frozenset(
    (
        "no-referrer", "no-referrer-when-downgrade", "same-origin", "origin", "strict-origin",
        "origin-when-cross-origin", "strict-origin-when-cross-origin", "unsafe-url",
    )
)  # fmt: skip  # Referrer Policy, section 3


def header_policies(exchange: Exchange) -> tuple[Policy, ...]:
    """Return the policies in the headers of a response, sorted. `HSTS` counts over HTTPS only (RFC 6797 8.1)."""
    found: set[Policy] = set()
    seen_hsts = not exchange.url.startswith("https:")  # only the first such header counts (RFC 6797 8.1)
    for name, value in exchange.headers:
        match name.lower():
            case "strict-transport-security" if not seen_hsts:
                seen_hsts = True
                found.update(_hsts(value.lower()))
            case "content-security-policy":
                found.update(csp_policies(value, in_header=True))
            case "x-frame-options" if _values(value)[0] in _FRAME_OPTIONS:
                found.add(Policy.FRAMES)
            case "x-content-type-options" if _values(value)[0] == "nosniff":  # Fetch, section 3.6
                found.add(Policy.NOSNIFF)
            case "referrer-policy":
                found.update(referrer_policy(value))
            case _:
                pass
    return tuple(sorted(found))


def csp_policies(value: str, *, in_header: bool) -> Iterator[Policy]:
    """Yield what a Content-Security-Policy means. In a meta element, frame-ancestors is ignored (CSP 3, 3.3)."""
    names = {part.split()[0] for part in value.lower().replace(",", ";").split(";") if part.strip()}
    if names:
        yield Policy.CSP
    if "upgrade-insecure-requests" in names:
        yield Policy.UPGRADE
    if in_header and "frame-ancestors" in names:
        yield Policy.FRAMES


def referrer_policy(value: str) -> Iterator[Policy]:
    """Yield `Policy.REFERRER` if a value names a referrer policy."""
    if not _REFERRER_POLICIES.isdisjoint(_values(value)):
        yield Policy.REFERRER


def _hsts(value: str) -> Iterator[Policy]:
    for part in value.split(";"):
        name, _, age = part.partition("=")
        age = age.strip().strip('"')
        if name.strip() == "max-age" and age.isascii() and age.isdigit() and age.strip("0"):
            yield Policy.HSTS


def _values(value: str) -> list[str]:
    return [part.strip() for part in value.lower().split(",")]
