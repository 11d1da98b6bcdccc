"""Files that are put into a folder where others may be."""

from pathlib import Path

import pytest

from wavecrawl.cli.placed_files import Placed, place
from wavecrawl.errors import ConflictError


@pytest.fixture(name="files")
def new_files(tmp_path: Path) -> list[Placed]:
    """Return a file to copy and one to move."""
    (tmp_path / "a").write_text("new a", encoding="utf-8")
    (tmp_path / "b").write_text("new b", encoding="utf-8")
    out = tmp_path / "out"
    return [
        Placed(source=tmp_path / "a", target=out / "a"),
        Placed(source=tmp_path / "b", target=out / "deep" / "b", is_moved=True),
    ]


def content(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


def test_files_are_copied_or_moved(files: list[Placed], tmp_path: Path) -> None:
    place(files, overwrite=False)
    assert content(tmp_path / "out") == {"a": "new a", "b": "new b"}
    assert ((tmp_path / "a").exists(), (tmp_path / "b").exists()) == (True, False)


def test_a_file_with_the_same_content_is_no_conflict(files: list[Placed], tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a").write_text("new a", encoding="utf-8")
    place(files, overwrite=False)
    assert content(tmp_path / "out") == {"a": "new a", "b": "new b"}


def test_nothing_is_changed_if_one_file_would_be_lost(files: list[Placed], tmp_path: Path) -> None:
    edited = tmp_path / "out" / "deep" / "b"
    edited.parent.mkdir(parents=True)
    edited.write_text("mine", encoding="utf-8")
    with pytest.raises(ConflictError, match=f"^{edited} exists with another content; .*--to, .*--overwrite$"):
        place(files, overwrite=False)
    assert content(tmp_path / "out") == {"b": "mine"}
    place(files, overwrite=True)
    assert content(tmp_path / "out") == {"a": "new a", "b": "new b"}


def test_a_stale_file_is_deleted_on_request_only(files: list[Placed], tmp_path: Path) -> None:
    stale = tmp_path / "stale"
    stale.touch()
    with pytest.raises(ConflictError, match="stale exists"):
        place(files, stale=[stale], overwrite=False)
    assert stale.exists()
    place(files, stale=[stale], overwrite=True)
    assert not stale.exists()


def test_three_of_many_files_are_named(tmp_path: Path) -> None:
    files = [Placed(source=tmp_path / "new", target=tmp_path / f"old{n}") for n in range(4)]
    (tmp_path / "new").write_text("new", encoding="utf-8")
    for one in files:
        one.target.touch()
    with pytest.raises(ConflictError, match=r"old0, \S+old1, \S+old2, \.\.\. exist with another content"):
        place(files, overwrite=False)
