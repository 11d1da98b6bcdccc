"""Page memory: what a site keeps about a page between crawls. Written by gather only."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wavecrawl.domain.crawl.job import Validators
from wavecrawl.domain.crawl.states import UrlState

LONGEST_VALIDATOR = 1_024
"""Maximum characters of a validator in a conditional request: a job must fit in a message with all its validators."""

if TYPE_CHECKING:  # workers need PageMemory only; importing gather would slow their cold start
    from wavecrawl.domain.crawl.gather import RecordView


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMemory:
    """One page over several crawls. Times are Unix seconds."""

    key: str
    url: str
    state: UrlState
    etag: str = ""
    last_modified: str = ""
    text_hash: str = ""
    simhash: int = 0
    title: str = ""
    depth: int = 0
    first_seen: float = 0.0
    last_seen: float = 0.0  # last crawl in which any of these fields changed
    last_changed: float = 0.0  # last crawl in which the main text differed
    record: str = ""  # place of the last full record

    @property
    def validators(self) -> Validators | None:
        """Return the validators for a conditional request, or None if there are none."""
        etag = self.etag if len(self.etag) <= LONGEST_VALIDATOR else ""
        last_modified = self.last_modified if len(self.last_modified) <= LONGEST_VALIDATOR else ""
        if not self.record or not (etag or last_modified):
            return None
        return Validators(etag=etag, last_modified=last_modified, record=self.record)


def remembered(known: PageMemory | None, record: "RecordView", *, depth: int, place: str) -> PageMemory | None:
    """Return the memory after a terminal `record`, or None if nothing changed.

    A page whose response is an error keeps its last good text; only its state changes.
    """
    at = record.fetched_at
    if record.state not in (UrlState.FETCHED, UrlState.UNCHANGED):
        if known is None:
            fresh = PageMemory(key=record.key, url=record.url, state=record.state, depth=depth)
            return replace(fresh, first_seen=at, last_seen=at)
        return None if known.state is record.state else replace(known, state=record.state, last_seen=at)
    if record.state is UrlState.UNCHANGED and known is not None:
        return None if known.state is UrlState.FETCHED else replace(known, state=UrlState.FETCHED, last_seen=at)
    facts = record.facts
    text_hash, simhash, title = (facts.text_hash, facts.simhash, facts.title) if facts else ("", 0, "")
    same = known is not None and known.text_hash == text_hash
    return PageMemory(
        key=record.key,
        url=record.url,
        state=UrlState.FETCHED,
        etag=record.etag,
        last_modified=record.last_modified,
        text_hash=text_hash,
        simhash=simhash,
        title=title,
        depth=depth,
        first_seen=known.first_seen if known else at,
        last_seen=at,
        last_changed=known.last_changed if known and same else at,
        record=place,
    )
