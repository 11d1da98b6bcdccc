"""Whose turn it is: the order in which sites are indexed in the background, fair between tenants."""

from collections import Counter, deque

from wavecrawl.domain.knowledge.passage import SiteId


class IndexTurns:
    """Sites that wait to be indexed, and those that are being indexed.

    A site is indexed in slices of time. The next slice goes to the tenant with the fewest sites in work; of these, to
    the one whose last slice is longest ago. A tenant's sites take turns, too. So a tenant waits for at most one slice
    of each other tenant, however many sites they have and however long one takes.
    """

    def __init__(self) -> None:
        self._waiting: dict[str, deque[SiteId]] = {}  # by tenant, none empty
        self._running: set[SiteId] = set()
        self._again: set[SiteId] = set()  # running sites that were requested meanwhile
        self._served: dict[str, int] = {}  # number of each tenant's last slice
        self._slices = 0

    def add(self, site: SiteId) -> None:
        """Let a site wait, unless it does already. One that is being indexed waits again afterwards."""
        if site in self._running:
            self._again.add(site)
        elif site not in self._waiting.get(site.tenant, ()):
            self._waiting.setdefault(site.tenant, deque()).append(site)

    def next(self) -> SiteId | None:
        """Return the site whose turn it is, None if none waits. It is being indexed until `ended`."""
        if not self._waiting:
            return None
        busy = Counter(site.tenant for site in self._running)
        tenant = min(self._waiting, key=lambda name: (busy[name], self._served.get(name, 0)))
        sites = self._waiting[tenant]
        site = sites.popleft()
        if not sites:
            del self._waiting[tenant]
        self._running.add(site)
        self._slices += 1
        self._served[tenant] = self._slices
        return site

    def ended(self, site: SiteId, *, is_done: bool) -> None:
        """Note that a slice has ended. If the site is not done, it waits for its next turn."""
        self._running.discard(site)
        if not is_done or site in self._again:
            self._again.discard(site)
            self.add(site)
        if not self._waiting and not self._running:
            self._served.clear()

    def clear(self) -> None:
        """Forget the sites that wait."""
        self._waiting.clear()
        self._again.clear()
