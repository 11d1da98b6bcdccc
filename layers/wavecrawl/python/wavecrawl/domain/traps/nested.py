"""Paths that go on without end below pages with the same text.

A server that answers every path with one page, which has relative links such as `about/`, leads to `/about/`,
`/about/about/`, `/about/about/about/` and so on.
"""

from collections.abc import Iterator, Sequence

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.settings import TemplateTrapSettings

_LEAST_SAME = 2
"""Pages above with the same text. One alone is no evidence: the home page of a region can be that of the site."""

_LEAST_SLASHES = 5  # of a URL with a path of three segments, without the last slash


class NestedRule:
    """Suppresses URLs below a page that has the text of two pages above it, after a row of such pages of a host."""

    reason = Reason.TRAP_TEMPLATE

    def __init__(self, settings: TemplateTrapSettings, families: Families) -> None:
        self._most = settings.max_nested
        self._families = families

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a page that was found on the page above it."""
        if page.is_json or not page.fingerprint or not ancestors or not _is_below(page.url, ancestors[0]):
            return
        family = families.use(_key(page.url))
        is_same = self._same_above(page.url, (page.fingerprint,)) >= _LEAST_SAME
        why = "pages in a row have the text of two pages above them, each found on the page above"
        families.count(family, page.url, empty=is_same, most=self._most, why=why)

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL belongs to."""
        if not are_nested(parent, url):
            return ()
        key = _key(url)
        if key not in self._families.closed:
            return ()
        above = self._families.get(parent)
        return (key,) if above is not None and self._same_above(parent, above.prints) >= _LEAST_SAME else ()

    def _same_above(self, url: str, prints: Sequence[int]) -> int:
        """Return how many pages in the folders above a page have one of these fingerprints."""
        above = (self._families.get(address) for address in _addresses_above(url))
        return sum(page is not None and not {*prints}.isdisjoint(page.prints) for page in above)


def are_nested(parent: str, url: str) -> bool:
    """Return whether a URL is below that of the page that it was found on, and is at least three segments deep."""
    return url.count("/", 0, -1) >= _LEAST_SLASHES and _is_below(url, parent)


def _is_below(url: str, page: str) -> bool:
    """Return whether a URL is in the folder of a page, or below it; those with a query are not."""
    return "?" not in url and url != page and url.startswith(page[: page.rfind("/") + 1])


def _addresses_above(url: str) -> Iterator[str]:
    """Yield the URLs of the folders above a page: `/a/` and `/`, each also without its last slash."""
    end = url.rstrip("/").rfind("/")
    root = url.find("/", url.find("//") + 2)
    while end >= root:
        yield url[: end + 1]
        if end > root:
            yield url[:end]
        end = url.rfind("/", 0, end)


def _key(url: str) -> str:
    return f"nested {url[: url.find('/', url.find('//') + 2)]}"
