"""What the processor and its child process send each other: one line of JSON each."""

from msgspec import Struct

from wavecrawl.adapters.media.formats import Format
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.domain.media.asset import DocumentFacts


class Job(Struct, frozen=True, kw_only=True):
    """A file to read, and where an image may be written that is smaller."""

    path: str
    made: str
    format: Format
    limits: ProcessingLimits


class Reply(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found."""

    unusable: str = ""  # why the file is not stored
    problem: str = ""
    made: Format | None = None  # the format of the new file, if there is one
    width: int | None = None
    height: int | None = None
    document: DocumentFacts | None = None
    out_of_memory: bool = False


def one_line(text: object) -> str:
    """Return text as one printable line of at most 200 characters."""
    line = " ".join(str(text).split())[:200]
    return "".join(character if character.isprintable() else "?" for character in line)
