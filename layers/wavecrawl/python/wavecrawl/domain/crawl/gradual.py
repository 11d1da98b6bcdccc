"""Which URLs may join a wave: of a family that may be a trap only few, until its pages had something new."""

from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import NO_PARENT
from wavecrawl.domain.crawl.ledger import BY_PAGES
from wavecrawl.domain.traps.rules import TrapRules


class GradualWave:
    """The limits of one wave. URLs that no page led to are not limited, as they are never suppressed."""

    def __init__(self, frontier: Frontier, rules: TrapRules) -> None:
        self._frontier = frontier
        self._rules = rules
        self._left: dict[str, int] = {}  # by family

    def may_join(self, index: int) -> bool:
        """Return whether a URL may join the wave, and count it if so."""
        frontier = self._frontier
        parent = frontier.parent(index)
        if parent == NO_PARENT or frontier.found_by(index) not in BY_PAGES:
            return True
        limits = self._rules.limits(frontier.url(index), parent=frontier.url(parent))
        left = {key: self._left.get(key, most) for key, most in limits}
        if not all(left.values()):
            return False
        self._left.update((key, most - 1) for key, most in left.items())
        return True
