"""Files with random damage: each ends with an asset or a refusal, in the same process."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import psutil
import pytest
from tests.adapters.media.conftest import ALL
from tests.adapters.media.test_documents_by_producer import FOLDER
from tests.support.campaign import CAMPAIGN, examples
from tests.support.documents import docx_parts, paragraph, pdf_with, zip_of
from tests.support.pictures import encoded, photo

from wavecrawl.adapters.media.limits import ProcessingLimits
from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.errors import UnusableAssetError

ROUNDS = examples(2)
IMAGES = {
    name: encoded(photo(60, 40, mode), name) for name, mode in
    (("JPEG", "RGB"), ("PNG", "RGBA"), ("GIF", "P"), ("WEBP", "RGB"), ("TIFF", "RGB"), ("BMP", "RGB"), ("ICO", "RGBA"),
     ("AVIF", "RGB"))
}  # fmt: skip
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><style>a{fill:url(#b)}</style><use href='#a'/><text>x</text></svg>"
SAMPLES = {
    **IMAGES,
    "SVG": SVG,
    "PDF": pdf_with(["Some text", "More text"], title="T"),
    "DOCX": zip_of(docx_parts(paragraph("text"))),
    "cairo": (FOLDER / "cairo.pdf").read_bytes(),
    "object streams": (FOLDER / "qpdf-object-streams.pdf").read_bytes(),
    "abiword": (FOLDER / "abiword.docx").read_bytes(),
}


def flipped(content: bytearray, random: Random) -> None:
    for _ in range(random.randint(1, 20)):
        content[random.randrange(len(content))] = random.randrange(256)


def cut(content: bytearray, random: Random) -> None:
    del content[random.randrange(len(content)) :]


def repeated(content: bytearray, random: Random) -> None:
    start = random.randrange(len(content))
    content[start:start] = content[start : start + random.randrange(1, 400)] * random.randint(1, 50)


def large_numbers(content: bytearray, random: Random) -> None:
    at = random.randrange(len(content))
    content[at : at + 4] = random.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"9999"))


@pytest.mark.parametrize("damage", [flipped, cut, repeated, large_numbers])
def test_no_damage_ends_the_process(tmp_path: Path, damage: Callable[[bytearray, Random], None]) -> None:
    processor = MediaProcessor(ProcessingLimits(seconds=5.0))
    path = tmp_path / "file"
    before = {child.pid for child in psutil.Process().children()}
    kept = refused = 0
    seen: set[int] = set()
    for number in range(ROUNDS):
        for name, sample in SAMPLES.items():
            content = bytearray(sample)
            damage(content, Random(f"{name} {number}"))
            path.write_bytes(content)
            try:
                asset = processor.process(path, wanted=ALL).asset
            except UnusableAssetError:
                refused += 1
            else:
                kept += 1
                assert "crashed" not in f"{asset.problem} {asset.document}", (name, number)
            seen |= {child.pid for child in psutil.Process().children()} - before
    processor.close()
    assert kept + refused == ROUNDS * len(SAMPLES)
    assert kept > 0
    assert len(seen) == 1 or CAMPAIGN
