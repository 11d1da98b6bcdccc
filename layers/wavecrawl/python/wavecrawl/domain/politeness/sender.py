"""The sender of requests: a host may refuse one sender and serve the others.

Most crawls are the same sender, as a host cannot distinguish them: they send the product's User-Agent and no
credentials. A crawl with a suffix of the User-Agent or with the credentials of a site is a sender of its own.
"""

from hashlib import blake2b

import msgspec

from wavecrawl.domain.sites.authentication import OwnHosts

PRODUCT = ""
"""The sender of all crawls of all tenants without a suffix and without credentials."""

KEPT_SECONDS = 7 * 86_400.0
"""Seconds for which the state of a sender at a host is stored. The longest `Retry-After` that is obeyed is a day."""

_SCHEMES = ("https", "http")


class Sender(msgspec.Struct, frozen=True, kw_only=True):
    """What distinguishes the requests of a crawl from those of other crawls."""

    tenant: str = ""
    site: str = ""
    suffix: str = ""  # of the User-Agent
    own_hosts: OwnHosts | None = None  # the hosts that receive the credentials of the site; None = it has none

    def at(self, host: str) -> str:
        """Return the id of the sender at a host (`host[:port]`); PRODUCT if it cannot distinguish the crawl.

        Senders of two tenants always differ, also if they send the same suffix.
        """
        has_credentials = self._has_credentials(host)
        if not (self.suffix or has_credentials):
            return PRODUCT
        parts = (self.tenant, self.suffix, self.site if has_credentials else "")
        return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()

    def _has_credentials(self, host: str) -> bool:
        own = self.own_hosts
        return own is not None and any(own.include(f"{scheme}://{host}") for scheme in _SCHEMES)
