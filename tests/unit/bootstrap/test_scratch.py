"""Scratch folders of processes, and the removal of those that dead processes left."""

import subprocess
import sys
from pathlib import Path

from wavecrawl.adapters.aws.scratch import own_folder

_MAKE = "import os, sys; from pathlib import Path; from wavecrawl.adapters.aws.scratch import own_folder; {}"


def test_a_process_that_was_killed_takes_no_room_from_the_next(tmp_path: Path) -> None:
    make = _MAKE.format("(own_folder(Path(sys.argv[1])) / 'copy').write_text('x'); os._exit(1)")
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    mine = own_folder(tmp_path)
    assert not left.exists()
    assert list(tmp_path.iterdir()) == [mine]


def test_what_others_use_stays(tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    first, second = own_folder(tmp_path), own_folder(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {"another", first.name, second.name}


def test_a_process_that_ends_takes_its_folder_along(tmp_path: Path) -> None:
    make = _MAKE.format("own_folder(Path(sys.argv[1]))")
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], check=True)
    assert list(tmp_path.iterdir()) == []
