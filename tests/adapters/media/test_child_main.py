"""The loop of the child process, run in this process: one reply per job, in order."""

import signal
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

import msgspec
import pytest
from tests.adapters.media.test_documents_by_producer import CONTENTS, FOLDER
from tests.adapters.media.test_hostile_documents import encrypted
from tests.adapters.media.test_media_fuzz import SAMPLES
from tests.support.documents import docx_parts, paragraph, pdf_with, zip_of
from tests.support.pictures import encoded, opened, photo

from wavecrawl.adapters.media import child
from wavecrawl.adapters.media.formats import format_of
from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.messages import Job, Reply


@pytest.fixture(autouse=True)
def _this_process_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(child, "_bound_memory", lambda _: None)
    before = {number: signal.getsignal(number) for number in (signal.SIGPROF, signal.SIGINT)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def replies(folder: Path, contents: list[bytes], limits: ProcessingLimits | None = None) -> list[Reply]:
    """Return the replies to jobs for files with these contents."""
    lines = []
    for number, content in enumerate(contents):
        path = folder / str(number)
        path.write_bytes(content)
        format_ = format_of(path)
        assert format_ is not None
        made = folder / f"{number}.made"
        job = Job(path=str(path), made=str(made), format=format_, limits=limits or ProcessingLimits())
        lines.append(msgspec.json.encode(job) + b"\n")
    out = BytesIO()
    child.main(BytesIO(b"".join(lines)), out)
    return [msgspec.json.decode(line, type=Reply) for line in out.getvalue().splitlines()]


def test_each_job_has_its_reply(tmp_path: Path) -> None:
    sizes = [(60, 40)] * 6 + [(32, 21), (60, 40), (None, None)]  # an icon has fixed sizes
    found = replies(tmp_path, list(SAMPLES.values()))
    assert [(reply.width, reply.height) for reply in found[:9]] == sizes
    assert [reply.document and reply.document.text for reply in found[9:11]] == ["Some text\n\nMore text", "text"]
    assert [reply.unusable for reply in found] == [""] * len(SAMPLES)


def test_documents_of_all_programs_are_read(tmp_path: Path) -> None:
    found = replies(tmp_path, [(FOLDER / name).read_bytes() for name in CONTENTS])
    assert [reply.document and (bool(reply.document.text), reply.document.problem) for reply in found] == [
        (True, "")
    ] * len(CONTENTS)


def test_images_are_written_beside_what_was_received(tmp_path: Path) -> None:
    wide = encoded(photo(2_000, 20, "P"), "PNG", compress_level=0)
    (reply,) = replies(tmp_path, [wide])
    assert (reply.width, reply.height, reply.made and reply.made.extension) == (1_920, 19, "png")
    assert opened((tmp_path / "0.made").read_bytes()).size == (1_920, 19)


def test_what_cannot_be_read_is_said(tmp_path: Path) -> None:
    damaged = bytearray(encoded(photo(64, 64), "PNG", compress_level=0))
    del damaged[2_000:]
    contents = {
        bytes(damaged): "damaged, stored as received",
        b"<svg><g>": "no well-formed SVG",
        b"\xff\xd8\xff nothing": "no readable JPG image",
        b"%PDF-1.7 nothing": "cannot be read",
        b"PK\3\4 nothing": "a ZIP file that is no Word document",
        zip_of({"a": "b"}): "a ZIP file that is no Word document",
        zip_of(docx_parts("") | {"word/document.xml": b"x"}): "cannot be read",
        encrypted("AES-256", "secret"): "encrypted with a password",
        pdf_with([""]): "there is no text",
    }
    found = replies(tmp_path, list(contents))
    said = [reply.unusable or reply.problem or (reply.document.problem if reply.document else "") for reply in found]
    assert [problem.startswith(start) for problem, start in zip(said, contents.values(), strict=True)] == [True] * 9


def test_limits_end_the_reading_of_a_file_alone(tmp_path: Path) -> None:
    small = ProcessingLimits(max_text=5, max_pixels=100)
    contents = [pdf_with(["Some text"]), zip_of(docx_parts(paragraph("Some text"))), encoded(photo(20, 20), "PNG")]
    pdf, docx, image = replies(tmp_path, contents, small)
    assert [reply.document and reply.document.text for reply in (pdf, docx)] == ["Some ", "Some "]
    assert image.unusable == "20 x 20 pixels; at most 100 are read"


@pytest.mark.parametrize(("error", "said"), [(child.TimeIsUpError(), "took longer"), (MemoryError(), "much memory")])
def test_the_limits_of_time_and_memory_leave_a_reply(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException, said: str
) -> None:
    def fail(*_: object) -> Reply:
        raise error

    monkeypatch.setattr(child, "_document", fail)
    monkeypatch.setattr(child, "_image_reader", lambda _: fail)
    contents = [pdf_with(["Some text"]), encoded(photo(20, 20), "PNG")]
    found = replies(tmp_path, contents) + replies(tmp_path, contents[1:])
    document, image = found[0], found[-1]
    assert document.document is not None
    assert said in document.document.problem
    assert said in image.problem
    assert image.problem.endswith("; stored as received")
    assert len(found) == (2 if document.out_of_memory else 3)  # after a lack of memory, the process ends
