"""Why a browser does not start, and what to do."""

import re

from wavecrawl.adapters.browser.executable import HOW
from wavecrawl.adapters.browser.switches import SANDBOX
from wavecrawl.adapters.http.transfer_errors import one_line
from wavecrawl.errors import BrowserMissingError, TransientError, WavecrawlError

# Playwright's messages contain the lines that the browser wrote, and how its process ended.
_LIBRARY = re.compile(r"error while loading shared libraries: ([^:\s]+)")
_NOT_A_PROGRAM = re.compile(r"spawn .* (?:ENOENT|EACCES|ENOEXEC)")
_ENDED = re.compile(r"process did exit: exitCode=(\w+), signal=(\w+)")
_WRITTEN = re.compile(r"\[err\] (.*\S)")
_NO_SIGNAL = "null"
_CRASHES = "if it always does, give it more memory or install another version"


class BrowserCrashError(TransientError):
    """A signal ended the browser while it started."""


def start_error(executable: str, error: Exception) -> WavecrawlError:
    """Return the error for a browser that did not start: a TransientError if it may start at another time."""
    why = str(error)
    if "No usable sandbox" in why:
        return BrowserMissingError(
            f"{executable} has no sandbox on this system; allow user namespaces, or set {SANDBOX}=off"
        )
    if library := _LIBRARY.search(why):
        return BrowserMissingError(f"{executable} needs {library[1]}, which is missing; {HOW}")
    if _NOT_A_PROGRAM.search(why):
        return BrowserMissingError(f"{executable} is not a program that this system can run; {HOW}")
    if "Node.js" in why:
        reinstall = "pip install --force-reinstall playwright"
        return BrowserMissingError(f"Playwright is incomplete: {one_line(why)}; install it again: {reinstall}")
    if ended := _ENDED.search(why):
        return _ended_error(executable, why, *ended.groups())
    first = one_line(why.splitlines()[0]) if why else "it did not respond"
    return TransientError(f"{executable} cannot be started now: {first}")


def _ended_error(executable: str, why: str, code: str, signal: str) -> WavecrawlError:
    written = _WRITTEN.findall(why)
    last = f": {one_line(written[-1])}" if written else ""
    if signal == _NO_SIGNAL:
        return BrowserMissingError(f"{executable} ends when it is started (exit code {code}){last}; {HOW}")
    return BrowserCrashError(f"{executable} crashes when it is started ({signal}){last}; {_CRASHES}")
