"""Browsers that are killed or stopped are replaced; nothing is left behind."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from tempfile import gettempdir

import pytest
from msgspec.structs import replace
from tests.browser.conftest import Open
from tests.browser.pages import SETTINGS, request
from tests.support.campaign import CAMPAIGN, slow
from tests.support.chromium import executable
from tests.support.patience import HANG, eventually

from wavecrawl.adapters.browser import home, instance
from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.adapters.browser.instance import BrowserInstance
from wavecrawl.adapters.browser.processes import profile_of
from wavecrawl.demo.loopback import LoopbackServer
from wavecrawl.demo.reply import Reply, reply_of
from wavecrawl.errors import WavecrawlError

PAGE = "<div id=root></div><script>fetch('/go').then((r) => r.text()).then((t) => { root.innerHTML = t })</script>"
TEXT = "<a href=/made>made</a>"


class Site(LoopbackServer):
    """A site that calls `before` with the number of the request, from 1, before it responds to /go."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[int], None] = lambda _: None
        self.requests = 0

    def _finder(self) -> Callable[[str], Reply | None]:
        def find(path: str) -> Reply | None:
            if path != "/go":
                return None
            self.requests += 1
            self.before(self.requests)
            return reply_of(200, (("Content-Type", "text/plain"),), TEXT.encode())

        return find


@pytest.fixture(name="site")
def a_site() -> Iterator[Site]:
    with Site() as server:
        yield server


def newest(browser: ChromiumBrowser) -> BrowserInstance:
    return max((one for one in browser._pool._instances if not one.lost.done()), key=lambda one: one._started)


def pids(browser: ChromiumBrowser) -> tuple[int, ...]:
    """Return the ids of the processes of the browser that was started last, its own first."""
    return newest(browser)._pids


def renderers(browser: ChromiumBrowser) -> list[int]:
    """Return the ids of the processes that render pages."""
    found = []
    for pid in Path("/proc").glob("[0-9]*"):
        try:
            line = (pid / "cmdline").read_bytes()
        except OSError:
            continue
        profile = profile_of(pids(browser)[0])
        if profile and b"--type=renderer" in line and str(profile).encode() in line:
            found.append(int(pid.name))
    return found


PROCESSES: dict[str, Callable[[ChromiumBrowser], Iterable[int]]] = {
    "browser": lambda browser: pids(browser)[:1],
    "renderers": renderers,
    "driver": lambda browser: newest(browser)._drivers,
}
LOSSES = [("browser", "driver")]  # which processes are stopped, and which are killed
if CAMPAIGN:
    LOSSES = [(which, which) for which in PROCESSES]


@pytest.mark.parametrize(("stopped", "killed"), LOSSES)
def test_a_page_whose_browser_is_lost_is_rendered_by_another(
    site: Site, fresh: Open, stopped: str, killed: str
) -> None:
    browser = fresh(allowed=(f"127.0.0.1:{site.port}",))
    harms = [(signal.SIGSTOP, stopped), (signal.SIGKILL, killed)]  # in the first two of three attempts

    def harm(_: int) -> None:
        if harms:
            sent, which = harms.pop(0)
            for pid in PROCESSES[which](browser):
                os.kill(pid, sent)

    site.before = harm
    page = browser.render(request(PAGE, url=site.url))
    assert site.requests == 3
    assert (page.problem, page.url) == ("", site.url)
    assert '<div id="root"><a href="/made">made</a></div>' in page.html


@pytest.mark.parametrize("sent", [signal.SIGSTOP, *([signal.SIGKILL] if CAMPAIGN else [])])
def test_a_browser_that_can_fork_no_process_for_a_page_is_replaced(fresh: Open, sent: signal.Signals) -> None:
    browser = fresh()
    assert browser.render(request("<a href=x>x</a>")).problem == ""
    first = newest(browser)
    assert first._zygotes
    for pid in first._zygotes:
        os.kill(pid, sent)
    page = browser.render(request("<a href=y>y</a>"))
    assert page.problem == ""
    assert '<a href="y">' in page.html
    assert first.lost.done()


