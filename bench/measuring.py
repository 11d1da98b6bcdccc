"""Measures a command from outside: wall time, CPU time and peak memory of its whole process tree. Linux only."""

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
PSS_EVERY = 4  # samples: the kernel walks every page to tell PSS (1 ms for 300 MB), so it is asked less often than RSS
LINGER = 5.0  # seconds that processes may outlive the command they belong to
_PAGE = resource.getpagesize()
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)


class CommandFailedError(Exception):
    """A measured command did not end well. The message holds the end of what it wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What one run of a command took."""

    wall: float  # seconds, from its start to its end
    cpu: float  # seconds, user and system, of all its processes
    peak_rss: int  # bytes: the largest sum of resident sets seen; memory shared by processes counts once for each
    peak_pss: int  # bytes: the largest sum of proportional sets seen; shared memory counts once
    processes: int  # the most seen at once
    output: str  # what it wrote to standard output


def measure(command: Sequence[str], *, folder: Path, timeout: float = 900.0) -> Measured:
    """Run `command` in `folder` and measure it; raise CommandFailedError where it fails or takes over `timeout` s.

    Processes that it leaves behind become ours (subreaper), so that their CPU time counts as well.
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
        said = output.read().decode(errors="replace")
        if code:
            complaint = errors.read().decode(errors="replace")[-2000:]
            raise CommandFailedError(f"{' '.join(command)} ended with code {code}:\n{said[-500:]}{complaint}")
    return Measured(
        wall=wall,
        cpu=after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        peak_rss=sampler.peak_rss,
        peak_pss=sampler.peak_pss,
        processes=sampler.processes,
        output=said,
    )


class _Sampler(Thread):
    """Looks at the memory of all our descendants that were not there before."""

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
    """See the whole tree off: wait for what lingers, kill what does not go, and reap it, which counts its CPU time."""
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
    except OSError:  # it ended meanwhile
        return found
    return found


def _rss(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_bytes().split()[1]) * _PAGE
    except (OSError, IndexError):  # it ended meanwhile
        return 0


def _pss(pid: int) -> int:
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_bytes().splitlines()
    except OSError:  # it ended meanwhile
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith(b"Pss:")), 0)
