"""The planner's state of a crawl, and the snapshots of its waves that it is restored from."""

from collections.abc import Collection, Iterable, Iterator
from math import ceil
from typing import TypeVar

import msgspec
from msgspec.structs import fields

from wavecrawl.domain.crawl.batching import PlannedBatch
from wavecrawl.domain.crawl.counters import Counters
from wavecrawl.domain.crawl.frontier import Frontier
from wavecrawl.domain.crawl.frontier_rows import Changes, Row, UrlColumns
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import Phase
from wavecrawl.domain.crawl.parts import PartEnds
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.focus.vocabulary import Vocabulary, VocabularyDelta
from wavecrawl.domain.politeness.robots_wait import RobotsWait
from wavecrawl.domain.rendering.learning import Lesson, RenderLessons
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.objects import Objects

_T = TypeVar("_T")


class WaveState(msgspec.Struct, frozen=True, kw_only=True):
    """What a wave changed in the state of its crawl, but for its URLs."""

    wave: int
    phase: Phase
    planned_at: float  # Unix seconds
    clock: float  # the plan's clock at the end of the wave, see `domain.crawl.plan`
    counters: Counters
    stopped: Reason  # why the crawl plans nothing more; NONE while it continues
    unfollowed: tuple[int, ...] = ()  # waves whose links wait until a host's pause is over
    remembers: bool = True  # whether the site remembered any page when the crawl began
    robots_waits: dict[str, RobotsWait] = msgspec.field(default_factory=dict)  # by origin
    wait_until: float = 0.0  # Unix seconds; if set, the wave has no batches, and the next one is planned then
    ends: PartEnds = msgspec.field(default_factory=PartEnds)
    vocabulary: VocabularyDelta = msgspec.field(default_factory=VocabularyDelta)  # what the wave added
    families: list[Family] = msgspec.field(default_factory=list)  # that the wave changed, for the rules against traps
    lessons: list[Lesson] = msgspec.field(default_factory=list)  # that the wave changed, for rendering
    media_counters: Counters = msgspec.field(default_factory=Counters)
    origins: tuple[str, ...] = ()  # whose robots.txt counts since this wave; empty without a limit of requests
    media_waiting: int = 0  # media URLs that are not done
    # By host: URLs that failed, as it cannot be reached.
    unreached: dict[str, int] = msgspec.field(default_factory=dict)
    known: int = 0  # URLs found so far
    pending: int = 0  # URLs that are not done
    errors: int = 0  # URLs so far that ended in an error
    denied: int = 0  # URLs so far that robots.txt denies
    state_bytes: int = 0  # memory that the URLs found so far take; 0 in snapshots of earlier versions

    @property
    def parts(self) -> tuple[int, ...]:
        """The numbers of the parts that have ended so far."""
        return self.ends.numbers


class Snapshot(WaveState, frozen=True, kw_only=True):
    """The plan of one wave, and the rows it changed. The snapshots up to a wave make up the state after it."""

    batches: tuple[PlannedBatch, ...]
    rows: Collection[Row]
    media_rows: Collection[Row] = ()  # of media URLs


