"""The layer with the operator's certificate authorities (`ca_file`), for functions and tasks that send requests."""

import shutil
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Final

from layers.build import BUILDS, Layer, put_layer

_NAME: Final = "authorities"
_FILE: Final = f"{_NAME}.pem"

WHERE: Final = f"/opt/{_FILE}"
"""The file in functions and tasks."""


def authorities_layer(file: Path) -> Layer:
    """Return a layer that contains the PEM file. Equal files give the same layer."""
    content = file.read_bytes()
    folder = BUILDS / f"{_NAME}-{sha256(content).hexdigest()[:16]}"
    if not folder.is_dir():
        BUILDS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILDS, prefix=f".{_NAME}-") as scratch:
            staged = Path(scratch) / "layer"
            staged.mkdir()
            shutil.copyfile(file, staged / _FILE)
            (staged / _FILE).chmod(0o644)
            put_layer(staged, folder)
    return Layer(name=_NAME, folder=folder, size=len(content))
