"""The sender: as whom a host sees the requests of a crawl.

Most crawls are the same sender: they send the product's User-Agent and nothing else that tells them apart. A suffix of
the User-Agent or the credentials of a site make a crawl a sender of its own. A host may refuse one sender and serve
the others.
"""

from dataclasses import dataclass
from hashlib import blake2b

from wavecrawl.domain.sites.authentication import OwnHosts

PRODUCT = ""
"""The sender of all crawls without a suffix and without credentials, whoever started them."""

KEPT_SECONDS = 7 * 86_400.0
"""How long a host's words to a sender of its own are stored. No `Retry-After` that is obeyed is longer than a day."""

_SCHEMES = ("https", "http")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """What tells the requests of a crawl apart from those of others."""

    tenant: str = ""
    site: str = ""
    suffix: str = ""  # of the User-Agent
    own_hosts: OwnHosts | None = None  # the hosts that receive the credentials of the site; None = it has none

    def at(self, host: str) -> str:
        """Return the id of the sender at a host (`host[:port]`); PRODUCT if nothing tells the crawl apart there.

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
