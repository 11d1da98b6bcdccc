"""Processes of this one, each with a thread that waits for its end."""

import subprocess
from collections.abc import Callable, Hashable, Sequence
from threading import Condition, Thread
from typing import Generic, TypeVar

_Work = TypeVar("_Work", bound=Hashable)

_GRACE = 20.0  # seconds for a process to stop


class ChildProcesses(Generic[_Work]):
    """The processes by the work that each does. `changed` is the lock of their owner.

    `await_end` runs in a thread for each process: it waits for the process, and calls `remove`.
    """

    def __init__(
        self, changed: Condition, *, await_end: Callable[[_Work, subprocess.Popen[bytes]], None], name: str
    ) -> None:
        self.running: dict[_Work, subprocess.Popen[bytes]] = {}
        self._changed = changed
        self._await_end = await_end
        self._name = name
        self._threads: list[Thread] = []

    def start(self, work: _Work, command: Sequence[str], *, stdout: int) -> subprocess.Popen[bytes]:
        """Start a process that writes to the file descriptor `stdout`. Call it with the lock held.

        Raise OSError if there are too many processes or too little memory.
        """
        process = subprocess.Popen(  # noqa: S603 - our own command, without a shell
            list(command), stdin=subprocess.DEVNULL, stdout=stdout, start_new_session=True
        )
        self.running[work] = process
        thread = Thread(target=self._await_end, args=(work, process), name=f"{self._name} {work}", daemon=True)
        self._threads = [*(one for one in self._threads if one.is_alive()), thread]
        thread.start()
        return process

    def remove(self, work: _Work) -> None:
        """Remove a process that has ended. Call it with the lock held."""
        del self.running[work]
        self._changed.notify_all()

    def stop(self) -> None:
        """Stop all processes, and wait until their threads have ended. Call it without the lock."""
        with self._changed:
            for process in self.running.values():
                process.terminate()
            if not self._changed.wait_for(lambda: not self.running, timeout=_GRACE):
                for process in self.running.values():
                    process.kill()
            threads, self._threads = self._threads, []
        for thread in threads:
            thread.join()
