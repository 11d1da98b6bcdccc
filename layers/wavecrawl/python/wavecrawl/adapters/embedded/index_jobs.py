"""Indexing in the background on one machine: processes beside those of the crawls, one slice of time each."""

import logging
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from threading import Condition

from wavecrawl.adapters.embedded.child_processes import ChildProcesses
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.domain.knowledge.turns import IndexTurns
from wavecrawl.errors import WavecrawlError

SLICE = 60.0
"""Seconds after which a process ends, at the end of a batch of texts. The site then waits for its next turn."""

LONGEST = 1_800.0
"""Seconds after which a process is killed, as it hangs. A slice may take much longer than `SLICE`, as the
comparison of unchanged pages and the end of a run are not divided."""

MORE, STOPPED = 7, 130
"""Exit codes: the site needs another slice; the process was told to stop."""

TRIES = 3
"""Failed processes of a site after which its texts are not indexed."""

logger = logging.getLogger(__name__)


class IndexJobs:
    """`ports.knowledge.IndexRequests` between `start` and `stop`. Requests at other times are ignored.

    `command` returns the command of the process that indexes a site for one slice. `give_up` stores why a site is not
    indexed. At most `most` processes run at once.
    """

    def __init__(
        self,
        *,
        command: Callable[[SiteId], Sequence[str]],
        give_up: Callable[[SiteId, str], None],
        most: int,
        longest: float = LONGEST,
    ) -> None:
        self._command = command
        self._give_up = give_up
        self._most = most
        self._longest = longest
        self._changed = Condition()
        self._turns = IndexTurns()
        self._processes = ChildProcesses[SiteId](self._changed, await_end=self._await, name="index")
        self._lost: Counter[SiteId] = Counter()
        self._stopping = True

    def request(self, site: SiteId) -> None:
        """Index a site when it is its turn, unless it is being indexed."""
        with self._changed:
            if site not in self._processes.running:
                self._add(site)

    def renew(self, site: SiteId) -> None:
        """Index a site that has new texts when it is its turn. If it is being indexed, it is indexed again."""
        with self._changed:
            self._add(site)

    def _add(self, site: SiteId) -> None:
        if not self._stopping:
            self._turns.add(site)
            self._begin()

    def start(self) -> None:
        """Accept requests."""
        with self._changed:
            self._stopping = False

    def stop(self) -> None:
        """Stop the processes. What they have indexed stays; the rest is indexed when it is requested again."""
        with self._changed:
            self._stopping = True
            self._turns.clear()
        self._processes.stop()

    def running(self) -> dict[SiteId, int]:
        """Return the process IDs by site."""
        with self._changed:
            return {site: process.pid for site, process in self._processes.running.items()}

    def _begin(self) -> None:
        """Start processes up to the limit. Call it with the lock held."""
        while not self._stopping and self._has_room() and (site := self._turns.next()) is not None:
            try:
                self._processes.start(site, self._command(site), stdout=subprocess.DEVNULL)
            except OSError:  # too many processes or too little memory; the next request tries again
                logger.exception("cannot start a process to index site %s now", site.site)
                self._turns.ended(site, is_done=False)
                return

    def _has_room(self) -> bool:
        """Return whether another process may start."""
        return len(self._processes.running) < self._most

    def _await(self, site: SiteId, process: "subprocess.Popen[bytes]") -> None:
        try:
            code = process.wait(self._longest)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        with self._changed:
            stopping = self._stopping
        try:
            is_done = stopping or self._is_done(site, code)
        except WavecrawlError:  # the problem could not be stored; the next search requests the site again
            logger.exception("site %s is not indexed", site.site)
            is_done = True
        with self._changed:
            self._processes.remove(site)
            if is_done:
                del self._lost[site]
            self._turns.ended(site, is_done=is_done)
            self._begin()

    def _is_done(self, site: SiteId, code: int) -> bool:
        """Return whether a site needs no further slice; give it up if too many processes have failed."""
        if code in (0, STOPPED):
            return True
        if code == MORE:
            del self._lost[site]
            return False
        self._lost[site] += 1
        logger.warning("the process that indexed site %s ended with exit code %s", site.site, code)
        if self._lost[site] < TRIES:
            return False
        problem = f"the process that indexed it failed {TRIES} times, the last time with exit code {code}"
        self._give_up(site, f"{problem}. If it needs more memory, serve with a higher --index-mb")
        return True
