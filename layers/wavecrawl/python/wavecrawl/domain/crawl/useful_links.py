"""The links of a wave that can change the frontier, which are few: most links lead to pages that are known already.

Links are followed when all pages of a wave are settled. Until then only these links are kept, so that the memory of the
planner does not grow with the number of links.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import TypeVar

from msgspec import structs

from wavecrawl.domain.crawl.gather import Gatherer
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.record_view import LinkView, MediaView, RecordView, ResourceView
from wavecrawl.domain.crawl.trap_evidence import evidence_of
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.rules import are_kin

_Reference = TypeVar("_Reference", MediaView, ResourceView)


class UsefulLinks:
    """Drops the links that change nothing. Takes the pages of a wave in planned order."""

    def __init__(self, gatherer: Gatherer) -> None:
        self._gatherer = gatherer
        self._media: set[str] = set()  # keys of the assets so far
        self._archived: set[str] = set()  # keys of the archive's resources so far
        self._resources: set[str] = set()  # keys of the checked resources so far
        self._found: dict[str, float] = {}  # smallest depth of the links so far by URL key; inf: none may be followed
        self._feeds: dict[str, str] = {}  # key of the first page that declares a feed; "" if two do
        self._doubtful: set[str] = set()  # those of `_found` that only kin and copies link to, which rules may drop
        self._texts: set[int] = set()  # fingerprints so far

    def of(self, record: RecordView) -> RecordView:
        """Return a record without the links, media and resources that the frontier or an earlier page makes useless.

        The evidence for the rules against traps is taken from all its links.
        """
        index = self._gatherer.frontier.find(record.key)
        if index is None:
            return record
        depth = self._gatherer.frontier.depth(index) + 1
        later = self._gatherer.later
        evidence = evidence_of(record)
        is_copy = evidence is not None and self._is_copy(evidence, index)
        return structs.replace(
            record,
            links=tuple(self._kept(record, depth, is_copy=is_copy)),
            media=tuple(self._new_media(record.media or ())),
            resources=tuple(self._new(record.resources or (), self._resources, later.check_room, later.lacks)),
            evidence=evidence,
        )

    def _is_copy(self, page: PageEvidence, index: int) -> bool:
        """Return whether a page has the text of an earlier one, also of this wave."""
        parent = next(iter(self._gatherer.ancestors(index)), "")
        is_known = page.fingerprint in self._texts
        self._texts.add(page.fingerprint)
        return is_known or self._gatherer.traps.would_be_copy(page, parent=parent)

    def _new_media(self, references: Sequence[MediaView]) -> Iterator[MediaView]:
        """Yield the new assets, then the new resources of the archive: each have a limit of their own."""
        later = self._gatherer.later
        assets = (one for one in references if one.kind is not MediaKind.RESOURCE)
        yield from self._new(assets, self._media, later.media_room, later.lacks_asset)
        resources = (one for one in references if one.kind is MediaKind.RESOURCE)
        yield from self._new(resources, self._archived, later.resource_room, later.lacks)

    def _new(
        self, references: Iterable[_Reference], before: set[str], room: int, lacks: Callable[[str], bool]
    ) -> Iterator[_Reference]:
        """Yield the references whose URLs will join the frontier of later URLs, which has `room` for some more.

        `before`: keys of those that were yielded; they are added to it. `lacks`: whether the frontier lacks a URL.
        """
        for one in references:
            if len(before) >= room:
                return
            if not one.skip and one.key not in before and lacks(one.key):
                before.add(one.key)
                yield one

    def _is_second_feed(self, link: LinkView, record: RecordView) -> bool:
        """Return whether a page is the second to declare a feed, which is then one of the site."""
        if link.skip is not Reason.FEED:
            return False
        first = self._feeds.setdefault(link.key, record.key)
        if first in ("", record.key):
            return False
        self._feeds[link.key] = ""
        return True

    def _kept(self, record: RecordView, depth: int, *, is_copy: bool) -> list[LinkView]:
        found, doubtful, gatherer = self._found, self._doubtful, self._gatherer
        kept: list[LinkView] = []
        for link in record.links:
            known = found.get(link.key)
            if (
                known is not None
                and known <= depth
                and (link.key not in doubtful or is_copy or are_kin(record.url, link.url))
            ):
                continue
            if gatherer.ignores(link, depth):
                continue
            if link.skip or gatherer.reason_not_to_follow(record, link, depth):
                if not self._is_second_feed(link, record) and known is not None:
                    continue
                found.setdefault(link.key, inf)
            else:
                found[link.key] = depth if known is None else min(depth, known)
                if not (is_copy or are_kin(record.url, link.url)):
                    doubtful.discard(link.key)
                elif known is None or known == inf:
                    doubtful.add(link.key)
            kept.append(link)
        return kept
