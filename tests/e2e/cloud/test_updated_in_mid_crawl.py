"""A stack that is updated while it crawls, updated again and destroyed.

The first update is a new release: another layer with code, other variables, another definition of the state machine.
While Lambda updates a function, invocations still run the code of before
(https://docs.aws.amazon.com/lambda/latest/dg/functions-states.html). That it never ends a running one is not
documented, so a crawl must also complete if an update kills them.
"""

import gzip
import json
import re
import shutil
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.cloud.conftest import CONTEXT
from tests.e2e.cloud.test_deployed_twice import DATA, resources
from tests.e2e.cloud.test_same_crawl import CONTACT, assert_no_step_failed
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.comparing import TRIES, fingerprint, out_of_time
from tests.support.crawling import crawl_inline, on_loopback, with_changes
from tests.support.deploy import Deployment, client_of, deploy_to_emulator, destroy_on_emulator
from tests.support.emulator import started_emulator
from tests.support.patience import eventually
from tests.support.paused_site import PausedSite
from tests.support.plain_site import plain_site
from tests.support.synthesis import STAGED, synthesized

from wavecrawl.version import __version__

PAGES = 60
NEXT = "99.0.0"
IN_THE_SECOND_WAVE = 9  # requests: robots.txt, the root, pages that it links to
HELD = 4.0  # seconds for each response during the update: less than the client's timeout, so any update is short enough
LEASE = 30.0  # seconds, longer than a batch takes on a slow machine; then the message of a killed worker returns
HIDDEN = 60  # seconds; the message of a worker that was killed before it took the lease returns then
SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 1},
    "files_at_once": ["wacz"],
}
CHANGED = CONTEXT | {"log_level": "DEBUG", "max_waves_per_execution": "900"}


@pytest.fixture(name="site")
def a_slow_site() -> Iterator[PausedSite]:
    with PausedSite(plain_site(pages=PAGES, body_bytes=1_500, links_per_page=18), held=HELD) as server:
        yield server


def next_release(folder: Path) -> Path:
    """Return an assembly with other settings, and with a package that has another version."""
    assembly = synthesized(**CHANGED, **STAGED).folder
    (module,) = assembly.glob("asset.*/python/wavecrawl/version.py")
    old, new = (layer := module.parents[2]).name, f"asset.{'99' * 32}"
    folder.mkdir()
    for path in assembly.iterdir():
        if path.suffix == ".json":
            text = path.read_text(encoding="utf-8").replace(old.removeprefix("asset."), new.removeprefix("asset."))
            (folder / path.name).write_text(text, encoding="utf-8")
        elif path != layer:
            (folder / path.name).symlink_to(path)
    shutil.copytree(layer, folder / new, ignore=shutil.ignore_patterns("version.*.pyc"))
    changed = folder / new / module.relative_to(layer)
    changed.write_text(f'__version__ = "{NEXT}"\n', encoding="utf-8")
    return folder


def plain(found: dict[str, Any]) -> dict[str, str]:
    """Return the fingerprint of a crawl without the version that made its results."""
    return {name: str(content).replace(NEXT, __version__) for name, content in found.items()}


def requested_by(exports: Path) -> dict[str, set[str]]:
    """Return the paths that each version requested, by the User-Agent in the stored requests."""
    found: dict[str, set[str]] = {}
    with zipfile.ZipFile(exports / "crawl.wacz") as archive:
        warcs = [archive.read(name) for name in archive.namelist() if name.endswith(".warc.gz")]
    for warc in warcs:
        for path, version in re.findall(rb"GET (\S+) HTTP/1.1\r\n[^\0]*?wavecrawl/([\d.]+)", gzip.decompress(warc)):
            found.setdefault(version.decode(), set()).add(path.decode())
    return found


def deployed(endpoint: str) -> Service:
    """Return the stack before its update."""
    deployment = deploy_to_emulator(endpoint, synthesized(**CONTEXT).folder)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)


