"""The events of a crawl for one response that stays open."""

from collections.abc import Mapping
from typing import Any, Final

from wavecrawl.api.backend import Backend
from wavecrawl.api.middleware.authentication import caller_of
from wavecrawl.api.problems import Problem
from wavecrawl.api.routes.crawl_events import RETRY, counters, event_stream, logged, sequence_of
from wavecrawl.application.crawl_events import follow_crawl
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.ports.crawls import CrawlRow

_LAST: Final = (EventKind.COMPLETED, EventKind.FAILED)


class CrawlStream:
    """The events of the crawl that a request names. The API must have accepted the request before."""

    def __init__(self, backend: Backend, event: Mapping[str, Any]) -> None:
        headers, query = event["headers"], event["queryStringParameters"]
        self._backend = backend
        self._authorization: str = headers.get("authorization", "")
        self._crawl: str = event["rawPath"].split("/")[3]  # /v1/crawls/{crawl}/events
        self._after = sequence_of(headers.get("last-event-id") or query.get("last_event_id"))
        self._snapshot = ""
        self._has_begun = False
        self.has_more = False
        """Whether `following` need not be called later: there are further events, or there will be none."""

    def following(self) -> str | None:
        """Return the new events as text, "" if there are none; None if no more will follow.

        The counters of a running crawl are left out if they have not changed. The stream ends if the API key is no
        longer valid, and if the crawl is deleted.
        """
        row = self._row()
        if row is None:
            return None
        backend = self._backend
        update = follow_crawl(
            row,
            after=self._after,
            log=backend.event_log,
            progress=lambda: backend.waves.progress(row.id),
            now=backend.clock.now(),
        )
        if update.over:
            return None
        if update.entries:
            self._after = update.entries[-1].sequence
        self.has_more = update.more or any(entry.kind in _LAST for entry in update.entries)
        text = event_stream(logged(row, update.entries), retry=0 if self._has_begun else RETRY)
        self._has_begun = True
        return text + self._changed(event_stream(counters(row, update.progress)))

    def _row(self) -> CrawlRow | None:
        try:
            tenant = caller_of(self._backend, self._authorization).tenant
        except Problem:
            return None
        return self._backend.crawls.find(tenant, self._crawl)

    def _changed(self, snapshot: str) -> str:
        if snapshot == self._snapshot:
            return ""
        self._snapshot = snapshot
        return snapshot
