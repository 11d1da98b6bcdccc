"""Debian's documentation packages as real sites to crawl: `python -m tests.support.docs_sites install`."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class DocsSite:
    """One package and the folder of its pages."""

    package: str
    folder: Path
    root: str = "/"

    @property
    def there(self) -> bool:
        """Return whether it is installed."""
        return (self.folder / "index.html").is_file()


SITES = (
    DocsSite(package="python3.11-doc", folder=Path("/usr/share/doc/python3.11/html")),
    DocsSite(package="git-doc", folder=Path("/usr/share/doc/git-doc")),
    DocsSite(package="python-django-doc", folder=Path("/usr/share/doc/python-django-doc/html")),
)
MANUALS = (
    *SITES,
    DocsSite(package="postgresql-doc-15", folder=Path("/usr/share/doc/postgresql-doc-15/html")),
)
"""The sites, and a manual that only the tests of passages and questions use."""


def install() -> bool:
    """Install missing packages; report failures. Return whether all are installed."""
    missing = [site.package for site in MANUALS if not site.there]
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        print(f"installing {', '.join(missing)} ...", file=sys.stderr)
        subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)  # type: ignore[call-overload]
        for package in missing:
            command = ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package]
            subprocess.run(command, check=False, env=environment, **quiet)  # type: ignore[call-overload]
    missing = [site.package for site in MANUALS if not site.there]
    if missing:
        print(f"SKIPPED in tests and benchmarks, not installed: {', '.join(missing)}", file=sys.stderr)
    return not missing


if __name__ == "__main__":
    if sys.argv[1:] != ["install"]:
        sys.exit(__doc__)
    complete = install()
    sys.exit(1 if os.environ.get("CI") and not complete else 0)
