"""The link that opens the dashboard."""

import re
import stat
import webbrowser
from pathlib import Path

import pytest

from wavecrawl.cli.sign_in_link import SignInLink

LINK = SignInLink(base_url="http://127.0.0.1:8787", key="wck_a")


def test_the_key_is_in_the_fragment_which_no_server_receives() -> None:
    assert LINK.url == "http://127.0.0.1:8787/#key=wck_a"
    assert SignInLink(base_url="http://[::1]:80", key=None).url == "http://[::1]:80/"


def test_the_browser_gets_a_file_that_only_its_user_can_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", opened.append)
    (tmp_path / "dashboard.html").write_text("that of another start, for everyone", encoding="utf-8")
    LINK.open(tmp_path)
    file = tmp_path / "dashboard.html"
    assert opened == [file.as_uri()]
    assert "wck_a" not in opened[0]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert re.findall(r"url=([^\"]+)", file.read_text(encoding="utf-8")) == [LINK.url]


def test_without_a_display_nothing_is_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(webbrowser, "open", lambda _: pytest.fail("opened"))
    LINK.open(tmp_path)
    assert list(tmp_path.iterdir()) == []
