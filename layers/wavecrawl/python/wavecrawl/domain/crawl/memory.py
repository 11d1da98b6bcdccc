"""What a site remembers of a page from crawl to crawl (design 7). Written by gather alone."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from wavecrawl.domain.crawl.states import UrlState

if TYPE_CHECKING:  # workers load PageMemory alone: what gather needs would cost their cold start
    from wavecrawl.domain.crawl.gather import RecordView


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMemory:
    """One page over time. Times are Unix seconds."""

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
    last_seen: float = 0.0  # the last crawl in which something about it changed
    last_changed: float = 0.0  # when its main text was last seen to differ
    record: str = ""  # where its last full record stands


def remembered(known: PageMemory | None, record: "RecordView", *, depth: int, place: str) -> PageMemory | None:
    """Return what to remember after `record` (terminal), or None where nothing changed and nothing need be written.

    A page that answers with an error keeps its last good text; only its state changes.
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
