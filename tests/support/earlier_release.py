"""What a release leaves behind: two data folders, and the rows and objects of a deployment.

In a checkout of the release: `python -m tests.support.earlier_release tests/data/releases/NAME`. The repository keeps
the files, so that tests show that later releases read them.
"""

import base64
import io
import json
import lzma
import os
import sys
import tarfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from msgspec.structs import replace
from tests.support.session import locked

from wavecrawl.demo.model import Page, Robots, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer

PORT = 18_473
"""The site's port is a part of its identity, so tests serve it at the same one."""

SETTINGS: Mapping[str, Any] = {
    "retry_base": 0.0,
    "render": {"mode": "never"},
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 1},
}
OTHER_TENANT = "acme"
REQUESTS = 6
"""The request at which the interrupted crawl is killed."""

_NAMES = ("docs/", "docs/start", "docs/start/first", "docs/reference", "blog", "blog/news/", "about", "prices")


def site(version: int) -> Site:
    """Return the site as the first or second crawl finds it (`version` 0 or 1)."""
    paths = ["/", *(f"/{name}" for name in _NAMES)]
    pages = {path: replace(page(path, *(one for one in paths if one != path)), etag=f'"{path}"') for path in paths}
    pages["/private/page"] = page("/private/page", "/")
    pages["/"] = page("/", *paths[1:], "/private/page", "/missing")
    pages["/orphan"] = page("/orphan", "/")
    if version:
        pages["/about"] = page("/about", "/", sentences=9)
        pages["/prices"] = Page(path="/prices", status=404)
        pages["/docs/new"] = page("/docs/new", "/")
        pages["/docs/"] = page("/docs/", *paths[1:], "/docs/new")
    listed = tuple(SitemapEntry(to=path) for path in ("/", "/docs/", "/orphan"))
    return Site(
        pages=tuple(pages.values()),
        robots=Robots(disallow=("/private/",)),
        sitemaps=(SitemapFile(path="/sitemap.xml", entries=listed, in_robots=True),),
        name="Earlier",
    )


def unpack(archive: Path, folder: Path) -> Path:
    """Unpack a data folder that `main` has written. Return the folder."""
    with tarfile.open(archive) as file:
        file.extractall(folder, filter="data")
    return folder


@contextmanager
def site_server(version: int) -> Iterator[SiteServer]:
    """Serve a version of the site at its port. Other processes wait until it is free."""
    with locked("earlier-release", on_machine=True), SiteServer(site(version), port=PORT) as server:
        yield server


def stored(item: object) -> Any:
    """Return the JSON value for a part of a DynamoDB item: bytes are a mapping with the key `base64`."""
    if isinstance(item, bytes):
        return {"base64": base64.b64encode(item).decode()}
    if isinstance(item, dict):
        return {name: stored(value) for name, value in item.items()}
    return [stored(value) for value in item] if isinstance(item, list) else item


def restored(item: Any) -> Any:
    """Return what `stored` was called with."""
    if isinstance(item, dict):
        if item.keys() == {"base64"}:
            return base64.b64decode(item["base64"])
        return {name: restored(value) for name, value in item.items()}
    return [restored(value) for value in item] if isinstance(item, list) else item


def main(folder: Path) -> None:
    """Write the files of this release."""
    os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", "wavecrawl")  # before the functions are imported
    folder.mkdir(parents=True)
    with TemporaryDirectory() as scratch:
        _serve_and_crawl(Path(scratch, "data"))
        _pack(Path(scratch, "data"), folder / "data.tar.xz")
        _interrupt(Path(scratch, "interrupted"))
        _pack(Path(scratch, "interrupted"), folder / "interrupted.tar.xz")
    with lzma.open(folder / "deployment.json.xz", "wt", encoding="utf-8") as file:
        json.dump(_deployment(), file)


def _serve_and_crawl(data: Path) -> None:
    """Crawl both versions by the API of `wavecrawl serve`."""
    from tests.support.serving import served  # noqa: PLC0415 - not needed to read the files

    with served(data) as service:
        with site_server(0) as server:
            body = {"url": server.url, "settings": SETTINGS, "schedule": {"frequency": "weekly"}}
            saved = service.ask("POST", "/v1/sites", body)
            assert saved.status_code == 201, saved.text
            name = saved.json()["site"]
            first = service.ask("POST", f"/v1/sites/{name}/crawls")
            assert service.wait_for(first.json()["crawl"])["status"] == "completed"
        hook = {"url": "http://127.0.0.1:9/hook", "events": ["crawl.completed"]}
        made = service.ask("POST", "/v1/webhooks", hook)
        assert made.ok, made.text
        tenant = service.ask("POST", "/v1/admin/tenants", {"tenant": OTHER_TENANT})
        assert tenant.ok, tenant.text
        key = service.ask("POST", f"/v1/admin/tenants/{OTHER_TENANT}/keys", {"name": "first"})
        assert key.ok, key.text
        with site_server(1):
            second = service.ask("POST", f"/v1/sites/{name}/crawls")
            assert service.wait_for(second.json()["crawl"])["status"] == "completed"


def _interrupt(data: Path) -> None:
    from tests.support.killed_crawls import kill_at  # noqa: PLC0415 - not needed to read the files
    from tests.support.paused_site import PausedSite  # noqa: PLC0415

    options = ["--render", "never", "--in-flight", "1", "--workers", "1", "--no-adapt"]
    with PausedSite(site(0), port=PORT) as server:
        kill_at(server, REQUESTS, "crawl", server.url, "--data", str(data), *options)


def _deployment() -> dict[str, Any]:
    """Crawl both versions by the functions, over moto. Return the rows and the objects."""
    from moto import mock_aws  # noqa: PLC0415 - not needed to read the files
    from tests.contract.stores import moto_clients  # noqa: PLC0415
    from tests.support.asking import ask  # noqa: PLC0415
    from tests.support.emulator import CREDENTIALS  # noqa: PLC0415
    from tests.support.functions import deployment, environment_of  # noqa: PLC0415
    from tests.support.serverless import Serverless  # noqa: PLC0415

    with mock_aws(), environment_of(CREDENTIALS), deployment(moto_clients()) as stack:
        api = stack.load("api").handler
        for version in (0, 1):
            with site_server(version) as server:
                if not version:
                    saved = ask(api, "POST", "/v1/sites", {"url": server.url, "settings": SETTINGS}).body["site"]
                started = ask(api, "POST", f"/v1/sites/{saved}/crawls").body["crawl"]
                crawl = {"tenant": "default", "site": saved, "crawl": started}
                assert Serverless(stack).run(crawl)["status"] == "completed"
        rows = stack.clients.dynamodb.scan(TableName=stack.table)["Items"]
        listed = stack.clients.s3.list_objects_v2(Bucket=stack.bucket)["Contents"]
        objects = {
            entry["Key"]: stack.clients.s3.get_object(Bucket=stack.bucket, Key=entry["Key"])["Body"].read()
            for entry in listed
        }
    return {"rows": stored(rows), "objects": stored(objects)}


def _pack(folder: Path, archive: Path) -> None:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as file:
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".lock", ".key") and not path.is_dir():
                file.add(path, arcname=str(path.relative_to(folder)), recursive=False)
    archive.write_bytes(lzma.compress(packed.getvalue(), preset=9))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
