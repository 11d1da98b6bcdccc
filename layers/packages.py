"""The packages in the layers with their licenses: `python -m layers.packages` lists them.

Exits with code 1 if a license is not allowed.
"""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import PackageMetadata, distributions
from pathlib import Path
from typing import Final

from layers.build import build_layers

ALLOWED: Final = frozenset(
    {
        *("Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "MIT", "MIT-0", "MIT-CMU", "MPL-2.0", "PSF-2.0"),
        *(
            "Apache License 2.0",
            "Apache Software License",
            "BSD License",
            "MIT License",
        ),  # classifiers of packages without an expression
    }
)
"""Licenses that permit use in a service without conditions for the service's own code."""

_VAGUE: Final = "Dual License"  # of python-dateutil, whose classifiers name both


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """A package in at least one layer."""

    name: str  # normalized (PEP 503)
    version: str
    license: str  # SPDX expression, or the name of a classifier; "" = unknown


def packages(folders: Iterable[Path]) -> list[Package]:
    """Return the packages that are installed in the folders, by name."""
    found = {
        _normal(one.metadata["Name"]): Package(
            name=_normal(one.metadata["Name"]), version=one.version, license=license_of(one.metadata)
        )
        for folder in folders
        for one in distributions(path=[str(folder)])
    }
    return [found[name] for name in sorted(found)]


def license_of(metadata: PackageMetadata) -> str:
    """Return the license that a package's metadata names, the most exact field first (PEP 639)."""
    named = [
        text.rpartition(" :: ")[2] for text in metadata.get_all("Classifier") or () if text.startswith("License ::")
    ]
    fields = [*(metadata.get_all("License-Expression") or ()), *(metadata.get_all("License") or ())]
    for text in map(str, (*fields, *named)):
        if text and "\n" not in text and text != _VAGUE:
            return text
    return ""


def refused(found: Iterable[Package]) -> list[Package]:
    """Return the packages with a license that is not allowed. All parts of an expression must be."""
    return [one for one in found if not set(re.split(r" (?:AND|OR|WITH) ", one.license)) <= ALLOWED]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def layer_folders() -> list[Path]:
    """Return the folders with the packages of all layers for Lambda, built if necessary."""
    return [folder for layer in build_layers("lambda").values() if (folder := layer.folder / "python").is_dir()]


def main() -> int:
    """Print the packages and their licenses; return 1 if one is not allowed."""
    found = packages(layer_folders())
    print("\n".join(f"{one.name:<28}{one.version:<20}{one.license or 'unknown'}" for one in found))  # noqa: T201
    bad = refused(found)
    if bad:
        names = ", ".join(f"{one.name} ({one.license or 'unknown'})" for one in bad)
        print(f"license not allowed: {names}; use another package, or allow it in layers/packages.py", file=sys.stderr)  # noqa: T201
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
