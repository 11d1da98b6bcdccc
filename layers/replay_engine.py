"""Fetch the engine that replays archives: `python -m layers.replay_engine FOLDER`, or `make replay`.

It is in no layer, wheel or image, because its license is the AGPL (docs/adr/0041-replay.md).
"""

import sys
import tarfile
from pathlib import Path
from types import MappingProxyType
from typing import Final

from layers.npm_packages import PackageError, archive_of, content_of

PACKAGE: Final = MappingProxyType(
    {
        "name": "replaywebpage",
        "version": "2.4.6",
        "integrity": "sha512-uG50jESRld0p+fY7+nUxIWl7hvfimreNjSmaNkc/a9a8gBdmb7PH4J42Iib+vgk9KrHd0HLScVT++LgqV5fwpQ==",
    }
)
FILES: Final = ("sw.js", "ui.js", "LICENSE")


def fetch(folder: Path, cache: Path) -> None:
    """Write the files of the engine into a folder. Raise PackageError. `cache`: folder of archives of npm."""
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(archive_of(PACKAGE, cache)) as package:
        for name in FILES:
            (folder / name).write_bytes(content_of(package, name))


if __name__ == "__main__":
    try:
        fetch(Path(sys.argv[1]), Path(sys.argv[1]).parent / "npm")
    except PackageError as problem:
        sys.exit(f"replay: {problem}")
