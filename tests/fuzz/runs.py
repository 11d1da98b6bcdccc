"""Many inputs of a reader, read by several processes.

An input that fails is written to a folder, with its traceback. Each input has a budget of processor time. The kernel
enforces it, as a library may not return to Python. A process that ends is replaced, and goes on with the next input.
"""

import signal
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from multiprocessing import connection, get_context
from multiprocessing.process import BaseProcess
from multiprocessing.sharedctypes import RawArray
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import monotonic, process_time
from typing import Any

import msgspec
from msgspec.structs import replace
from tests.fuzz.readers import Reader

MOST_FAILURES = 20
"""Failures after which a run ends."""

_MEASURED_EVERY = 100  # inputs of a process: its memory

_PROCESSES = get_context("fork")


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What to read."""

    reader: Reader
    inputs: int  # numbers 0 to inputs - 1
    seed: int = 0
    processes: int = 1
    cpu_seconds: float = 20.0  # per input
    folder: Path  # for inputs that fail

    def path_of(self, number: int) -> Path:
        """Return the file for an input that fails."""
        return self.folder / f"{self.reader.name}-{self.seed}-{number}"


class Figures(msgspec.Struct, kw_only=True):
    """What a run has done."""

    inputs: int = 0
    found: int = 0  # inputs that were accepted, or in which something was found
    cpu_seconds: float = 0.0
    slowest: float = 0.0  # CPU seconds of one input
    slowest_number: int = 0
    memory_mb: int = 0  # of the largest process
    failures: list[Path] = msgspec.field(default_factory=list)
    interrupted: bool = False  # by Ctrl-C


_FIELDS = ("number", "inputs", "found", "cpu_seconds", "slowest", "slowest_number", "memory_mb", "failures")


class _Progress:
    """What a process has done, in memory that its parent shares."""

    def __init__(self) -> None:
        self._values = RawArray("d", len(_FIELDS))

    def __getitem__(self, name: str) -> float:
        return float(self._values[_FIELDS.index(name)])

    def __setitem__(self, name: str, value: float) -> None:
        self._values[_FIELDS.index(name)] = value


def read_inputs(run: Run, watch: Callable[[Figures], None] = lambda _: None, *, every: float = 1.0) -> Figures:
    """Read the inputs of a run and return what was found. `watch` is called every few seconds.

    After Ctrl-C, return what was found until then.
    """
    run.folder.mkdir(parents=True, exist_ok=True)
    all_progress = [_Progress() for _ in range(run.processes)]
    killed: list[Path] = []
    working: dict[BaseProcess, int] = {}
    for place, progress in enumerate(all_progress):
        progress["number"] = place
        working[_started(run, progress)] = place
    interrupted = False
    try:
        _work(run, all_progress, working, killed, watch=watch, every=every)
    except KeyboardInterrupt:
        interrupted = True
    for process in working:
        process.kill()
    return replace(_figures(run, all_progress, killed), interrupted=interrupted)


def _work(
    run: Run,
    all_progress: Sequence[_Progress],
    working: dict[BaseProcess, int],
    killed: list[Path],
    *,
    watch: Callable[[Figures], None],
    every: float,
) -> None:
    """Wait for the processes that are `working`, and replace those that an input has ended."""
    looked = monotonic()
    while working:
        connection.wait([process.sentinel for process in working], timeout=every)
        for process in [one for one in working if not one.is_alive()]:
            place = working.pop(process)
            if process.exitcode:
                progress = all_progress[place]
                killed.append(_written(run, int(progress["number"]), _death_of(process, run)))
                progress["number"] += run.processes
                if len(killed) < MOST_FAILURES:
                    working[_started(run, progress)] = place
        if monotonic() - looked >= every or not working:
            looked = monotonic()
            watch(_figures(run, all_progress, killed))


def check_input(run: Run, number: int) -> bool:
    """Read one input, in this process."""
    return run.reader.check(run.reader.input(run.seed, number))


def _started(run: Run, progress: _Progress) -> BaseProcess:
    process = _PROCESSES.Process(target=_read, args=(run, progress), daemon=True)
    process.start()
    return process


def _read(run: Run, progress: _Progress) -> None:
    """Read every n-th input from the number of `progress` on."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)
    for number in range(int(progress["number"]), run.inputs, run.processes):
        progress["number"] = number
        data = run.reader.input(run.seed, number)
        started = process_time()
        signal.setitimer(signal.ITIMER_VIRTUAL, run.cpu_seconds)
        try:
            progress["found"] += run.reader.check(data)
        except Exception:  # noqa: BLE001 - whatever an input raises is reported
            _written(run, number, traceback.format_exc())
            progress["failures"] += 1
        taken = process_time() - started
        progress["inputs"] += 1
        progress["cpu_seconds"] += taken
        if taken > progress["slowest"]:
            progress["slowest"], progress["slowest_number"] = taken, number
        if number // run.processes % _MEASURED_EVERY == 0:
            progress["memory_mb"] = getrusage(RUSAGE_SELF).ru_maxrss // 1024
        if progress["failures"] >= MOST_FAILURES:
            break
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)


def _written(run: Run, number: int, why: str) -> Path:
    """Write an input that fails, and why; return its path."""
    path = run.path_of(number)
    path.write_bytes(run.reader.input(run.seed, number))
    path.with_name(f"{path.name}.txt").write_text(why, encoding="utf-8", errors="backslashreplace")
    return path


def _death_of(process: BaseProcess, run: Run) -> str:
    code = process.exitcode or 0
    if code == -signal.SIGVTALRM:
        return f"took more than {run.cpu_seconds:g} seconds of processor time\n"
    return f"ended the process: {signal.Signals(-code).name if code < 0 else f'exit code {code}'}\n"


def _figures(run: Run, all_progress: Sequence[_Progress], killed: Sequence[Path]) -> Figures:
    slowest = max(all_progress, key=lambda one: one["slowest"])
    sums: dict[str, Any] = {name: sum(one[name] for one in all_progress) for name in ("inputs", "found", "cpu_seconds")}
    return Figures(
        inputs=int(sums["inputs"]) + len(killed),
        found=int(sums["found"]),
        cpu_seconds=sums["cpu_seconds"],
        slowest=slowest["slowest"],
        slowest_number=int(slowest["slowest_number"]),
        memory_mb=int(max(one["memory_mb"] for one in all_progress)),
        failures=sorted(path.with_suffix("") for path in run.folder.glob(f"{run.reader.name}-{run.seed}-*.txt")),
    )
