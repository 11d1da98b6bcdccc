"""The software bill of materials of the layers (CycloneDX 1.6, JSON): `python -m layers.sbom build/sbom.json`."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from cyclonedx.contrib.hash.factories import HashTypeFactory
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import HashType
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from layers.browser_files import PACKAGE as PACKAGE_OF_CHROMIUM
from layers.build import HASHES
from layers.hashes import with_hashes
from layers.packages import Package, layer_folders, packages

_CHROMIUM: Final = "MIT"  # of @sparticuz/chromium


def bill(found: Iterable[Package], *, hashes: str) -> str:
    """Return the bill of these packages, and of Chromium, as JSON. `hashes` is the content of hashes.txt."""
    bom = Bom()
    bom.metadata.component = root = Component(name="wavecrawl", type=ComponentType.APPLICATION)
    licenses = LicenseFactory()
    for one in found:
        component = Component(
            name=one.name,
            version=one.version,
            type=ComponentType.LIBRARY,
            purl=PackageURL(type="pypi", name=one.name, version=one.version),
            licenses=[licenses.make_from_string(one.license)] if one.license else (),
            hashes=_hashes(one, hashes),
        )
        bom.components.add(component)
    chromium = json.loads(PACKAGE_OF_CHROMIUM.read_text(encoding="utf-8"))
    scope, name = chromium["name"].split("/")
    url = PackageURL(type="npm", namespace=scope, name=name, version=chromium["version"])
    licensed = [licenses.make_from_string(_CHROMIUM)]
    bom.components.add(Component(name=name, group=scope, version=chromium["version"], purl=url, licenses=licensed))
    bom.register_dependency(root, bom.components)
    return JsonV1Dot6(bom).output_as_string(indent=2)


def _hashes(package: Package, text: str) -> list[HashType]:
    """Return the hashes of the files that pip may install."""
    (line,) = with_hashes([f"{package.name}=={package.version}"], text)
    make = HashTypeFactory().from_composite_str
    return [make(part.removeprefix("--hash=")) for part in line.split()[1:]]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(bill(packages(layer_folders()), hashes=HASHES.read_text(encoding="utf-8")))
