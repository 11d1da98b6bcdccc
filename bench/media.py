"""Processing of images and documents: `python -m bench.media`. Time, savings, and the memory of the child process.

Inputs are the images of Debian's documentation packages, generated pictures, and the documents of the tests.
"""

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter

import psutil
from bench.report import setting, table, write_section
from bench.sites import ROOT
from PIL import Image, ImageFilter
from tests.support.documents import pdf_with
from xlsxwriter import Workbook

from wavecrawl.adapters.media.processor import MediaProcessor
from wavecrawl.domain.media.asset import Asset
from wavecrawl.domain.media.kinds import MediaKind
from wavecrawl.errors import UnusableAssetError

PACKAGES = ("python3.11-doc", "git-doc", "git", "python-django-doc")
IMAGES = (".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".ico")
DOCUMENTS = ROOT / "tests" / "data" / "documents"
ALL = frozenset((MediaKind.IMAGE, MediaKind.VIDEO, MediaKind.DOCUMENT))
MB = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One group of files."""

    name: str
    assets: Sequence[Asset]
    refused: int
    seconds: float  # without the start of the child process
    cpu: float  # seconds of the child process
    peak: int  # largest resident bytes of the child process

    def image_row(self) -> list[str]:
        """Return the row of the table of images."""
        received, stored = (sum(getattr(asset, name) for asset in self.assets) for name in ("bytes", "stored_bytes"))
        return [
            self.name,
            str(len(self.assets)),
            f"{received / MB:,.1f}",
            f"{stored / MB:,.1f}",
            f"{100 * (1 - stored / received):.0f} %",
            f"{len(self.assets) / self.cpu:,.1f}",
            f"{self.peak / MB:,.0f}",
        ]

    def document_row(self) -> list[str]:
        """Return the row of the table of documents."""
        found = [asset.document for asset in self.assets if asset.document]
        pages = sum(document.pages or 1 for document in found)
        return [
            self.name,
            str(len(found)),
            str(pages),
            f"{sum(len(document.text) for document in found):,}",
            f"{len(found) / self.cpu:,.1f}",
            f"{pages / self.cpu:,.0f}",
            f"{self.peak / MB:,.0f}",
        ]


def run(name: str, files: Iterable[bytes]) -> Result:
    """Process files one after the other in a new child process."""
    assets, refused, seconds = [], 0, 0.0
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        processor = MediaProcessor()
        path.write_bytes(_encoded(Image.new("RGB", (1, 1)), "PNG"))
        processor.process(path, wanted=ALL)  # starts the process
        (child,) = psutil.Process().children()
        before = sum(child.cpu_times()[:2])
        for content in files:
            path.write_bytes(content)
            start = perf_counter()
            try:
                assets.append(processor.process(path, wanted=ALL).asset)
            except UnusableAssetError:
                refused += 1
            seconds += perf_counter() - start
        cpu = sum(child.cpu_times()[:2]) - before
        peak = _peak(child.pid)
        processor.close()
    return Result(name=name, assets=assets, refused=refused, seconds=seconds, cpu=max(cpu, 0.01), peak=peak)


def _peak(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) * 1_024 for line in status if line.startswith("VmHWM"))


def documentation() -> list[bytes]:
    """Return the images of the documentation packages, each content once."""
    folders = [Path("/usr/share/doc") / package for package in PACKAGES]
    paths = {
        path.resolve(): None
        for folder in folders
        for root, _, names in os.walk(folder, followlinks=True)
        for path in (Path(root) / name for name in sorted(names))
        if path.suffix.lower() in IMAGES
    }
    return list({path.read_bytes(): None for path in paths})


def pictures(format_: str, count: int, size: tuple[int, int], **options: int) -> Iterator[bytes]:
    """Yield generated photographs: soft shapes with the grain of a sensor."""
    random = Random(1)
    for _ in range(count):
        small = Image.frombytes("RGB", (48, 32), random.randbytes(48 * 32 * 3))
        soft = small.resize(size, Image.Resampling.BICUBIC)
        grain = Image.frombytes("L", (512, 512), random.randbytes(512 * 512)).filter(ImageFilter.GaussianBlur(1))
        noise = Image.merge("RGB", [grain.resize(size)] * 3)
        yield _encoded(Image.blend(soft, noise, 0.08), format_, **options)


def flat(size: tuple[int, int]) -> Iterator[bytes]:
    """Yield the largest picture that is decoded, in a small file."""
    yield _encoded(Image.new("RGB", size, (1, 2, 3)), "PNG")


def _encoded(image: Image.Image, format_: str, **options: int) -> bytes:
    out = BytesIO()
    image.save(out, format_, **options)
    return out.getvalue()


def large_sheet() -> Iterator[bytes]:
    """Yield a workbook with far more text than is read."""
    out = BytesIO()
    with Workbook(out, {"constant_memory": True}) as book:
        sheet = book.add_worksheet()
        for row in range(200_000):
            sheet.write_row(row, 0, [f"value {row} {column}" for column in range(12)])
    yield out.getvalue()


_OTHERS = (".pptx", ".xlsx", ".odt", ".ods", ".odp", ".epub", ".rtf")
IMAGE_CASES: dict[str, Callable[[], Iterable[bytes]]] = {
    "documentation: PNG, SVG, GIF, icons": documentation,
    "photographs of 12 megapixels, JPEG 92": lambda: pictures("JPEG", 10, (4_000, 3_000), quality=92),
    "photographs of 2 megapixels, JPEG 92": lambda: pictures("JPEG", 20, (1_600, 1_200), quality=92),
    "photographs of 2 megapixels, WebP 95": lambda: pictures("WEBP", 10, (1_600, 1_200), quality=95),
    "photographs of 2 megapixels, PNG": lambda: pictures("PNG", 5, (1_600, 1_200)),
    "one PNG of 50 megapixels, the most": lambda: flat((10_000, 5_000)),
}
DOCUMENT_CASES: dict[str, Callable[[], Iterable[bytes]]] = {
    "PDF, by 21 programs": lambda: (path.read_bytes() for path in sorted(DOCUMENTS.glob("*.pdf"))),
    "DOCX, by 5 programs": lambda: (path.read_bytes() for path in sorted(DOCUMENTS.glob("*.docx"))),
    "other office documents and books, by 4 programs": lambda: (
        path.read_bytes() for path in sorted(DOCUMENTS.iterdir()) if path.suffix in _OTHERS
    ),
    "one XLSX of 2.4 million cells": large_sheet,
    "one PDF of 1,000 pages": lambda: [pdf_with(["The harbour has seven gates. " * 3] * 1_000)],
}


def main() -> None:
    """Measure everything and write the section."""
    if not shutil.which("dpkg"):
        raise SystemExit("the documentation packages are Debian's")
    images = [run(name, make()) for name, make in IMAGE_CASES.items()]
    documents = [run(name, make()) for name, make in DOCUMENT_CASES.items()]
    image_heads = ("images", "number", "MB received", "MB stored", "saved", "images per CPU second", "peak MB")
    document_heads = ("documents", "number", "pages", "characters", "documents per CPU second", "pages per CPU second",
                      "peak MB")  # fmt: skip
    refused = sum(result.refused for result in (*images, *documents))
    write_section(
        "media",
        f"""## Images and documents

{table(image_heads, [result.image_row() for result in images])}

{table(document_heads, [result.document_row() for result in documents])}

The defaults: at most 1,920 pixels wide, JPEG 80, WebP 85, PNG level 9. Photographs are generated. CPU seconds and peak
(largest resident set) are those of the child process that reads the files. {refused} files were refused.

{setting(["wavecrawl", "pillow", "pypdf", "mammoth", "openpyxl"])}
""",
    )


if __name__ == "__main__":
    main()
