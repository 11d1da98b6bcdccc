"""Build the Lambda layers without Docker: `python -m layers.build [lambda|native]` prints folders and sizes.

pip downloads wheels for python3.13 on any machine: for arm64, and for x86_64, which the function that renders pages
needs, as Chromium for Lambda exists for it only. Files that functions do not need (tests, type stubs, C sources, pip's
records) are removed, and byte code is added. Builds are reproducible and cached under build/layers/ by a hash of their
inputs.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from layers.browser_files import PACKAGE as PACKAGE_OF_CHROMIUM
from layers.browser_files import add_chromium, replace_node
from layers.byte_code import LAMBDA_PYTHON, lambda_compiler, own_compiler
from layers.hashes import MissingHashError, with_hashes
from layers.npm_packages import PackageError
from layers.stripping import strip, tree_hash, tree_size

ROOT: Final = Path(__file__).resolve().parent.parent
BUILDS: Final = ROOT / "build" / "layers"
PACKAGE: Final = ROOT / "layers" / "wavecrawl" / "python" / "wavecrawl"
CONSTRAINTS: Final = ROOT / "constraints.txt"
FONT_PACKAGES: Final = ROOT / "layers" / "fonts" / "packages.json"
HASHES: Final = ROOT / "layers" / "hashes.txt"

# python3.13 runs on AL2023, which has glibc 2.34: https://docs.aws.amazon.com/linux/al2023/ug/compare-with-al2.html
_GLIBC: Final = (*(f"manylinux_2_{minor}" for minor in (34, 31, 28, 27, 24, 17)), "manylinux2014")

LARGEST: Final = 250 * 1024 * 1024
"""Maximum unzipped bytes of a function's layers: https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"""

Target = Literal["lambda", "native"]
Machine = Literal["aarch64", "x86_64"]

FUNCTIONS_LAYERS: Final = (
    ("wavecrawl", "dependencies", "analytics"),
    ("wavecrawl", "render_dependencies", "chromium", "fonts"),
    ("wavecrawl", "dependencies", "media", "encryption"),
)
"""The layers of the functions that have most."""


class LayerBuildError(Exception):
    """A layer cannot be built or is too large; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A built layer."""

    name: str
    folder: Path  # contains python/, except the layer with Chromium
    size: int  # bytes, unzipped


def build_layers(target: Target, *, render: bool = True, fonts: bool = False, media: bool = True) -> dict[str, Layer]:
    """Return all layers by name; build those whose input has changed.

    The native layers have no Chromium and no fonts, as the machine brings its own. `render` and `media`:
    whether pages are rendered, and media downloaded; `fonts`: whether rendered pages have fonts for
    CJK, Arabic, Devanagari, Thai and emoji. Raise LayerBuildError if a requirement is not pinned or has no
    wheel, or if the layers are too large for Lambda.
    """
    built = {
        "wavecrawl": _built("wavecrawl", target, _package_input(), _install_package),
        "dependencies": _third_party("dependencies", target, "dependencies"),
        "analytics": _third_party("analytics", target, "analytics"),
        "encryption": _third_party("encryption", target, "encryption"),
    }
    if render:
        built["render_dependencies"] = _third_party(
            "render_dependencies", target, "dependencies", "render_dependencies", machine="x86_64"
        )
        if target == "lambda":
            built["chromium"] = chromium_layer()
            if fonts:
                built["fonts"] = fonts_layer()
    if media:
        built["media"] = _third_party("media", target, "media")
    for names in FUNCTIONS_LAYERS:
        check_sizes([built[name] for name in names if name in built])
    return built


def chromium_layer() -> Layer:
    """Return the layer with Chromium for Lambda on x86_64."""
    recipe = _Recipe(text=PACKAGE_OF_CHROMIUM.read_text(encoding="utf-8"), machine="x86_64")
    return _built("chromium", "lambda", recipe, _install_chromium)


def fonts_layer() -> Layer:
    """Return the layer with fonts."""
    return _third_party("fonts", "lambda", "fonts", install=_install_fonts, text=FONT_PACKAGES.read_text("utf-8"))


def check_sizes(layers: Sequence[Layer]) -> None:
    """Raise LayerBuildError if all layers together are larger than Lambda's limit for one function."""
    total = sum(layer.size for layer in layers)
    if total > LARGEST:
        raise LayerBuildError(f"the layers have more than {LARGEST:,} bytes unzipped:\n{size_table(layers)}")


def size_table(layers: Iterable[Layer]) -> str:
    """Return the sizes of the layers and their sum as lines of text."""
    rows = [(layer.name, layer.size) for layer in layers]
    rows.append(("total", sum(size for _, size in rows)))
    return "\n".join(f"{name:<20}{size / 1024 / 1024:8.1f} MB" for name, size in rows)


