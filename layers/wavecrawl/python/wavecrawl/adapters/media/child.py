"""The child process: reads one file per line of input, within limits of processor time and memory.

A file that makes it crash ends only this process. It has no credentials in its environment and opens no connection.
"""

import logging
import os
import signal
import sys
from contextlib import suppress
from typing import BinaryIO

import msgspec

from wavecrawl.adapters.media.formats import DOCX, PDF, SVG
from wavecrawl.adapters.media.messages import Job, Reply
from wavecrawl.adapters.media.reading import EnoughTextError, Reading
from wavecrawl.domain.media.kinds import MediaKind

try:
    import resource
except ImportError:  # not on Windows
    resource = None  # type: ignore[assignment]

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
        out.write(msgspec.json.encode(reply) + b"\n")
        out.flush()
        if reply.out_of_memory:
            return


def _limited(job: Job) -> Reply:
    limits = job.limits
    is_image = job.format.kind is MediaKind.IMAGE
    reading = Reading(max_text=limits.max_text)
    _bound_memory((limits.image_memory if is_image else limits.document_memory) * 2**20)
    try:
        signal.setitimer(signal.ITIMER_PROF, limits.seconds, _AGAIN)
        try:
            reply = _read(job, reading)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except TimeIsUpError:
        problem, out_of_memory = f"reading took longer than {limits.seconds:g} s", False
    except MemoryError:
        problem, out_of_memory = "reading takes too much memory", True
    else:
        return reply
    if is_image:
        return Reply(problem=f"{problem}; stored as received", out_of_memory=out_of_memory)
    reading.missed(problem)
    return Reply(document=reading.facts(), out_of_memory=out_of_memory)


def _read(job: Job, reading: Reading) -> Reply:
    """Read a file. The libraries are loaded with the first file that needs them."""
    # ruff: noqa: PLC0415
    if job.format == SVG:
        from wavecrawl.adapters.media.svg import inspected

        return inspected(job)
    if job.format.kind is MediaKind.IMAGE:
        from wavecrawl.adapters.media.images import compressed

        return compressed(job)
    return _document(job, reading)


def _document(job: Job, reading: Reading) -> Reply:
    from wavecrawl.adapters.media.pdf import read_pdf
    from wavecrawl.adapters.media.word import NotWordError, read_docx

    try:
        {PDF: read_pdf, DOCX: read_docx}[job.format](job.path, reading)
    except NotWordError:
        return Reply(unusable="a ZIP file that is no Word document")
    except EnoughTextError:
        reading.missed(f"only the first {job.limits.max_text:,} characters of the text are kept")
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a hostile file makes a library raise anything
        reading.missed(f"cannot be read: {error!r}")
    return Reply(document=reading.facts())


def _bound_memory(size: int) -> None:
    if resource is not None:
        with suppress(ValueError, OSError):  # macOS does not support it
            resource.setrlimit(resource.RLIMIT_AS, (size, resource.RLIM_INFINITY))


def _on_time_up(*_: object) -> None:
    raise TimeIsUpError


if __name__ == "__main__":
    logging.disable()  # pypdf logs what it repairs
    sys.setrecursionlimit(2_000)
    if resource is not None:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    main(sys.stdin.buffer, replies)
