"""Lists that are made of the results of a crawl, or of its parts so far, and their cursors."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from wavecrawl.api.routing import Routes
from wavecrawl.application.results_so_far import results_of
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.live_results import SoFar
from wavecrawl.ports.results import Mark, Part

_BEGINNING = Mark(row=-1, value=-1)


class OpenList(msgspec.Struct, frozen=True, kw_only=True):
    """A list of a crawl at the position of a cursor."""

    routes: Routes
    filters: Mapping[str, object]
    so_far: SoFar
    after: Mark | None  # None = from the beginning
    grows: bool  # whether later parts only append to it

    def cursor(self, part: Part[Any], *, running: bool = False) -> str | None:
        """Return the cursor for the items after a part, None if no items follow, now or later."""
        following = part.following
        if following is None and self.grows and running:
            following = part.last or self.after or _BEGINNING
        if following is None:
            return None
        position: dict[str, Any] = {"row": following.row, "value": following.value}
        if self.so_far.as_of_wave is not None:
            position["as_of"] = None if self.grows else self.so_far.as_of_wave
        return self.routes.cursor(json.dumps(position), **self.filters)


def open_list(
    routes: Routes, crawl: CrawlRow, cursor: str | None, filters: Mapping[str, object], *, grows: bool = False
) -> OpenList:
    """Return the list of a crawl that a cursor belongs to.

    A list that began without results is continued from the same parts, or, if it `grows`, from all parts so far.
    """
    position = json.loads(routes.position(cursor, **filters) or "{}")
    after = Mark(row=position["row"], value=position["value"]) if position else None
    if "as_of" in position:
        so_far = routes.backend.live.so_far(crawl.id, up_to=position["as_of"])
    else:
        so_far = results_of(crawl, routes.backend)
    return OpenList(
        routes=routes, filters=filters, so_far=so_far, after=after, grows=grows and so_far.as_of_wave is not None
    )