def test_a_browser_that_crashes_while_it_starts_is_started_again(fresh: Open, tmp_path: Path) -> None:
    starts, chromium = tmp_path / "starts", tmp_path / "chromium"
    crash = f"echo >>{starts}\n[ $(wc -l <{starts}) -lt 3 ] && kill -SEGV $$"
    chromium.write_text(f'#!/bin/sh\n{crash}\nexec {executable()} "$@"\n')
    chromium.chmod(0o755)
    browser = fresh(executable=str(chromium))
    assert browser.render(request("<a href=x>x</a>")).problem == ""
    assert len(starts.read_text()) == 3


@slow
def test_a_browser_is_restarted_after_so_many_pages(fresh: Open) -> None:
    browser = fresh(settings=replace(SETTINGS, pages_per_browser=1))
    seen = []
    for _ in range(2):
        assert browser.render(request("<a href=x>x</a>")).problem == ""
        seen.append(pids(browser)[0])
    assert seen[0] != seen[1]


@slow  # it waits for half a minute
def test_a_driver_that_does_not_stop_is_killed_and_awaited(fresh: Open) -> None:
    browser = fresh()
    assert browser.render(request("<a href=x>x</a>")).problem == ""
    (driver,) = newest(browser)._drivers
    process = newest(browser)._client._transport._proc
    os.kill(driver, signal.SIGSTOP)
    browser.close()
    assert (process.pid, process.returncode) == (driver, -signal.SIGKILL)


def test_a_driver_that_is_lost_while_it_starts_is_killed(
    fresh: Open, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node, pid = tmp_path / "node", tmp_path / "pid"
    node.write_text(f"#!/bin/sh\necho $$ > {pid}\nexec 0<&- 1>&- sleep 600\n")  # it closes its pipes, but does not end
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.setattr(instance, "_STOP_SECONDS", 0.1)
    with pytest.raises(WavecrawlError):
        fresh().render(request("<a href=x>x</a>"))
    assert not Path("/proc", pid.read_text().strip()).exists()


_RENDER = """
import sys
from tests.browser.pages import SETTINGS, request
from wavecrawl.adapters.browser.chromium import ChromiumBrowser
browser = ChromiumBrowser(settings=SETTINGS, user_agent="test", allowed=(sys.argv[2],))
browser.render(request(sys.argv[3], url=sys.argv[1]))
if sys.argv[4] == "close":
    browser.close()
"""


def folders(pid: int) -> list[Path]:
    """Return the folders in use by the browser of a process, its home first."""
    return [
        part
        for folder in Path(gettempdir()).glob(f"wavecrawl-browser-{pid}-*")
        for part in (folder, folder.parent / (folder / "profile").read_text(encoding="utf-8"))
    ]


def running(profile: Path) -> list[str]:
    """Return the processes of the browser with a profile, and its crash handlers."""
    found = []
    for pid in Path("/proc").glob("[0-9]*"):
        try:
            line = (pid / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if str(profile) in line:
            found.append(line)
    return found


# Playwright's driver ends with its process, and kills a browser that is stopped after 30 s.
@pytest.mark.parametrize("end", ["kill", "close", *(["leave", "stop and kill"] if CAMPAIGN else [])])
@slow
def test_nothing_is_left_of_the_browser_of_a_process_that_ends(site: Site, end: str) -> None:
    process: subprocess.Popen[bytes] | None = None
    used: list[Path] = []

    def note(_: int) -> None:
        assert process is not None
        used.extend(folders(process.pid))
        if end == "stop and kill":
            os.kill(int(str((used[1] / "SingletonLock").readlink()).rpartition("-")[2]), signal.SIGSTOP)
        if "kill" in end:
            process.kill()

    site.before = note
    arguments = [site.url, f"127.0.0.1:{site.port}", PAGE, end]
    process = subprocess.Popen([sys.executable, "-c", _RENDER, *arguments])
    assert process.wait(timeout=HANG) == (-signal.SIGKILL if "kill" in end else 0)
    assert len(used) == 2
    assert eventually(lambda: not running(used[1]))
    home.sweep()
    assert eventually(lambda: not used[1].exists())
    assert not used[0].exists()
