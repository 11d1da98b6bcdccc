"""What `wavecrawl show` finds out about a URL, in the named crawl or in the newest one that found it."""

from contextlib import suppress

import msgspec
from msgspec.structs import replace

from wavecrawl.application.absence import LaterCrawl, absence_of
from wavecrawl.application.explain_url import Explanation, explain_url
from wavecrawl.application.start_address import candidates
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.urls.url import origin_of
from wavecrawl.errors import InvalidUrlError, NotFoundError
from wavecrawl.ports.crawls import CrawlRow


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a URL in one crawl."""

    crawl: CrawlRow
    found: Explanation


def explained(url: str, name: str | None, store: LocalStore) -> Explained:
    """Return what is known of a URL in the named crawl, or in the newest crawl that found it.

    `found.later` is the newest crawl of the same site if it ended without finding the URL; with a name, a later crawl
    that does not have the page.

    If no crawl found it, return the explanation of the newest crawl of its site, or else of the newest crawl.
    """
    newest = store.find(name)
    if name is not None:
        return Explained(crawl=newest, found=explain_url(_with_scheme(url, newest), newest, store))
    first: Explained | None = None
    without: dict[tuple[str, str], CrawlRow] = {}  # newest crawl by site, of those that did not find the URL
    for row in store.crawls.newest_first():
        found = explain_url(_with_scheme(url, row), row, store, with_absence=False)
        if found.ledger is not None or found.deleted:
            later = without.get(row.id.owned_site)
            if later is not None:
                why = absence_of(later, found.key, None, None, store)
                not_in = LaterCrawl(crawl=later.id.crawl, started_at=later.started_at, absence=why)
                found = replace(found, later=not_in)
            return _with_absence(Explained(crawl=row, found=found), store)
        if row.has_results:
            without.setdefault(row.id.owned_site, row)
        if first is None or (_outside(first.found) and not _outside(found)):
            first = Explained(crawl=row, found=found)
    if first is None:
        raise NotFoundError(f"no crawl yet in {store.root}")
    return _with_absence(first, store)


def _with_absence(shown: Explained, store: LocalStore) -> Explained:
    """Return it with why the crawl did not read the page; what is known of no crawl is not looked up before."""
    found = shown.found
    if found.deleted:
        return shown
    status = found.record.status if found.record else None
    absence = absence_of(shown.crawl, found.key, found.ledger, status, store)
    return replace(shown, found=replace(found, absence=absence))


def _with_scheme(url: str, crawl: CrawlRow) -> str:
    """Return a URL of the crawl's site with its scheme, if it has none; other texts, such as paths, as they are."""
    site = origin_of(crawl.root_url or crawl.start_url)
    with suppress(InvalidUrlError):
        return next((one for one in candidates(url) if origin_of(one) == site), url)
    return url


def _outside(found: Explanation) -> bool:
    return found.would_be is Reason.OUT_OF_SCOPE
