"""Measurement of a command: wall time, CPU time and peak memory of its process tree. Linux only."""

import ctypes
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread

SAMPLE_EVERY = 0.05  # seconds
PSS_EVERY = 4  # samples; reading PSS is slow (1 ms for 300 MB), as the kernel visits every page
LINGER = 5.0  # seconds that processes may outlive their command
_PAGE = resource.getpagesize()
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


class CommandFailedError(Exception):
    """A measured command failed. The message contains the end of its output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The measurements of one run."""

    wall: float  # seconds
    cpu: float  # seconds, user and system, of all processes
    peak_rss: int  # bytes; largest sum of resident set sizes; shared memory counts once per process
    peak_pss: int  # bytes; largest sum of proportional set sizes; shared memory counts once
    processes: int  # maximum number at the same time
    output: str  # standard output


def measure(command: Sequence[str], *, folder: Path, timeout: float = 900.0) -> Measured:
    """Run `command` in `folder` and measure it; raise CommandFailedError if it fails or takes over `timeout` s.

    This process is a subreaper, so that CPU time of orphaned processes counts as well.
    """
    _adopt_orphans()
    ours = set(_children(os.getpid()))
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        process = subprocess.Popen(command, cwd=folder, stdout=output, stderr=errors, start_new_session=True)
        sampler = _Sampler(ours)
        sampler.start()
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired as error:
            raise CommandFailedError(f"{command[0]} ... took more than {timeout:g} s") from error
        finally:
            wall = time.perf_counter() - started
            sampler.stop()
            _end(process, ours)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode(errors="replace")
        if code:
            message = errors.read().decode(errors="replace")[-2000:]
            raise CommandFailedError(f"{' '.join(command)} ended with code {code}:\n{text[-500:]}{message}")
    return Measured(
        wall=wall,
        cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        peak_rss=sampler.peak_rss,
        peak_pss=sampler.peak_pss,
        processes=sampler.processes,
        output=text,
    )


def peak_of_this_process() -> float:
    """Return the peak resident set of this process in MB. `getrusage` would include the parent's before exec."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) * 1024 / 1e6


class _Sampler(Thread):
    """A thread that samples the memory of all new descendants of this process."""

    def __init__(self, ours: set[int]) -> None:
        super().__init__(name="sampler", daemon=True)
        self._ours = ours
        self._over = Event()
        self.peak_rss = 0
        self.peak_pss = 0
        self.processes = 0

    def run(self) -> None:
        count = 0
        while not self._over.is_set():
            pids = list(_descendants(self._ours))
            self.processes = max(self.processes, len(pids))
            self.peak_rss = max(self.peak_rss, sum(map(_rss, pids)))
            if count % PSS_EVERY == 0:
                self.peak_pss = max(self.peak_pss, sum(map(_pss, pids)))
            count += 1
            self._over.wait(SAMPLE_EVERY)

    def stop(self) -> None:
        self._over.set()
        self.join()


def _adopt_orphans() -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _end(process: "subprocess.Popen[bytes]", ours: set[int]) -> None:
    """Wait for the remaining processes, kill them after `LINGER` s, and reap them, which counts their CPU time."""
    if process.returncode is None:
        process.kill()
        process.wait()
    give_up_at = time.monotonic() + LINGER
    while left := set(_children(os.getpid())) - ours:
        for pid in left:
            if time.monotonic() > give_up_at:
                os.kill(pid, 9)
            os.waitpid(pid, os.WNOHANG)
        time.sleep(0.01)


def _descendants(ours: set[int]) -> Iterator[int]:
    todo = [pid for pid in _children(os.getpid()) if pid not in ours]
    while todo:
        pid = todo.pop()
        yield pid
        todo += _children(pid)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    try:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            found += map(int, (thread / "children").read_bytes().split())
    except OSError:  # the process has ended
        return found
    return found


def _rss(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):  # the process has ended
        return 0


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:  # the process has ended
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:")), 0)
