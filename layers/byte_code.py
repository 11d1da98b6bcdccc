"""The byte code of the layers, compiled by the Python version of Lambda.

Without it, every cold start compiles the modules that it imports, as layers are read-only in Lambda. All releases of
Python 3.13 read the same byte code. The files are reproducible: they contain no paths of this machine and no times, but
a hash of the source that is not checked when they are loaded (PEP 552, unchecked-hash).
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

LAMBDA_PYTHON: Final = "3.13"

MISSING: Final = (
    f"the layers have no byte code, as this machine has no Python {LAMBDA_PYTHON} and uv could not fetch it. Each cold"
    " start compiles what it imports: 1.0 instead of 0.5 s of processor time for the API, 0.7 instead of 0.4 s for"
    f" fetch_batch. Install Python {LAMBDA_PYTHON} (`uv python install {LAMBDA_PYTHON}`), then deploy again"
)
"""What a missing interpreter means, and what to do. The times are of a machine on which `import boto3` takes 0.3 s
(bench/results.md)."""

_MANAGED: Final = Path(__file__).resolve().parent.parent / "build" / "python"
"""Where uv installs an interpreter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """An interpreter that compiles byte code."""

    program: str
    version: str

    def compile(self, layer: Path) -> None:
        """Add byte code to a layer, whose modules are in /opt/python when they run."""
        command = [self.program, "-m", "compileall", "-q", "--invalidation-mode", "unchecked-hash"]
        command += ["-s", str(layer), "-p", "/opt", str(layer / "python")]
        environment = {"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"}
        subprocess.run(command, check=True, env=environment)  # noqa: S603


def own_compiler() -> Compiler:
    """Return this interpreter, for layers that run on this machine."""
    return Compiler(program=sys.executable, version=sys.version)


@cache
def lambda_compiler() -> Compiler | None:
    """Return an interpreter of Lambda's version, fetched by uv if this machine has none; None if that fails."""
    for program in (*_installed(), *_fetched()):
        found = _run(program, "-c", "import sys; print(sys.version)")
        if found is not None and found.startswith(f"{LAMBDA_PYTHON}."):
            return Compiler(program=program, version=found)
    return None


def _installed() -> Iterator[str]:
    """Yield the interpreters of the PATH, of pyenv, and of earlier fetches. Those of the PATH may fail to start."""
    name = f"python{LAMBDA_PYTHON}"
    if found := shutil.which(name):
        yield found
    pyenv = Path(os.environ.get("PYENV_ROOT") or "~/.pyenv").expanduser()
    for folder in (pyenv / "versions", _MANAGED):
        yield from map(str, sorted(folder.glob(f"*{LAMBDA_PYTHON}*/bin/{name}")))


def _fetched() -> Iterator[str]:
    """Fetch an interpreter with uv, unless something is wrong with that, and yield it."""
    folder = ["--install-dir", str(_MANAGED)]
    if _run(sys.executable, "-m", "uv", "python", "install", "--quiet", "--no-bin", *folder, LAMBDA_PYTHON) is not None:
        yield from map(str, sorted(_MANAGED.glob(f"*{LAMBDA_PYTHON}*/bin/python{LAMBDA_PYTHON}")))


def _run(*command: str) -> str | None:
    """Return the output of a command, None if it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None
