"""The temporary folder of a browser."""

import tempfile
from pathlib import Path

import pytest

from wavecrawl.adapters.browser.home import BrowserHome

LONGEST = 107  # bytes of the name of a socket: unix(7)
SOCKET = "org.chromium.Chromium.123456/SingletonSocket"


@pytest.mark.parametrize("name", ["tmp", "a-folder-for-temporary-files-with-a-long-name" * 2])
def test_chromium_can_create_its_socket_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    home = BrowserHome()
    try:
        assert len(str(home.path / SOCKET)) <= LONGEST
        assert home.path.stat().st_mode & 0o077 == 0
    finally:
        home.remove()
    assert not home.path.exists()


def test_a_short_temporary_folder_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory(prefix="w-", dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        home = BrowserHome()
        assert home.path.parent == Path(folder)
        home.remove()
