"""What the programs and shared libraries in a layer need (ELF), compared with what they find in Lambda."""

import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import zstandard
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection
from tests.support.lambda_runtime import LIBRARIES, LOADERS, NEWEST, SEARCHED, Machine

_MAGIC = b"\x7fELF"
_COMPRESSED = ".zst"
_MACHINES: dict[str, Machine] = {"EM_AARCH64": "aarch64", "EM_X86_64": "x86_64"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary:
    """A program or a shared library."""

    path: Path  # in its layer
    machine: Machine
    needed: tuple[str, ...]  # names of libraries
    run_path: tuple[Path, ...]  # folders that it names, in the layer
    versions: tuple[str, ...]  # of symbols, such as GLIBC_2.34


@cache
def binaries(layer: Path) -> tuple[Binary, ...]:
    """Return the binaries in the folder of a layer, also those that are compressed."""
    files = [path for path in sorted(layer.rglob("*")) if path.is_file() and not path.is_symlink()]
    contents = ((path.relative_to(layer), _content(path)) for path in files)
    return tuple(_binary(path, ELFFile(io.BytesIO(content))) for path, content in contents if content)


def problems(function: Sequence[Path]) -> Iterator[str]:
    """Yield what a binary of a function does not find in Lambda. `function`: the folders of its layers."""
    found = [(layer, one) for layer in function for one in binaries(layer)]
    for layer, one in found:
        folders = {*one.run_path, *map(Path, SEARCHED)}
        for name in one.needed:
            in_layers = any((other / folder / name).is_file() for other in function for folder in folders)
            if not (in_layers or name in LIBRARIES or name == LOADERS[one.machine]):
                yield f"{layer.name}: {one.path} needs {name}, which neither Lambda nor a layer has"
        for version in filter(_is_too_new, one.versions):
            yield f"{layer.name}: {one.path} needs symbols of {version}"
    if len({one.machine for _, one in found}) > 1:
        yield f"{', '.join(layer.name for layer in function)}: binaries of several processors"


def _content(path: Path) -> bytes:
    """Return the content of a binary, b"" for other files."""
    with path.open("rb") as file:
        if path.suffix == _COMPRESSED:
            with zstandard.ZstdDecompressor().stream_reader(file) as content:
                found = content.read()
        else:
            found = file.read() if file.read(len(_MAGIC)) == _MAGIC else b""
            found = _MAGIC + found if found else b""
    return found if found.startswith(_MAGIC) else b""


def _binary(path: Path, elf: ELFFile) -> Binary:
    dynamic = [section for section in elf.iter_sections() if isinstance(section, DynamicSection)]
    tags = [tag for section in dynamic for tag in section.iter_tags()]
    run_path = [folder for tag in tags for folder in _run_path(tag)]
    versions = [
        auxiliary.name
        for section in elf.iter_sections()
        if isinstance(section, GNUVerNeedSection)
        for _, names in section.iter_versions()
        for auxiliary in names
    ]
    return Binary(
        path=path,
        machine=_MACHINES[elf["e_machine"]],
        needed=tuple(tag.needed for tag in tags if tag.entry.d_tag == "DT_NEEDED"),  # type: ignore[attr-defined] # added when read
        run_path=tuple(_in_layer(path.parent, folder) for folder in run_path),
        versions=tuple(dict.fromkeys(versions)),
    )


def _run_path(tag: object) -> list[str]:
    named = getattr(tag, "runpath", None) or getattr(tag, "rpath", None)
    return named.split(":") if named else []


def _in_layer(folder: Path, named: str) -> Path:
    """Return the folder in a layer that a run path names: relative to the binary."""
    parts: list[str] = []
    for part in (folder / named.replace("$ORIGIN", ".")).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return Path(*parts)


def _is_too_new(version: str) -> bool:
    match = re.fullmatch(r"([A-Z]+)_([\d.]+)", version)
    if match is None or match[1] not in NEWEST:
        return False
    return tuple(map(int, match[2].split("."))) > NEWEST[match[1]]
