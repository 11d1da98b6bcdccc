"""Paths that repeat themselves, because a relative link lacks its leading slash: `/a/b/a/b/a/b/`."""

from collections import Counter

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families
from wavecrawl.domain.traps.settings import SegmentTrapSettings

_LEAST_SLASHES = 4  # of a URL with a path of two segments
_LONGEST = 8  # segments of a sequence; of a longer one, each name counts


class SegmentRule:
    """Suppresses paths that repeat a sequence of segments too often. Needs no pages as evidence."""

    reason = Reason.TRAP_SEGMENTS

    def __init__(self, settings: SegmentTrapSettings) -> None:
        self._settings = settings

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn nothing."""

    def evidence(self, url: str, families: Families, *, parent: str) -> str:  # noqa: ARG002 - the signature of rules
        """Return why a URL is suppressed; "" if it is not."""
        if url.count("/") < _LEAST_SLASHES:
            return ""
        most = self._settings.repeats
        segments = url.partition("?")[0].split("/")[3:]
        if len(segments) - len(set(segments)) < most - 1:  # nearly all paths
            return ""
        sequence, times = repeated(segments)
        if times >= most:
            return f"the path has {'/'.join(sequence)!r} {times} times in a row; found on {parent}"
        names = Counter(segment for segment in segments if _is_name(segment))
        for segment, count in names.items():
            if count > most:
                return f"the path has the segment {segment!r} {count} times; found on {parent}"
        return ""


def repeated(segments: list[str]) -> tuple[list[str], int]:
    """Return the sequence of segments that is repeated most often in a row, and how often: ([], 1) if none is.

    Sequences have at most eight segments, so that long paths take little time. Sequences of numbers do not count, as in
    `/2011/11/11/11/`.
    """
    best: tuple[list[str], int] = ([], 1)
    names = list(map(_is_name, segments))
    for length in range(1, min(len(segments) // 2, _LONGEST) + 1):
        run = 0
        for position in range(length, len(segments)):
            run = run + 1 if segments[position] == segments[position - length] else 0
            times = run // length + 1
            if times > best[1] and any(names[position - length + 1 : position + 1]):
                best = (segments[position - length + 1 : position + 1], times)
    return best


def _is_name(segment: str) -> bool:
    return any(map(str.isalpha, segment))
