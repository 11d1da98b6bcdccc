"""Replay pages of WACZ packages with pywb, and verify the records with FastWARC.

It is run by `.venv-wacz/bin/python`. Arguments: the packages, all in one collection, as earlier and later crawls of a
site are. Input: a JSON list of [URL, time as 14 digits]. Output, as JSON: `replayed`, a list of [URL, time, status,
SHA-256 of the body as it was sent]; `verified`, the number of records by type; `broken`, the ids of records with a
wrong or missing digest.
"""

import contextlib
import gzip
import hashlib
import io
import json
import os
import sys
import tempfile
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any


def unpack(packages: list[str], root: Path) -> None:
    """Make a collection of pywb."""
    archive, indexes = root / "collections" / "all" / "archive", root / "collections" / "all" / "indexes"
    archive.mkdir(parents=True)
    indexes.mkdir()
    lines: list[str] = []
    for number, package in enumerate(packages):
        with zipfile.ZipFile(package) as opened:
            for name in opened.namelist():
                if name.startswith("archive/"):
                    (archive / f"{number}-{Path(name).name}").write_bytes(opened.read(name))
            index = gzip.decompress(opened.read("indexes/index.cdx.gz")).decode()
            lines += index.replace('"filename": "', f'"filename": "{number}-').splitlines()
    (indexes / "index.cdxj").write_text("\n".join(sorted(lines)) + "\n")


def replayed(root: Path, pages: list[tuple[str, str]]) -> list[tuple[str, str, int, str]]:
    """Return what pywb shows for each page."""
    os.chdir(root)
    from pywb.apps.frontendapp import FrontEndApp  # noqa: PLC0415 - tests import this module without pywb
    from werkzeug.test import Client  # noqa: PLC0415 - the same

    client = Client(FrontEndApp(custom_config={"collections_root": "collections"}))
    found = []
    for url, time in pages:
        response = client.get(f"/all/{time}id_/{url}", headers={"Accept-Encoding": "gzip, deflate, br"})
        found.append((url, time, response.status_code, hashlib.sha256(response.get_data()).hexdigest()))
    return found


def verified(root: Path) -> tuple[Counter[str], list[str]]:
    """Return the number of records by type, and the ids of those with a wrong or missing digest.

    The payload of a revisit record is in another record, so only its block is verified.
    """
    from fastwarc.warc import ArchiveIterator, WarcRecordType  # noqa: PLC0415 - the same

    types: Counter[str] = Counter()
    broken: list[str] = []
    for path in sorted((root / "collections" / "all" / "archive").iterdir()):
        for record in ArchiveIterator(io.BytesIO(path.read_bytes()), parse_http=False):
            types[record.headers["WARC-Type"]] += 1
            right = record.verify_block_digest(consume=False)
            if right and record.record_type == WarcRecordType.response:
                record.parse_http()
                right = record.verify_payload_digest()
            if not right:
                broken.append(record.record_id)
    return types, broken


def main() -> None:
    """Print the result."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):  # pywb's log goes there
        root = Path(folder)
        unpack(sys.argv[1:], root)
        types, broken = verified(root)
        result: dict[str, Any] = {"replayed": replayed(root, json.load(sys.stdin)), "verified": types, "broken": broken}
        os.chdir("/")
    print(json.dumps(result))
    sys.stdout.flush()
    os._exit(0)  # the server of pywb runs in a greenlet


if __name__ == "__main__":
    main()
