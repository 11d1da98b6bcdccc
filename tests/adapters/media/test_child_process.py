"""The process that reads files: what it costs if it is lost, and what it can reach."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from tests.adapters.media.conftest import ALL
from tests.support.documents import docx_parts, paragraph, pdf_with, zip_of
from tests.support.pictures import encoded, photo

from wavecrawl.adapters.media import child_process, processor
from wavecrawl.adapters.media.child_process import ChildLostError, ChildProcess
from wavecrawl.adapters.media.formats import PNG
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.messages import Job, Reply
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.bootstrap.media import missing_media, require_media
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import InvalidInputError, UnusableAssetError

PICTURE = encoded(photo(40, 30), "PNG", compress_level=0)


@pytest.fixture
def made() -> Iterator[MediaProcessor]:
    made = MediaProcessor()
    yield made
    made.close()


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    path = tmp_path / "picture"
    path.write_bytes(PICTURE)
    return path


def pids() -> set[int]:
    return {child.pid for child in psutil.Process().children()}


def test_it_starts_with_the_first_file_and_reads_all(made: MediaProcessor, picture: Path) -> None:
    before = pids()
    first = made.process(picture, wanted=ALL)
    child = pids() - before
    assert len(child) == 1
    assert made.process(picture, wanted=ALL) == first
    assert pids() - before == child
    made.close()
    assert pids() - before == set()


def test_a_lost_process_is_replaced(made: MediaProcessor, picture: Path) -> None:
    before = pids()
    whole = made.process(picture, wanted=ALL)
    (child,) = pids() - before
    os.kill(child, signal.SIGKILL)
    whole.path.write_bytes(b"what a process left that ended while it wrote")
    lost = made.process(picture, wanted=ALL)
    assert (lost.path, lost.asset.stored_bytes) == (picture, len(PICTURE))
    assert list(picture.parent.iterdir()) == [picture]
    assert lost.asset.problem == "the process that read it ended: it crashed, or took too long; stored as received"
    assert made.process(picture, wanted=ALL) == whole


def test_a_lost_process_costs_a_document_its_text_only(made: MediaProcessor, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(pdf_with(["Text"]))
    before = pids()
    made.process(path, wanted=ALL)
    (child,) = pids() - before
    os.kill(child, signal.SIGKILL)
    document = made.process(path, wanted=ALL).asset.document
    assert document is not None
    assert document.problem == "the process that read it ended: it crashed, or took too long"


def test_a_process_that_does_not_reply_is_ended(tmp_path: Path) -> None:
    """Reading a FIFO without a writer takes no processor time."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    child = ChildProcess()
    job = Job(path=str(fifo), made=str(tmp_path / "made"), format=PNG, limits=ProcessingLimits())
    with pytest.raises(ChildLostError):
        child.ask(job, patience=0.3)
    child.close()


@pytest.mark.parametrize("memory", [16, 80])  # less than the process has already, and a little more
def test_too_little_memory_costs_one_file(tmp_path: Path, picture: Path, memory: int) -> None:
    small = MediaProcessor(ProcessingLimits(document_memory=memory))
    path = tmp_path / "file"
    path.write_bytes(zip_of(docx_parts(paragraph("x") * 30_000)))
    try:
        document = small.process(path, wanted=ALL).asset.document
        assert document is not None
        assert document.text == ""
        assert document.problem.startswith(("reading takes too much memory", "cannot be read"))  # as the library says
        assert small.process(picture, wanted=ALL).asset.problem == ""
    finally:
        small.close()


def test_a_process_that_other_files_have_filled_is_replaced_first(
    made: MediaProcessor, picture: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    real = child_process.ChildProcess.ask

    def ask(self: ChildProcess, job: Job, *, patience: float) -> Reply:
        asked.append(self)
        reply = real(self, job, patience=patience)
        if len(asked) == 2:
            return Reply(problem="reading takes too much memory", out_of_memory=True)
        return reply

    monkeypatch.setattr(child_process.ChildProcess, "ask", ask)
    whole = made.process(picture, wanted=ALL)
    assert made.process(picture, wanted=ALL) == whole
    assert len(asked) == 3
    assert asked[0] is asked[1] is not asked[2]


def test_it_is_replaced_after_many_files(made: MediaProcessor, picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processor, "_MAX_FILES", 2)
    before = pids()
    seen: list[int] = []
    for _ in range(4):
        made.process(picture, wanted=ALL)
        seen.extend(pids() - before)
    assert seen[0] == seen[1] != seen[2] == seen[3]


def test_it_has_no_credentials(made: MediaProcessor, picture: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    before = pids()
    made.process(picture, wanted=ALL)
    (child,) = pids() - before
    assert set(psutil.Process(child).environ()) <= {"PYTHONPATH", "LD_LIBRARY_PATH", "LC_CTYPE"}


def test_files_of_other_kinds_are_refused_unread(made: MediaProcessor, picture: Path, tmp_path: Path) -> None:
    before = pids()
    with pytest.raises(UnusableAssetError, match="the content is image/png, which was not asked for"):
        made.process(picture, wanted=frozenset({MediaKind.DOCUMENT}))
    path = tmp_path / "file"
    path.write_bytes(pdf_with(["Text"]))
    with pytest.raises(UnusableAssetError, match="the content is application/pdf, which was not asked for"):
        made.process(path, wanted=frozenset({MediaKind.IMAGE, MediaKind.VIDEO}))
    assert pids() == before


def test_what_is_not_installed_is_named_before_a_crawl_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_media() == ""
    require_media()
    monkeypatch.setattr("wavecrawl.bootstrap.media.find_spec", lambda name: None if name == "PIL" else name)
    with pytest.raises(InvalidInputError, match=r"Pillow not installed; install it: pip install '\.\[media\]'"):
        require_media()
