"""The ports of the planner, made from the set of all ports."""

from collections.abc import Callable, Mapping
from math import inf

import msgspec

from wavecrawl.application.crawl_events import Announcer
from wavecrawl.application.dispatch import Dispatcher
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.clock import Clock
from wavecrawl.ports.host_gate import HostGate
from wavecrawl.ports.job_queue import JobQueue
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.parts import Folds, NoFolds
from wavecrawl.ports.signals import Signals

LogUrl = Callable[[Mapping[str, object]], None]
"""Writes a line of the log about a URL, with these fields."""


class PlannerPorts(msgspec.Struct, frozen=True, kw_only=True):
    """The ports that a planner uses."""

    batches: Batches
    waves: Waves
    archive: Archive
    objects: Objects
    memories: PageMemories
    media_memories: PageMemories
    hosts: HostGate
    clock: Clock
    dispatcher: Dispatcher
    announcer: Announcer
    folds: Folds = msgspec.field(default_factory=NoFolds)
    part_seconds: float = inf  # seconds after which a part of the results ends, if `waves.part_seconds` is not shorter
    longest_crawl: float = inf  # seconds; a crawl stops then, as its stored data expires
    renders: bool = False  # whether the workers have a browser
    log_url: LogUrl | None = None  # None: this process has no log of URLs


def planner_ports(
    ports: Ports,
    *,
    queue: JobQueue,
    signals: Signals,
    folds: Folds,
    part_seconds: float = inf,
    archive: Archive | None = None,
    longest_crawl: float = inf,
    renders: bool = False,
    log_url: LogUrl | None = None,
) -> PlannerPorts:
    """Return the planner's ports. `archive` replaces `ports.archive` if given."""
    dispatcher = Dispatcher(
        batches=ports.batches,
        waves=ports.waves,
        hosts=ports.hosts,
        queue=queue,
        signals=signals,
        clock=ports.clock,
    )
    return PlannerPorts(
        batches=ports.batches,
        waves=ports.waves,
        archive=archive or ports.archive,
        objects=ports.objects,
        memories=ports.memories,
        media_memories=ports.media_memories,
        hosts=ports.hosts,
        clock=ports.clock,
        dispatcher=dispatcher,
        announcer=Announcer(log=ports.event_log, events=ports.events),
        folds=folds,
        part_seconds=part_seconds,
        longest_crawl=longest_crawl,
        renders=renders,
        log_url=log_url,
    )