class CrawlState(msgspec.Struct, kw_only=True):
    """The state of a crawl after a wave was planned."""

    wave: int = 0
    phase: Phase = Phase.BFS
    clock: float = 1.0
    stopped: Reason = Reason.NONE
    frontier: Frontier = msgspec.field(default_factory=Frontier)
    counters: Counters = msgspec.field(default_factory=Counters)
    unfollowed: tuple[int, ...] = ()
    remembers: bool = True
    robots_waits: dict[str, RobotsWait] = msgspec.field(default_factory=dict)
    ends: PartEnds = msgspec.field(default_factory=PartEnds)
    families: Families = msgspec.field(default_factory=Families)
    lessons: RenderLessons = msgspec.field(default_factory=RenderLessons)
    times: dict[int, float] = msgspec.field(default_factory=dict)  # wave -> Unix seconds of its plan
    vocabulary: Vocabulary = msgspec.field(default_factory=Vocabulary)
    media: Frontier = msgspec.field(default_factory=Frontier)  # the media URLs
    media_counters: Counters = msgspec.field(default_factory=Counters)
    origins: dict[str, int] = msgspec.field(default_factory=dict)  # whose robots.txt counts as a request -> wave

    @property
    def bytes(self) -> int:
        """About how many bytes of memory the URLs take."""
        return self.frontier.size + self.media.size

    def apply(self, snapshot: WaveState, rows: Iterable[Row], media_rows: Iterable[Row]) -> None:
        """Apply a snapshot with its rows."""
        self.frontier.apply(rows)
        self.vocabulary.apply(snapshot.vocabulary)
        self.families.apply(snapshot.families)
        self.lessons.apply(snapshot.lessons)
        self.media.apply(media_rows)
        self.origins |= dict.fromkeys(snapshot.origins, snapshot.wave)
        self.apply_plan(snapshot)

    def apply_plan(self, snapshot: WaveState) -> None:
        """Apply a snapshot made from this state: its rows, words, families and lessons are already applied."""
        self.wave, self.phase, self.clock = snapshot.wave, snapshot.phase, snapshot.clock
        self.stopped, self.counters = snapshot.stopped, snapshot.counters
        self.unfollowed, self.remembers = snapshot.unfollowed, snapshot.remembers
        self.robots_waits, self.ends = snapshot.robots_waits, snapshot.ends
        self.media_counters = snapshot.media_counters
        self.times[snapshot.wave] = snapshot.planned_at


class StateSummary(msgspec.Struct, frozen=True, kw_only=True):
    """The fields of a crawl's last snapshot that need no frontier."""

    wave: int = 0  # 0 before the first
    phase: Phase = Phase.BFS
    counters: Counters = msgspec.field(default_factory=Counters)
    stopped: Reason = Reason.NONE
    remembers: bool = True
    batches: tuple[msgspec.Raw, ...] = ()
    ends: PartEnds = msgspec.field(default_factory=PartEnds)
    state_bytes: int = 0

    @property
    def parts(self) -> tuple[int, ...]:
        """The numbers of the parts that have ended so far."""
        return self.ends.numbers


class WholeState(msgspec.Struct, frozen=True, kw_only=True):
    """The state of a crawl after a wave, with a part of its URLs. An object of its own per part."""

    plan: Snapshot  # without rows and batches
    times: dict[int, float]  # wave -> Unix seconds of its plan
    parts: int
    urls: UrlColumns
    media: UrlColumns | None = None  # in the first part: all media URLs, at most `media.max_assets`


WHOLE_EVERY = 100
"""Waves after which the whole state is stored. A planner that starts reads it, and the snapshots of later waves."""

URLS_PER_OBJECT = 250_000
"""URLs per object of a whole state: some 75 MB of memory while it is written or read."""


class _StoredRows(msgspec.Struct, frozen=True, kw_only=True):
    """The rows of a snapshot. They are decoded one by one, as there may be millions."""

    rows: list[msgspec.Raw]
    media_rows: list[msgspec.Raw] = []


def _packed(changes: Changes) -> msgspec.Raw:
    """Return the rows of changed URLs as one array of MessagePack, made some at a time."""
    found = bytearray(_head_of(len(changes)))
    for rows in changes.chunks():
        found += memoryview(msgspec.msgpack.encode(rows))[len(_head_of(len(rows))) :]
    return msgspec.Raw(found)


def _head_of(count: int) -> bytes:
    """Return what precedes the elements of an array: https://github.com/msgpack/msgpack/blob/master/spec.md."""
    if count < 16:  # noqa: PLR2004 - as the specification says
        return bytes((0x90 | count,))
    return b"\xdc" + count.to_bytes(2, "big") if count < 1 << 16 else b"\xdd" + count.to_bytes(4, "big")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_packed)
