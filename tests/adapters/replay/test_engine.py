"""Where the replay engine is found, and what is said if it is not."""

from pathlib import Path

import pytest
from layers.replay_engine import PACKAGE

from wavecrawl.adapters.replay import engine
from wavecrawl.adapters.replay.engine import BUILT, find_engine
from wavecrawl.errors import ReplayMissingError


def _install(folder: Path) -> Path:
    folder.mkdir(parents=True)
    for name in ("sw.js", "ui.js"):
        (folder / name).write_text(f"// {name}", encoding="utf-8")
    return folder


def test_the_engine_is_in_the_folder_of_the_variable(tmp_path: Path) -> None:
    folder = _install(tmp_path / "node_modules" / "replaywebpage")
    found = find_engine({"WAVECRAWL_REPLAY": str(folder)})
    assert found.folder == folder
    assert found.content("sw.js") == b"// sw.js"


def test_without_the_variable_it_is_where_make_puts_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = _install(tmp_path / "build" / "replaywebpage")
    monkeypatch.setattr(engine, "BUILT", folder)
    assert find_engine({}).folder == folder


def test_make_puts_it_into_the_checkout() -> None:
    checkout = Path(__file__).parents[3]
    assert checkout / "build" / "replaywebpage" == BUILT
    assert f"{BUILT.relative_to(checkout)}/.done:" in (checkout / "Makefile").read_text(encoding="utf-8")


def test_a_missing_engine_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "BUILT", tmp_path)
    with pytest.raises(ReplayMissingError, match="is not installed: run `make replay`") as raised:
        find_engine({})
    assert f"npm install --prefix FOLDER {PACKAGE['name']}@{PACKAGE['version']}" in str(raised.value)


def test_a_folder_without_the_engine_is_named(tmp_path: Path) -> None:
    folder = _install(tmp_path / "half")
    (folder / "ui.js").unlink()
    with pytest.raises(ReplayMissingError, match=r"a folder without ui\.js: run `make replay`") as raised:
        find_engine({"WAVECRAWL_REPLAY": str(folder)})
    assert str(folder) in str(raised.value)
