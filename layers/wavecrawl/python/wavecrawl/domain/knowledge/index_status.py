"""The state of a knowledge index."""

from enum import StrEnum


class IndexStatus(StrEnum):
    """Whether the index has the texts of the site's newest crawl that has results.

    - `current`: it has
    - `waiting`: not yet; a run is due
    - `building`: not yet; a run has begun
    - `failed`: not, as the run exceeded a limit or failed; the message says why, and what to do
    - `off`: there is nothing to index: no crawl has results and the setting `knowledge.enabled`
    """

    CURRENT = "current"
    WAITING = "waiting"
    BUILDING = "building"
    FAILED = "failed"
    OFF = "off"