def pinned(requirements: str, constraints: str) -> list[str]:
    """Return each requirement with its version in the constraints; raise LayerBuildError if one is not pinned."""
    versions = dict(re.findall(r"^([\w.-]+)==(\S+)", constraints, re.MULTILINE))
    by_name = {_normal(name): version for name, version in versions.items()}
    names = [line.split("#")[0].strip() for line in requirements.splitlines()]
    missing = sorted(name for name in names if name and _normal(name) not in by_name)
    if missing:
        raise LayerBuildError(f"constraints.txt has no version of {', '.join(missing)}; add one")
    return sorted(f"{_normal(name)}=={by_name[_normal(name)]}" for name in names if name)


def _normal(name: str) -> str:
    """Return the normalized name of a project (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Recipe:
    """The input of a layer; equal recipes give equal bytes."""

    text: str
    pins: tuple[str, ...] = ()  # lines of a requirements file, with hashes
    machine: Machine = "aarch64"  # if built for Lambda


_Install = Callable[[Path, Target, _Recipe], None]
"""Fills the folder of a layer."""


def _package_input() -> _Recipe:
    return _Recipe(text=tree_hash(PACKAGE))


def _third_party(
    name: str,
    target: Target,
    *lists: str,
    machine: Machine = "aarch64",
    install: _Install | None = None,  # _install_wheels by default
    text: str = "",  # further input
) -> Layer:
    requirements = "\n".join((ROOT / "layers" / one / "requirements.txt").read_text(encoding="utf-8") for one in lists)
    pins = pinned(requirements, CONSTRAINTS.read_text(encoding="utf-8"))
    try:
        lines = with_hashes(pins, HASHES.read_text(encoding="utf-8"))
    except MissingHashError as error:
        raise LayerBuildError(str(error)) from error
    recipe = _Recipe(text="\n".join((*lines, text)), pins=tuple(lines), machine=machine)
    return _built(name, target, recipe, install or _install_wheels)


def _built(name: str, target: Target, recipe: _Recipe, install: _Install) -> Layer:
    compiler = own_compiler() if target == "native" else lambda_compiler()
    own = "".join(path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("*.py")))
    interpreter = f"{LAMBDA_PYTHON} {recipe.machine}" if target == "lambda" else f"{sys.version} {os.uname().machine}"
    ingredients = "\0".join((name, interpreter, compiler.version if compiler else "", own, recipe.text))
    folder = BUILDS / f"{name}-{target}-{hashlib.sha256(ingredients.encode()).hexdigest()[:16]}"
    if not folder.is_dir():
        BUILDS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILDS, prefix=f".{name}-") as scratch:
            staged = Path(scratch) / "layer"
            install(staged, target, recipe)
            if compiler and (staged / "python").is_dir():
                compiler.compile(staged)
            put_layer(staged, folder)
    return Layer(name=name, folder=folder, size=tree_size(folder))


def put_layer(staged: Path, folder: Path) -> None:
    """Move a complete layer to its folder. Another process may have built the same layer there."""
    try:
        staged.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise


def _install_package(layer: Path, _target: Target, _recipe: _Recipe) -> None:
    shutil.copytree(PACKAGE, layer / "python" / "wavecrawl", ignore=_not_in_the_cloud)
    strip(layer / "python")


def _install_chromium(layer: Path, _target: Target, _recipe: _Recipe) -> None:
    try:
        add_chromium(layer, BUILDS)
    except PackageError as error:
        raise LayerBuildError(str(error)) from error


def _install_fonts(layer: Path, target: Target, recipe: _Recipe) -> None:
    from layers.font_files import add_fonts  # noqa: PLC0415 - loads fontTools, and few deployments have fonts

    _install_wheels(layer, target, recipe)
    try:
        add_fonts(layer, BUILDS)
    except PackageError as error:
        raise LayerBuildError(str(error)) from error


def _not_in_the_cloud(folder: str, names: list[str]) -> set[str]:
    """Return what the layer leaves out: the command line and the demo site."""
    unused = {"cli", "demo"} if Path(folder) == PACKAGE else set()
    return {"__pycache__", *unused} & set(names)


def _install_wheels(layer: Path, target: Target, recipe: _Recipe) -> None:
    into = layer / "python"
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
    command += ["--no-compile", "--only-binary=:all:", "--target", str(into)]
    if target == "lambda":
        command += ["--implementation", "cp", "--python-version", LAMBDA_PYTHON]
        command += [f"--platform={glibc}_{recipe.machine}" for glibc in _GLIBC]
    with tempfile.NamedTemporaryFile("w", suffix=".txt", encoding="utf-8") as requirements:
        requirements.write("\n".join(recipe.pins))
        requirements.flush()
        command += ["--require-hashes", "--requirement", requirements.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    if done.returncode:
        names = ", ".join(pin.partition(" ")[0] for pin in recipe.pins)
        raise LayerBuildError(f"pip could not install {names} for {target}:\n{done.stderr[-2000:]}")
    if (into / "playwright").is_dir():
        replace_node(into)
    strip(into)


if __name__ == "__main__":
    wanted: Target = "native" if sys.argv[1:] == ["native"] else "lambda"
    made = build_layers(wanted)
    print("\n".join(str(layer.folder.relative_to(ROOT)) for layer in made.values()))  # noqa: T201
    print(size_table(made.values()))  # noqa: T201
