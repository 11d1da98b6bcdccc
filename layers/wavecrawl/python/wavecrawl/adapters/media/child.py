"""The child process: reads one file per line of input, within limits of processor time and memory.

A file that makes it crash ends only this process. It has no credentials in its environment and opens no connection.
"""

import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import BinaryIO

import msgspec

from wavecrawl.adapters.media.formats import EPUB, ODP, ODS, ODT, PDF, PPTX, RTF, SVG, XLSX, Format
from wavecrawl.adapters.media.messages import Job, Reply
from wavecrawl.adapters.media.reading import EnoughTextError, Reading, UnreadableError
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import UnusableAssetError

_AGAIN = 1.0  # seconds until the time limit is signalled again, if a library has caught the first exception


class TimeIsUpError(BaseException):
    """The time limit of a file has passed. Libraries catch `Exception`, and must not catch this."""


def main(lines: BinaryIO, out: BinaryIO) -> None:
    """Reply to each job, until the input ends."""
    signal.signal(signal.SIGPROF, _on_time_up)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    for line in lines:
        job = msgspec.json.decode(line, type=Job)
        reply = _limited(job)
        _bound_memory(resource.RLIM_INFINITY)  # the next job may have another limit
        out.write(msgspec.json.encode(reply) + b"\n")
        out.flush()
        if reply.out_of_memory:
            return


def _limited(job: Job) -> Reply:
    limits, is_image = job.limits, job.format.kind is MediaKind.IMAGE
    reading = Reading(max_text=limits.max_text)
    read = _image_reader(job.format) if is_image else partial(_document, _document_reader(job.format), reading)
    _bound_memory((limits.image_memory if is_image else limits.document_memory) * 2**20)
    try:
        signal.setitimer(signal.ITIMER_PROF, limits.seconds, _AGAIN)
        try:
            return read(job)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except TimeIsUpError:
        problem, out_of_memory = f"reading took longer than {limits.seconds:g} s", False
    except MemoryError:
        problem, out_of_memory = "reading takes too much memory", True
    if is_image:
        return Reply(problem=f"{problem}; stored as received", out_of_memory=out_of_memory)
    reading.missed(problem)
    return Reply(document=reading.facts(), out_of_memory=out_of_memory)


# The libraries are loaded with the first file that needs them, and before its time starts.
# ruff: noqa: PLC0415


def _image_reader(format_: Format) -> Callable[[Job], Reply]:
    if format_ == SVG:
        from wavecrawl.adapters.media.svg import inspected

        return inspected
    from wavecrawl.adapters.media.images import compressed

    return compressed


def _document_reader(format_: Format) -> Callable[[str, Reading], None]:
    match format_.extension:
        case PDF.extension:
            from wavecrawl.adapters.media.pdf import read_pdf as read
        case PPTX.extension:
            from wavecrawl.adapters.media.slides import read_pptx as read
        case XLSX.extension:
            from wavecrawl.adapters.media.sheets import read_xlsx as read
        case ODT.extension | ODS.extension | ODP.extension:
            from wavecrawl.adapters.media.open_document import read_open_document as read
        case EPUB.extension:
            from wavecrawl.adapters.media.epub import read_epub as read
        case RTF.extension:
            from wavecrawl.adapters.media.rich_text import read_rtf as read
        case _:
            from wavecrawl.adapters.media.word import read_docx as read
    return read


def _document(read: Callable[[str, Reading], None], reading: Reading, job: Job) -> Reply:
    try:
        read(job.path, reading)
    except UnusableAssetError as error:
        return Reply(unusable=str(error))
    except EnoughTextError:
        reading.missed(f"only the first {job.limits.max_text:,} characters of the text are kept")
    except UnreadableError as error:
        reading.missed(error)
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a hostile file makes a library raise anything
        reading.missed(f"cannot be read: {error!r}".replace(job.path, "file"))
    return Reply(document=reading.facts())


def _bound_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY:
        size = most if size == resource.RLIM_INFINITY else min(size, most)
    with suppress(ValueError, OSError):  # macOS does not support it
        resource.setrlimit(resource.RLIMIT_AS, (size, most))


def _on_time_up(*_: object) -> None:
    raise TimeIsUpError


if __name__ == "__main__":
    logging.disable()  # pypdf logs what it repairs
    sys.setrecursionlimit(2_000)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    main(sys.stdin.buffer, replies)