def updated_in_the_middle(
    service: Service, site: PausedSite, folder: Path, *, lease: float = 360.0, most_requests: int = 1
) -> str:
    """Crawl, and update the stack meanwhile. The results must be those of an undisturbed crawl. Return the crawl.

    `most_requests`: of the page that is requested most.
    """
    release = next_release(folder / "next")
    site.pause_at(IN_THE_SECOND_WAVE)
    crawl = service.start(site.url, SETTINGS)
    assert eventually(lambda: site.is_paused)
    deploy_to_emulator(service.deployment.endpoint, release, existing=True)
    site.go_on()
    shown = service.wait_for(crawl)
    assert (shown["status"], shown["error"]) == ("completed", None)
    assert_no_step_failed(service, crawl)

    exports = service.download(crawl, folder / crawl)
    versions = requested_by(exports)
    assert versions.keys() == {__version__, NEXT}, "the update was not in the middle of the crawl"
    assert "/" in versions[__version__]
    assert json.loads((exports / "summary.json").read_text(encoding="utf-8"))["version"] == NEXT

    settings = with_changes(on_loopback(SETTINGS, contact=CONTACT), {"waves.lease": lease})
    requests = Counter(one.path for one in site.log if one.method == "GET" and one.path.endswith((".html", "/")))
    assert len(requests) == PAGES
    assert max((requests - out_of_time(exports, site.origin)).values()) == most_requests
    ours = plain(fingerprint(crawl_inline(site.url, folder / "here", settings).exports, site.origin, without=TRIES))
    theirs = plain(fingerprint(exports, site.origin, without=TRIES))
    assert ours.keys() == theirs.keys()
    for name, content in ours.items():
        assert theirs[name] == content, f"{name} differs"
    return crawl


def test_a_crawl_ends_as_if_its_stack_had_not_been_updated(site: PausedSite, tmp_path: Path) -> None:
    """Then the stack returns to the earlier release, which reads what the later one stored, and is destroyed."""
    endpoint = started_emulator().url
    service = deployed(endpoint)
    crawl = updated_in_the_middle(service, site, tmp_path)
    shown = service.api("GET", f"/v1/crawls/{crawl}")["outcome"]

    deploy_to_emulator(endpoint, synthesized(**CONTEXT).folder, existing=True)
    assert service.api("GET", f"/v1/crawls/{crawl}")["outcome"] == shown
    again = service.wait_for(service.start(site.url, SETTINGS))["outcome"]
    assert {name: again[name] for name in ("pages", "new", "changed", "gone")} == {
        "pages": PAGES,
        "new": 0,
        "changed": 0,
        "gone": 0,
    }

    stored = content_of(service.deployment)
    destroy_on_emulator(endpoint)
    left = sorted(kind for kind, _ in resources(endpoint))
    assert [kind for kind in left if kind != "logs"] == DATA  # a function that is ending creates its log group again
    assert stored
    assert stored <= content_of(service.deployment)  # a function that is ending may add a row


def test_a_crawl_ends_if_an_update_kills_the_functions_that_run(site: PausedSite, tmp_path: Path) -> None:
    service = deployed(started_emulator(WAVECRAWL_TEST_UPDATES_KILL="1").url)
    deployment = service.deployment
    deployment.set_environment("webhook", {"WAVECRAWL_LEASE": f"{LEASE:g}"})
    queue = deployment.outputs["FetchQueueUrl"]
    deployment.client("sqs").set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": str(HIDDEN)})
    updated_in_the_middle(service, site, tmp_path, lease=LEASE, most_requests=2)


def content_of(deployment: Deployment) -> set[tuple[str, ...]]:
    """Return the keys of the rows in the table and of the objects in the bucket."""
    (table,), (bucket,) = deployment.named("AWS::DynamoDB::Table"), deployment.named("AWS::S3::Bucket")
    rows = client_of(deployment.endpoint, "dynamodb").get_paginator("scan").paginate(TableName=table)
    pages = client_of(deployment.endpoint, "s3").get_paginator("list_objects_v2").paginate(Bucket=bucket)
    keys = {(row["pk"]["S"], row["sk"]["S"]) for page in rows for row in page["Items"]}
    return keys | {(one["Key"],) for page in pages for one in page["Contents"]}
