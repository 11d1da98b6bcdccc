"""The processes of a browser, read from /proc. Systems without /proc have none."""

import os
import signal
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

_PROC = Path("/proc")


class Process(Struct, frozen=True, kw_only=True):
    """The state of a process now."""

    stopped: bool  # by a signal such as SIGSTOP
    parent: int  # its id
    memory: int  # bytes of its own, without what it maps from files or shares


def read_process(pid: int) -> Process | None:
    """Return the state of a process, None if it has ended or there is no /proc (proc_pid_status(5)).

    A process has ended although its parent has not noticed that yet (a zombie).
    """
    try:
        lines = (_PROC / str(pid) / "status").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    fields = {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
    if fields.get("State", "?")[:1] in "ZX":
        return None
    kilobytes = fields.get("RssAnon", "0 kB").split()[0]
    state = fields.get("State", "?")[:1]
    return Process(stopped=state in "Tt", parent=int(fields.get("PPid", "0")), memory=int(kilobytes) * 1024)


def read_processes(pids: Iterable[int]) -> list[Process]:
    """Return the states of those processes that still run."""
    return [found for found in map(read_process, pids) if found is not None]


def zygotes_of(pid: int) -> tuple[int, ...]:
    """Return the ids of the processes of a browser that those of its pages are forked from.

    Chromium writes spaces between the arguments of its child processes when these have started.
    """
    with suppress(OSError):
        others = (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())
        zygotes = [other for other in others if b"--type=zygote" in _command_line(other)]
        return tuple(other for other in zygotes if (found := read_process(other)) and found.parent == pid)
    return ()


def profile_of(pid: int) -> Path | None:
    """Return the profile folder of a browser process, None if it has none."""
    marker = b"--user-data-dir="
    arguments = _command_line(pid).split(b"\0")
    return next((Path(os.fsdecode(one[len(marker) :])) for one in arguments if one.startswith(marker)), None)


def _command_line(pid: int) -> bytes:
    try:
        return (_PROC / str(pid) / "cmdline").read_bytes()
    except OSError:
        return b""


def end_group(pid: int) -> None:
    """Kill a process and its group, if it leads one. Playwright starts the browser as the leader of its group."""
    with suppress(ProcessLookupError, PermissionError):
        if os.getpgid(pid) == pid:
            os.killpg(pid, signal.SIGKILL)
        else:
            os.kill(pid, signal.SIGKILL)
