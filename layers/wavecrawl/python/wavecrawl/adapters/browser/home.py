"""The temporary folder of a browser, and the removal of folders whose process was killed."""

import os
import shutil
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir, mkdtemp

_PREFIX = "wavecrawl-browser-"
_PROFILE = "profile"  # a file with the name of the profile's folder, which Playwright creates beside
_PLAYWRIGHT = "playwright_chromiumdev_profile-"
_LONGEST_SOCKET = 107  # bytes of the name of a socket: https://man7.org/linux/man-pages/man7/unix.7.html
_SOCKET = len(f"/{_PREFIX}4194304-12345678/org.chromium.Chromium.123456/SingletonSocket")


class BrowserHome:
    """Home and temporary folder of one browser. Its name has the id of this process."""

    def __init__(self) -> None:
        sweep()
        self.path = Path(mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-", dir=_folder_of_homes()))
        self._profile: Path | None = None

    def note_profile(self, profile: Path | None) -> None:
        """Remember the profile folder, so that it is removed even if this process is killed."""
        self._profile = profile
        if profile is not None:
            (self.path / _PROFILE).write_text(profile.name, encoding="utf-8")

    def remove(self) -> None:
        """Remove both folders."""
        _remove(self.path, self._profile)


def sweep() -> None:
    """Remove the folders of browsers whose process does not run any more."""
    for folder in Path(_folder_of_homes()).glob(f"{_PREFIX}*"):
        digits = folder.name.removeprefix(_PREFIX).partition("-")[0]
        with suppress(OSError):
            if digits.isdecimal() and folder.lstat().st_uid == os.geteuid() and not _runs(int(digits)):
                _remove(folder, _noted_profile(folder))


def _folder_of_homes() -> str:
    """Return the temporary folder; /tmp if the name of Chromium's socket would be too long there."""
    folder = gettempdir()
    return folder if len(os.fsencode(folder)) + _SOCKET <= _LONGEST_SOCKET else "/tmp"  # noqa: S108 - a random name


def _noted_profile(folder: Path) -> Path | None:
    try:
        name = (folder / _PROFILE).read_text(encoding="utf-8")
    except OSError:
        return None
    return Path(gettempdir()) / name if name.startswith(_PLAYWRIGHT) and "/" not in name else None


def _remove(folder: Path, profile: Path | None) -> None:
    for one in filter(None, (profile, folder)):
        shutil.rmtree(one, ignore_errors=True)


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # a process of another user
    return True
