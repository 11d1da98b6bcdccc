"""WACZ packages of a few responses, written record by record, and the engine that replays them."""

import json
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec import Struct

from wavecrawl.adapters.replay.engine import ReplayEngine, find_engine
from wavecrawl.adapters.wacz.warc_index import index_lines
from wavecrawl.adapters.warc import conversion_record, exchange_records, screenshot_record
from wavecrawl.domain.fetching.exchange import Exchange
from wavecrawl.domain.rendering.conversion import Conversion
from wavecrawl.errors import ReplayMissingError

AT = 1_764_374_400.0
TIME = "20251129000000"
"""`AT` as 14 digits."""


class Archived(Struct, frozen=True, kw_only=True):
    """A response of a package."""

    url: str
    body: bytes
    kind: str = "text/html; charset=utf-8"
    headers: tuple[tuple[str, str], ...] = ()
    is_page: bool = False
    screenshot: bytes = b""
    rendered: str = ""  # the HTML of the rendered page


def write_wacz(path: Path, responses: Sequence[Archived], *, is_whole: bool = False) -> Path:
    """Write a package. `is_whole`: whether the screenshots show whole pages."""
    records, pages = [], []
    for one in responses:
        records.append(exchange_records(_exchange(one)).data)
        if one.screenshot:
            records.append(screenshot_record(one.url, one.screenshot, made_at=AT, is_whole=is_whole))
        if one.rendered:
            html = one.rendered.encode()
            records.append(conversion_record(Conversion(url=one.url, html=html, refers_to="", made_at=AT)))
        if one.is_page:
            pages.append({"id": one.url, "url": one.url, "title": "", "ts": "2025-11-29T00:00:00Z"})
    warc = b"".join(records)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("archive/data.warc.gz", warc)
        package.writestr("indexes/index.cdx", "".join(sorted(index_lines([warc], filename="data.warc.gz"))))
        lines = [{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"}, *pages]
        package.writestr("pages/pages.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
        names = [(info.filename, info.file_size) for info in package.infolist()]
        resources = [{"name": Path(name).name, "path": name, "hash": "", "bytes": size} for name, size in names]
        described = {"profile": "data-package", "wacz_version": "1.1.1", "resources": resources}
        package.writestr("datapackage.json", json.dumps(described))
    return path


def _exchange(one: Archived) -> Exchange:
    return Exchange(
        url=one.url,
        method="GET",
        request_headers=(),
        status=200,
        reason="OK",
        headers=(("Content-Type", one.kind), *one.headers),
        raw_body=one.body,
        started_at=AT,
    )


def installed_engine() -> ReplayEngine:
    """Return the engine in build/ or of the variable. Without it, skip the test, or fail it in CI."""
    try:
        return find_engine()
    except ReplayMissingError as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
