"""Fold waves into parts: their page records, and the changes of URLs that settling these waves made."""

import shutil
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from tempfile import mkdtemp

import msgspec

from wavecrawl.application.crawl_state import CrawlStates
from wavecrawl.domain.crawl.frontier_rows import Row, change_of
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.ledger import UrlChange
from wavecrawl.domain.crawl.parts import parts_to_remember
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.errors import NotFoundError
from wavecrawl.ports.all_ports import Ports
from wavecrawl.ports.archive import Archive
from wavecrawl.ports.batches import Batches, Waves
from wavecrawl.ports.hidden_pages import HiddenPages
from wavecrawl.ports.objects import Objects
from wavecrawl.ports.page_memories import PageMemories
from wavecrawl.ports.parts import Parts, PartWriter, Table, file_of

_NO_PART = -1  # in place of the number of the part before the first


class FoldPorts(msgspec.Struct, frozen=True, kw_only=True):
    """The ports that folding uses, and a folder for new parts. The caller empties it."""

    objects: Objects
    waves: Waves
    batches: Batches
    archive: Archive
    parts: Parts
    hidden: HiddenPages
    memories: PageMemories
    media_memories: PageMemories
    writer: PartWriter
    scratch: Path


def fold_ports(
    ports: Ports, writer: PartWriter, *, scratch: Path, archive: Archive | None = None, parts: Parts | None = None
) -> FoldPorts:
    """Return the ports of folding. `archive` and `parts` replace those of `ports` if given."""
    return FoldPorts(
        objects=ports.objects,
        waves=ports.waves,
        batches=ports.batches,
        archive=archive or ports.archive,
        parts=parts or ports.parts,
        hidden=ports.hidden,
        memories=ports.memories,
        media_memories=ports.media_memories,
        writer=writer,
        scratch=scratch,
    )


def fold_wave(
    crawl: CrawlId,
    number: int,
    ports: FoldPorts,
    *,
    rebuild: bool = False,
    is_wanted: Callable[[], bool] = lambda: True,
) -> list[int]:
    """Store part `number`, which the planner has ended, after those before it; return the numbers of the new ones.

    Parts that are stored stay as they are, unless `rebuild`. They are stored in order, so no part is stored before one
    that precedes it. A repeat, and a call at the same time, write the same rows. No part is stored
    once `is_wanted` returns False. With about every hundredth wave, the pages are added to the site's page memory.
    Raise NotFoundError if no planned wave ended this part.
    """
    snapshot = CrawlStates(ports.objects).snapshot(crawl, number + 1)
    if snapshot is None or number not in snapshot.parts:
        raise NotFoundError(f"crawl {crawl} has no part {number}: the plan of wave {number + 1} does not end one")
    ended = [part for part in snapshot.parts if part <= number]
    new = _fold(crawl, ended, ports, rebuild=rebuild, is_wanted=is_wanted)
    due = parts_to_remember(ended)
    if due and is_wanted():
        ports.memories.remember(crawl, ports.parts.files(crawl, Table.PAGES, due))
        ports.media_memories.remember(crawl, ports.parts.files(crawl, Table.MEDIA, due))
    return new


def fold_rest(crawl: CrawlId, ports: FoldPorts, *, is_over: bool, rebuild: bool = False) -> Mapping[Table, list[Path]]:
    """Fold what is missing up to the last planned wave; return the files of all parts.

    The waves after the last part that the planner ended become a part too. It is stored if the crawl `is_over` for
    good. Otherwise it exists in `ports.scratch` only, as the crawl may be resumed.
    """
    last = CrawlStates(ports.objects).summary(crawl, at_least=ports.waves.last(crawl))
    ended = list(last.parts)
    number = last.wave if last.batches else last.wave - 1
    has_rest = number > max(ended, default=_NO_PART)
    if has_rest and is_over:
        ended.append(number)
    _fold(crawl, ended, ports, rebuild=rebuild)
    files = {table: ports.parts.files(crawl, table, ended) for table in Table}
    if has_rest and not is_over:
        rest = _written(crawl, max(ended, default=_NO_PART), number, ports)
        for table, paths in files.items():
            paths += [path for path in [rest / file_of(table)] if path.is_file()]
    return files


def _fold(
    crawl: CrawlId,
    numbers: list[int],
    ports: FoldPorts,
    *,
    rebuild: bool,
    is_wanted: Callable[[], bool] = lambda: True,
) -> list[int]:
    stored = set() if rebuild else set(ports.parts.numbers(crawl))
    new: list[int] = []
    for before, number in pairwise((_NO_PART, *numbers)):
        if number not in stored:
            folder = _written(crawl, before, number, ports)
            if not is_wanted():
                break
            ports.parts.store(crawl, number, folder)
            shutil.rmtree(folder)
            new.append(number)
    return new


def _written(crawl: CrawlId, before: int, number: int, ports: FoldPorts) -> Path:
    """Return a new folder with the tables of the waves after `before` up to `number`."""
    folder = Path(mkdtemp(prefix=f"part-{number}-", dir=ports.scratch))
    rows = [row for wave in range(before + 1, number + 1) for row in ports.batches.of_wave(crawl, wave)]
    records = ports.archive.files([(row.id, row.done_attempt) for row in rows if row.done_attempt])
    changes, media = _changes(crawl, before + 2, number + 1, ports.objects)
    contents = partial(ports.archive.contents, shape=PageRecord)

    def is_hidden(key: str) -> bool:
        return key in ports.hidden.of(crawl)  # rarely called

    ports.writer.write(number, records, changes, folder, contents=contents, media=media, may_lack=is_hidden)
    for path in records:
        if path.is_relative_to(ports.scratch):  # a copy
            path.unlink(missing_ok=True)
    return folder


def _changes(
    crawl: CrawlId, first: int, last: int, objects: Objects
) -> tuple[Iterator[UrlChange], Iterator[UrlChange]]:
    """Return the URLs, and the media URLs, that the snapshots of these waves changed, as the last has them, by id."""
    urls: dict[int, Row] = {}
    media: dict[int, Row] = {}
    times: dict[int, float] = {}
    for snapshot in CrawlStates(objects).snapshots(crawl, first, last):
        times[snapshot.wave] = snapshot.planned_at
        urls.update((row.index, row) for row in snapshot.rows)
        media.update((row.index, row) for row in snapshot.media_rows)
    return _in_order(urls, times), _in_order(media, times)


def _in_order(rows: Mapping[int, Row], times: Mapping[int, float]) -> Iterator[UrlChange]:
    for index in sorted(rows):
        yield change_of(rows[index], times)
