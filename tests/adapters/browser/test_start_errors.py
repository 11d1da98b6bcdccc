"""Chromium that does not start: the error says why and what to do, at once."""

from pathlib import Path

import pytest

from wavecrawl.adapters.browser import instance
from wavecrawl.adapters.browser.chromium import ChromiumBrowser
from wavecrawl.domain.rendering.settings import RenderSettings
from wavecrawl.errors import BrowserMissingError, TransientError, WavecrawlError
from wavecrawl.ports.browser import RenderRequest

REQUEST = RenderRequest(url="http://site.example/", status=200, headers=(), body=b"<p>text")
HOW = "install it (Debian, Ubuntu: apt-get install chromium), or set WAVECRAWL_CHROMIUM to its path"


def error_of(executable: Path) -> WavecrawlError:
    browser = ChromiumBrowser(settings=RenderSettings(), user_agent="test", executable=str(executable))
    try:
        with pytest.raises(WavecrawlError) as raised:
            browser.render(REQUEST)
    finally:
        browser.close()
    return raised.value


def program(folder: Path, script: str, *, mode: int = 0o755) -> Path:
    made = folder / "chromium"
    made.write_text(script, encoding="utf-8")
    made.chmod(mode)
    return made


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        (
            "#!/bin/sh\necho 'chromium: error while loading shared libraries: libnss3.so: cannot open' >&2\nexit 127",
            f"needs libnss3.so, which is missing; {HOW}",
        ),
        (
            "#!/bin/sh\necho '[1:1:FATAL:zygote_host_impl_linux.cc(128)] No usable sandbox! If you ...' >&2\nexit 1",
            "has no sandbox on this system; allow user namespaces, or set WAVECRAWL_CHROMIUM_SANDBOX=off",
        ),
        (
            "#!/bin/sh\necho first >&2\necho 'no space' >&2\nexit 3",
            "when it is started (exit code 3): no space; " + HOW,
        ),
        ("#!/no/such/interpreter", f"is not a program that this system can run; {HOW}"),
    ],
)
def test_a_browser_that_does_not_start_is_an_error_that_says_what_to_do(
    tmp_path: Path, script: str, problem: str
) -> None:
    executable = program(tmp_path, script)
    error = error_of(executable)
    assert isinstance(error, BrowserMissingError)
    assert str(error).startswith(f"{executable} ")
    assert str(error).endswith(problem)


def test_a_file_without_the_right_to_run_it_is_no_program(tmp_path: Path) -> None:
    error = error_of(program(tmp_path, "#!/bin/sh", mode=0o644))
    assert isinstance(error, BrowserMissingError)
    assert "is not a program" in str(error)


@pytest.mark.parametrize("signal", ["KILL", "SEGV", "TRAP"])
def test_a_browser_that_a_signal_ends_may_start_later(tmp_path: Path, signal: str) -> None:
    starts = tmp_path / "starts"
    error = error_of(program(tmp_path, f"#!/bin/sh\necho >>{starts}\nkill -{signal} $$"))
    assert isinstance(error, TransientError)
    what = "if it always does, give it more memory or install another version"
    assert str(error).endswith(f"crashes when it is started (SIG{signal}); {what}")
    assert len(starts.read_text()) == 3


def test_a_browser_that_does_not_respond_may_start_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(instance, "START_SECONDS", 1.0)
    error = error_of(program(tmp_path, "#!/bin/sh\nexec sleep 1000"))
    assert isinstance(error, TransientError)
    assert "cannot be started now" in str(error)


def test_a_driver_of_playwright_that_is_missing_must_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/no/such/node")
    error = error_of(Path("/bin/true"))
    assert isinstance(error, BrowserMissingError)
    assert "pip install --force-reinstall playwright" in str(error)


def test_a_driver_of_playwright_that_ends_may_start_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", "/bin/false")
    assert isinstance(error_of(Path("/bin/true")), TransientError)


def test_a_folder_for_the_browser_that_cannot_be_created_may_have_room_later(monkeypatch: pytest.MonkeyPatch) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(instance, "BrowserHome", full)
    error = error_of(Path("/bin/true"))
    assert isinstance(error, TransientError)
    assert "No space left" in str(error)