_ROW_DECODER = msgspec.msgpack.Decoder(Row)
_ROWS_DECODER = msgspec.msgpack.Decoder(_StoredRows)
_WAVE_DECODER = msgspec.msgpack.Decoder(WaveState)
_DECODER = msgspec.msgpack.Decoder(Snapshot)
_SUMMARY_DECODER = msgspec.msgpack.Decoder(StateSummary)
_WHOLE_DECODER = msgspec.msgpack.Decoder(WholeState)


class CrawlStates:
    """The snapshots of crawls."""

    def __init__(self, objects: Objects, *, strategy: Strategy = Strategy.BFS, keeps_outside: bool = False) -> None:
        """`strategy`: that of the crawl; needed if a loaded state is planned from, as `keeps_outside` is.

        `keeps_outside`: whether the crawl needs the URLs that are out of scope.
        """
        self._objects = objects
        self._strategy = strategy
        self._keeps_outside = keeps_outside

    def snapshot(self, crawl: CrawlId, wave: int) -> Snapshot | None:
        """Return the snapshot of a wave, None if it is not planned yet."""
        data = self._objects.get(crawl, _name(wave))
        return None if data is None else _decode(data, _DECODER, crawl, wave)

    def snapshots(self, crawl: CrawlId, first: int, last: int) -> Iterator[Snapshot]:
        """Yield the snapshots of these waves, up to the last planned one; raise CorruptDataError if one is missing."""
        waves = range(first, last + 1)
        missing = 0
        for wave, data in zip(waves, self._objects.get_many(crawl, [_name(wave) for wave in waves]), strict=True):
            if data is None:
                missing = missing or wave
            elif missing:
                raise _missing(crawl, missing)
            else:
                yield _decode(data, _DECODER, crawl, wave)

    def summary(self, crawl: CrawlId, *, at_least: int = 0) -> StateSummary:
        """Return the summary of the crawl's last snapshot, without restoring the frontier.

        Raise CorruptDataError if the snapshot of wave `at_least` is missing.
        """
        wave = self._last(crawl, at_least)
        if not wave:
            return StateSummary()
        data = self._objects.get(crawl, _name(wave))
        if data is None:
            raise _missing(crawl, wave)
        return _decode(data, _SUMMARY_DECODER, crawl, wave)

    def is_planned(self, crawl: CrawlId, wave: int) -> bool:
        """Return whether a wave has a snapshot."""
        return self._objects.get(crawl, _name(wave)) is not None

    def summary_of(self, crawl: CrawlId, wave: int) -> StateSummary:
        """Return the summary of a wave's snapshot; that of a new crawl before its first wave, or if it is missing."""
        data = self._objects.get(crawl, _name(wave)) if wave else None
        return StateSummary() if data is None else _decode(data, _SUMMARY_DECODER, crawl, wave)

    def store(self, crawl: CrawlId, snapshot: Snapshot) -> bool:
        """Store a snapshot unless the wave has one; return whether it was stored."""
        return self._objects.put_new(crawl, _name(snapshot.wave), _ENCODER.encode(snapshot))

    def store_whole(self, crawl: CrawlId, state: CrawlState) -> None:
        """Store the whole state, if it is due. Call this before the next wave is planned.

        So the whole state of a wave is stored if the next wave has a snapshot. The first object is stored last: if it
        exists, all do.
        """
        if not state.wave or state.wave % WHOLE_EVERY:
            return
        known = {one.name: getattr(state, one.name) for one in fields(WaveState) if hasattr(state, one.name)}
        known |= {"planned_at": state.times[state.wave], "batches": (), "rows": ()}
        known |= {"vocabulary": VocabularyDelta(), "families": [], "lessons": [], "origins": ()}
        once = {
            "vocabulary": state.vocabulary.whole,
            "families": state.families.whole(),
            "lessons": state.lessons.whole(),
            "origins": tuple(state.origins),
        }
        parts = max(1, ceil(len(state.frontier) / URLS_PER_OBJECT))
        for part in reversed(range(parts)):
            first = part * URLS_PER_OBJECT
            urls = state.frontier.columns(first, min(first + URLS_PER_OBJECT, len(state.frontier)))
            plan = Snapshot(**(known if part else known | once))
            media = None if part else state.media.columns(0, len(state.media))
            whole = WholeState(plan=plan, times=state.times, parts=parts, urls=urls, media=media)
            self._objects.put_new(crawl, _whole_name(state.wave, part), _ENCODER.encode(whole))

    def load(self, crawl: CrawlId, *, up_to: int | None = None, at_least: int = 0) -> CrawlState:
        """Return the state after wave `up_to`, or after the last wave if that is None.

        Raise CorruptDataError if a snapshot is missing up to wave `up_to` or `at_least`: the crawl would start again
        without it.
        """
        last = self._last(crawl, at_least) if up_to is None else up_to
        state = self._load_whole(crawl, last - last % WHOLE_EVERY)
        waves = range(state.wave + 1, last + 1)
        for wave, data in zip(waves, self._objects.get_many(crawl, [_name(wave) for wave in waves]), strict=True):
            if data is None:
                raise _missing(crawl, wave)
            rows = _decode(data, _ROWS_DECODER, crawl, wave)
            plan = _decode(data, _WAVE_DECODER, crawl, wave)
            state.apply(plan, map(_ROW_DECODER.decode, rows.rows), map(_ROW_DECODER.decode, rows.media_rows))
        state.frontier.restore_queues()
        state.media.restore_queues()
        return state

    def _load_whole(self, crawl: CrawlId, wave: int) -> CrawlState:
        """Return the whole state after a wave, or if it is not stored, the one before it."""
        data = None
        while wave > 0 and (data := self._objects.get(crawl, _whole_name(wave, 0))) is None:
            wave -= WHOLE_EVERY
        state = CrawlState(frontier=Frontier(self._strategy, keeps_outside=self._keeps_outside))
        part = parts = 0
        while data is not None:
            whole = _decode(data, _WHOLE_DECODER, crawl, wave)
            state.frontier.extend(whole.urls)
            if whole.media is not None:
                state.media.extend(whole.media)
            state.vocabulary.apply(whole.plan.vocabulary)
            state.families.apply(whole.plan.families)
            state.lessons.apply(whole.plan.lessons)
            state.origins |= dict.fromkeys(whole.plan.origins, wave)
            state.times |= whole.times
            state.apply_plan(whole.plan)
            part, parts = part + 1, whole.parts
            data = self._objects.get(crawl, _whole_name(wave, part)) if part < parts else None
        if part < parts:
            raise _missing(crawl, wave)
        return state

    def _last(self, crawl: CrawlId, at_least: int = 0) -> int:
        """Return the last wave that has a snapshot, at least `at_least`, in steps that double, then halve."""
        last, step = at_least, 1
        while self.is_planned(crawl, last + step):
            last, step = last + step, 2 * step
        while step > 1:
            step //= 2
            if self.is_planned(crawl, last + step):
                last += step
        return last


def _decode(data: bytes, decoder: "msgspec.msgpack.Decoder[_T]", crawl: CrawlId, wave: int) -> _T:
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise CorruptDataError(f"the snapshot of wave {wave} of crawl {crawl} cannot be read: {error}") from error


def _missing(crawl: CrawlId, wave: int) -> CorruptDataError:
    return CorruptDataError(
        f"the snapshot of wave {wave} of crawl {crawl} is missing; snapshots expire some time after a crawl"
    )


def _name(wave: int) -> str:
    return f"frontier/{wave:06d}.msgpack"


def _whole_name(wave: int, part: int) -> str:
    return f"frontier/{wave:06d}-whole-{part:03d}.msgpack"
