"""The risks of a URL, which lower its score."""

from collections.abc import Callable

from msgspec import Struct


class Risks(Struct, frozen=True, kw_only=True, gc=False):
    """The risks of a URL, each from 0 to 1."""

    trap: float = 0.0  # that it leads into a trap for crawlers
    duplication: float = 0.0  # share of the fetched pages with similar URLs that are near-identical to others


RisksOf = Callable[[str], Risks]
"""Returns the risks of a URL."""


def no_risks(_url: str) -> Risks:
    """Return no risks."""
    return Risks()
