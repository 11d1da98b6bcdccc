"""What the operator of an installation can forbid at any time: all crawls, requests to hosts, costs of a month."""

from collections.abc import Iterable

import msgspec
from msgspec.structs import replace

from wavecrawl.domain.tenants.limits import MOST_DENIED
from wavecrawl.errors import InvalidInputError


class OperatorControls(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's controls. They hold for all tenants, and for crawls that are running."""

    stopped: bool = False  # no crawl starts, and running ones are cancelled at their next wave
    denied_hosts: tuple[str, ...] = ()  # never requested, like all hosts below them; sorted
    budget_usd_a_month: float | None = None  # of all tenants together; None = no limit
    version: int = 0  # increases with each change; 0 = never changed

    def denies(self, host: str) -> bool:
        """Return whether a host or an address must not be requested: it, or a host above it, is on the deny list."""
        if not self.denied_hosts:
            return False
        denied = frozenset(self.denied_hosts)
        name = _bare(host)
        if ":" in name or name.replace(".", "").isdigit():
            return name in denied
        labels = name.split(".")
        return any(".".join(labels[start:]) in denied for start in range(len(labels)))

    def deny(self, hosts: Iterable[str]) -> "OperatorControls":
        """Return the controls with further hosts on the deny list. Raise InvalidInputError."""
        listed = tuple(sorted({*self.denied_hosts, *map(host_of, hosts)}))
        if len(listed) > MOST_DENIED:
            raise InvalidInputError(f"denied_hosts: at most {MOST_DENIED:,} hosts, not {len(listed):,}")
        return replace(self, denied_hosts=listed)

    def allow(self, hosts: Iterable[str]) -> "OperatorControls":
        """Return the controls without some hosts on the deny list. Raise InvalidInputError if one is not on it."""
        removed = {host_of(host) for host in hosts}
        if missing := sorted(removed.difference(self.denied_hosts)):
            raise InvalidInputError(f"not on the deny list: {', '.join(missing)}")
        return replace(self, denied_hosts=tuple(host for host in self.denied_hosts if host not in removed))


def host_of(text: str) -> str:
    """Return a host name or address as URLs have it: in lower case, in punycode, without brackets and last dot.

    Raise InvalidInputError for anything else, such as a URL or a host with a port.
    """
    from ada_url import URL  # noqa: PLC0415 - all functions load this module, and few of them need this

    given = text.strip()
    url = f"http://[{given}]/" if ":" in given and not given.startswith("[") else f"http://{given}/"
    try:
        parsed = URL(url)
    except ValueError:
        parsed = None
    name = "" if parsed is None else _bare(parsed.hostname)
    whole = parsed is not None and parsed.host == parsed.hostname and parsed.pathname == "/"
    if not name or not whole or parsed is None or parsed.username or parsed.search or parsed.hash:
        raise InvalidInputError(f"denied_hosts: must be host names or addresses, such as example.com: {text!r}")
    return name


def _bare(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()
