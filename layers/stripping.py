"""Removal of files that functions do not need from installed packages."""

import hashlib
import shutil
from pathlib import Path
from typing import Final

_USELESS_FOLDERS: Final = frozenset(
    ("tests", "test", "docs", "doc", "bin", "examples", "__pycache__", "include", "includes")
)
_USELESS_SUFFIXES: Final = frozenset(
    (".pyi", ".pyx", ".pxd", ".pxi", ".h", ".hpp", ".c", ".cpp", ".cc", ".o", ".a", ".md", ".rst", ".pyc")
)
# pip's records, which differ between installations
_RECORDS: Final = frozenset(("RECORD", "INSTALLER", "REQUESTED", "direct_url.json"))

AWS_SERVICES: Final = frozenset(
    """bedrock-runtime dynamodb events glue s3 s3vectors scheduler secretsmanager sqs stepfunctions sts""".split()
)
"""The services whose models botocore keeps: those of `AwsClients`, and STS for credentials. All have 27 MB."""

_MODELS: Final = (Path("botocore", "data"), Path("boto3", "data"))


def strip(folder: Path) -> None:
    """Delete tests, documentation, type stubs, C sources, pip's records, and models of AWS services not used."""
    for models in (folder / one for one in _MODELS):
        for service in [path for path in models.glob("*") if path.is_dir() and path.name not in AWS_SERVICES]:
            shutil.rmtree(service)
    imported = [folder / "botocore" / "docs", folder / "boto3" / "docs"]  # clients import them
    for path in sorted(folder.rglob("*"), reverse=True):
        if path.is_dir():
            if (path.name in _USELESS_FOLDERS or path.name.endswith("-stubs")) and path not in imported:
                shutil.rmtree(path)
        elif _useless(path):
            path.unlink()


def _useless(file: Path) -> bool:
    if file.parent.name.endswith(".dist-info"):
        return file.name in _RECORDS
    return file.suffix in _USELESS_SUFFIXES or file.name == "py.typed"


def tree_size(folder: Path) -> int:
    """Return the total bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def tree_hash(folder: Path) -> str:
    """Return a hash of the names and bytes of all files in a folder, except byte code."""
    digest = hashlib.sha256()
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts)
    for path in files:
        digest.update(f"{path.relative_to(folder)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
