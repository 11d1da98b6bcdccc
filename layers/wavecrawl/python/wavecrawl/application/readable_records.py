"""Records of a done batch that can be read. The planner plans the URLs of the others again."""

from collections.abc import Iterator

from wavecrawl.errors import CorruptDataError
from wavecrawl.ports.archive import Archive, RecordType
from wavecrawl.ports.batches import BatchRow


def readable_records(archive: Archive, batch: BatchRow, shape: type[RecordType]) -> Iterator[RecordType]:
    """Yield the records of a done batch as `shape`, up to the first that is missing or damaged."""
    try:
        yield from archive.records(batch.id, attempt=batch.done_attempt, shape=shape)
    except CorruptDataError:
        return
