"""Why the root of a crawl cannot be crawled, in words: what happened, to which URL, and what to do."""

from collections.abc import Mapping
from typing import Final

from wavecrawl.application.start_settings import addresses_of, is_loopback
from wavecrawl.domain.crawl.ledger import LedgerRow
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import Discovery
from wavecrawl.domain.crawl.states import UrlState

FROM_THE_ROOT: Final = (Discovery.LINKS_FIRST, Discovery.LINKS_ONLY, Discovery.SITEMAP_FIRST)
"""The ways of discovery that crawl the root URL itself."""

_LATER: Final = "Start another crawl when the server responds"
_ADVICE: Final[Mapping[Reason, str]] = {
    Reason.DNS: "Check the host name",
    Reason.BLOCKED_ADDRESS: "To crawl a network that is not public, the operator of the crawler adds it to "
    "allowed_addresses (--allow-address ADDRESS)",
    Reason.DENIED_HOST: "Ask the operator of the crawler",
    Reason.TLS: "Correct the server's certificate, let the operator of the crawler trust its authority "
    "(--ca-file FILE), or start at an http URL",
    Reason.BAD_URL: "Check the URL",
    Reason.ROBOTS_RULE: "Start at a URL that robots.txt allows. If the site is yours, allow the crawler in robots.txt, "
    "or set polite.obey_robots to false (--ignore-robots)",
    Reason.DELAY_TOO_LONG: "To crawl it nevertheless, raise polite.max_delay",
}


def root_failure(url: str, reason: Reason, detail: str) -> str:
    """Return the message of a RootFailedError."""
    advice = _ADVICE.get(reason, _LATER)
    if reason is Reason.ROBOTS_RULE:
        return f"{url} cannot be crawled: robots.txt denies it. {advice}."
    if reason is Reason.DELAY_TOO_LONG:
        detail = "its robots.txt requires a longer delay between requests than polite.max_delay allows"
    if reason is Reason.ROBOTS_UNREACHABLE:
        detail = f"its robots.txt cannot be fetched, so nothing may be requested (RFC 9309 2.3.1.4): {detail}"
    if reason is Reason.BLOCKED_ADDRESS and is_loopback(url):
        listed = " ".join(f"--allow-address {address}" for address in addresses_of(url))
        advice += f". With this option, the address of the start URL must be listed too: {listed}"
    return f"{url} cannot be crawled: {detail or reason.value}. {advice}."


def failure_of(root: LedgerRow) -> str:
    """Return why the root could not be crawled, "" if it was, or if its server responded with an error."""
    failed = root.state in (UrlState.FAILED, UrlState.ROBOTS_DENIED) or root.reason is Reason.DELAY_TOO_LONG
    return root_failure(root.url, root.reason, root.detail) if failed else ""
