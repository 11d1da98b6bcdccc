"""The parent's end of the child process. Pipes are all it needs: Lambda has no shared memory for semaphores."""

import os
import subprocess
import sys
from threading import Timer
from typing import IO, cast
from weakref import finalize

import msgspec

from wavecrawl.adapters.media.messages import Job, Reply

_MODULE = "wavecrawl.adapters.media.child"
_INHERITED = ("LD_LIBRARY_PATH", "SYSTEMROOT")  # without which Python may not start


class ChildLostError(Exception):
    """The child process ended, or had to be ended, before it replied."""


class ChildProcess:
    """A running child process. Not for several threads at a time."""

    def __init__(self) -> None:
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-P", "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self._end = finalize(self, _end, self._process)  # also if it is dropped, or Python ends
        self._jobs = cast("IO[bytes]", self._process.stdin)
        self._replies = cast("IO[bytes]", self._process.stdout)
        self.files = 0  # that it was asked about

    def ask(self, job: Job, *, patience: float) -> Reply:
        """Return the reply to a job. Raise ChildLostError if there is none within `patience` seconds."""
        self.files += 1
        timer = Timer(patience, self._process.kill)
        timer.start()
        try:
            self._jobs.write(msgspec.json.encode(job) + b"\n")
            self._jobs.flush()
            line = self._replies.readline()
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if not line.endswith(b"\n"):
            raise ChildLostError("the process that read it ended: it crashed, or took too long")
        return msgspec.json.decode(line, type=Reply)

    def close(self) -> None:
        """End the process."""
        self._end()


def _end(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.communicate()
