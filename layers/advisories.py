"""Known vulnerabilities of the pinned packages, from a file: `python -m layers.advisories FILE [constraints]`.

The file has advisories in the format of https://ossf.github.io/osv-schema/: one as JSON, or a ZIP archive of such
files, as https://osv.dev publishes for PyPI. `make audit` uses it on machines that cannot reach an advisory service.
"""

import json
import re
import sys
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.version import InvalidVersion, Version

from layers.build import CONSTRAINTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A vulnerability of a pinned package."""

    advisory: str  # its ID
    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name} {self.version}: {self.advisory}"


def findings(advisories: Iterator[Mapping[str, Any]], pins: Mapping[str, str]) -> Iterator[Finding]:
    """Yield the advisories that affect a pinned version. `pins` maps normalized names to versions."""
    for advisory in advisories:
        if advisory.get("withdrawn"):
            continue
        for affected in advisory.get("affected", ()):
            package = affected.get("package", {})
            name = _normal(package.get("name", ""))
            if package.get("ecosystem") == "PyPI" and name in pins and _affects(affected, pins[name]):
                yield Finding(advisory=advisory["id"], name=name, version=pins[name])


def pins_of(constraints: str) -> dict[str, str]:
    """Return the version of each package in the text of constraints.txt."""
    return {_normal(name): version for name, version in re.findall(r"^([\w.-]+)==(\S+)", constraints, re.MULTILINE)}


def read(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the advisories of a file."""
    if not zipfile.is_zipfile(path):
        yield json.loads(path.read_bytes())
        return
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            yield json.loads(archive.read(name))


def _affects(affected: Mapping[str, Any], version: str) -> bool:
    ranges = [one for one in affected.get("ranges", ()) if one.get("type") == "ECOSYSTEM"]
    return version in affected.get("versions", ()) or any(_within(one["events"], Version(version)) for one in ranges)


def _within(events: list[dict[str, str]], version: Version) -> bool:
    """Return whether the version is in a range: its last event before the version decides.

    Of events with a version that cannot be compared, the range begins with the first release, and does not end.
    """
    inside = False
    for at, kind in sorted((at, kind) for event in events for kind, text in event.items() if (at := _at(kind, text))):
        if kind == "last_affected":
            inside = inside and version <= at
        elif version >= at:
            inside = kind == "introduced"
    return inside


def _at(kind: str, text: str) -> Version | None:
    try:
        return Version(text)
    except InvalidVersion:
        return Version("0") if kind == "introduced" else None


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def main(arguments: list[str]) -> int:
    """Print the findings; return 1 if there are any."""
    constraints = Path(arguments[1]) if arguments[1:] else CONSTRAINTS
    found = sorted({str(one) for one in findings(read(Path(arguments[0])), pins_of(constraints.read_text()))})
    print("\n".join(found) or "no known vulnerabilities")  # noqa: T201
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
