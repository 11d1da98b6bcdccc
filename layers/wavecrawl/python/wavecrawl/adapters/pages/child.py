"""The child process: reads one page after the other, each within limits of processor time and memory.

A page that exceeds them ends only this process. The kernel counts the processor time of the process and ends it, also
inside a library (`ITIMER_PROF`, setitimer(2)). It has no credentials in its environment and opens no connection.
"""

import os
import resource
import signal
import sys
from contextlib import suppress
from time import process_time
from traceback import format_exc
from typing import IO

from wavecrawl.adapters.memory_arena import share_one_arena
from wavecrawl.adapters.pages.messages import Reply, encoded_reply, receive_job
from wavecrawl.domain.pages.extraction.reading import Reading, read_page

OUT_OF_MEMORY = 77
"""Exit status of a process whose page needs more memory."""


def main(jobs: IO[bytes], replies: IO[bytes]) -> None:
    """Reply to each job, until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends this process
    signal.signal(signal.SIGPROF, signal.SIG_DFL)  # ends the process
    with suppress(BrokenPipeError):  # the parent has ended
        while (job := receive_job(jobs)) is not None:
            replies.write(_reply(*job))
            replies.flush()


def _reply(html: bytes | str, how: Reading) -> bytes:
    began = process_time()
    signal.setitimer(signal.ITIMER_PROF, how.cpu_seconds)
    try:
        content = read_page(html, how)
        return encoded_reply(Reply(content=content, cpu_seconds=process_time() - began))
    except MemoryError:
        os._exit(OUT_OF_MEMORY)  # at once: the parent takes the end of the pipe for the end of the process
    except Exception:  # noqa: BLE001 - the parent raises it
        return encoded_reply(Reply(failure=format_exc()))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _limit_memory(size: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    size = size if most == resource.RLIM_INFINITY else min(size, most)
    with suppress(ValueError, OSError):  # macOS does not support it
        resource.setrlimit(resource.RLIMIT_AS, (size, most))


if __name__ == "__main__":
    share_one_arena()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    _limit_memory(int(sys.argv[1]))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no reply
    main(sys.stdin.buffer, answers)
