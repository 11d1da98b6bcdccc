"""Files from packages of npm, in pinned versions: `npm pack` fetches the archives."""

import base64
import hashlib
import shutil
import subprocess
import tarfile
from collections.abc import Mapping
from pathlib import Path


class PackageError(Exception):
    """A package cannot be fetched, or is another one than expected; the message says why."""


def archive_of(package: Mapping[str, str], cache: Path) -> Path:
    """Return the archive of a package in a folder; fetch it if it is not there. Raise PackageError.

    `package`: its name, version and integrity, which is that of `dist.integrity` of npm's registry.
    """
    algorithm, _, digest = package["integrity"].partition("-")
    archive = cache / f"{package['name'].lstrip('@').replace('/', '-')}-{package['version']}.tgz"
    if not archive.is_file():
        npm = shutil.which("npm")
        if npm is None:
            raise PackageError(f"npm is not installed; it fetches {package['name']}. Install Node.js 20 or later")
        cache.mkdir(parents=True, exist_ok=True)
        command = [npm, "pack", "--silent", "--pack-destination", str(cache), f"{package['name']}@{package['version']}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        if done.returncode:
            raise PackageError(f"npm could not fetch {package['name']} {package['version']}:\n{done.stderr[-2000:]}")
    found = base64.b64encode(hashlib.new(algorithm, archive.read_bytes()).digest()).decode()
    if found != digest:
        archive.unlink()
        raise PackageError(f"{archive.name} has the hash {algorithm}-{found}, not the pinned one; try again")
    return archive


def content_of(package: tarfile.TarFile, name: str) -> bytes:
    """Return a file of an archive. Raise PackageError if it is none."""
    member = package.extractfile(f"package/{name}")
    if member is None:
        raise PackageError(f"{name} in the npm package is not a file")
    return member.read()
