"""Crawls that a Fargate task finishes. The emulator starts no containers, so the test runs the task's command."""

import gzip
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from msgspec.msgpack import decode, encode
from msgspec.structs import replace
from tests.e2e.cloud.conftest import CONTEXT
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import deploy_to_emulator
from tests.support.emulator import CREDENTIALS, interpreter, started_emulator
from tests.support.patience import HANG, eventually
from tests.support.plain_site import plain_site
from tests.support.synthesis import synthesized

from wavecrawl.application.crawl_state import Snapshot
from wavecrawl.demo.server import SiteServer

CLUSTER = "wavecrawl"


@pytest.fixture(scope="module")
def service() -> Service:
    """A deployment in which the function finishes crawls of up to five pages."""
    assembly = synthesized(**CONTEXT, large_crawls="true", finish_pages="5")
    deployment = deploy_to_emulator(started_emulator().url, assembly.folder)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)


@pytest.fixture
def site() -> Iterator[str]:
    with SiteServer(plain_site(pages=20, body_bytes=1_500, links_per_page=18)) as server:
        yield server.url


@dataclass(frozen=True, slots=True)
class Plans:
    """The snapshots of a crawl in the bucket."""

    service: Service
    bucket: str
    site: str
    crawl: str

    def _key(self, wave: int) -> str:
        return f"tenants/default/sites/{self.site}/crawls/{self.crawl}/frontier/{wave:06d}.msgpack"

    def read(self, wave: int) -> Snapshot:
        """Return the snapshot of a wave."""
        s3 = self.service.deployment.client("s3")
        stored = s3.get_object(Bucket=self.bucket, Key=self._key(wave))["Body"].read()
        return decode(gzip.decompress(stored), type=Snapshot)

    def delete(self, wave: int) -> None:
        """Delete the snapshot of a wave."""
        self.service.deployment.client("s3").delete_object(Bucket=self.bucket, Key=self._key(wave))


def tasks(service: Service) -> list[dict[str, Any]]:
    ecs = service.deployment.client("ecs")
    arns = ecs.list_tasks(cluster=CLUSTER)["taskArns"]
    return ecs.describe_tasks(cluster=CLUSTER, tasks=arns)["tasks"] if arns else []


def run(service: Service, task: dict[str, Any], folder: Path, **other: str) -> dict[str, str]:
    """Run the command of a task's container as a process, with its environment, which is returned.

    `other`: variables that replace those of the task.
    """
    ecs = service.deployment.client("ecs")
    definition = ecs.describe_task_definition(taskDefinition=task["taskDefinitionArn"])["taskDefinition"]
    (container,) = definition["containerDefinitions"]
    (override,) = task["overrides"]["containerOverrides"]
    assert override["name"] == container["name"]
    given = {one["name"]: one["value"] for one in (*container["environment"], *override["environment"])} | other
    python, *arguments = container["entryPoint"]
    assert python == "python3"
    done = subprocess.run(
        [interpreter(), *arguments],
        env={
            "PATH": os.environ["PATH"],
            "AWS_ENDPOINT_URL": service.deployment.endpoint,
            "WAVECRAWL_CODE_FOLDER": str(folder),
            **CREDENTIALS,
            **given,
        },
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return given


def test_a_task_finishes_what_is_too_large_for_the_function(service: Service, site: str, tmp_path: Path) -> None:
    crawl = service.start(site, {"max_pages": 20})
    assert eventually(lambda: tasks(service))
    (task,) = tasks(service)
    assert service.api("GET", f"/v1/crawls/{crawl}")["status"] == "running"
    assert (task["cpu"], task["memory"]) == ("4096", "16384")
    environment = run(service, task, tmp_path)
    service.deployment.client("ecs").stop_task(cluster=CLUSTER, task=task["taskArn"])
    ended = service.wait_for(crawl)
    assert ended["status"] == "completed"
    folder = service.download(crawl, tmp_path / "exports")
    assert {"report.html", "pages.parquet", "summary.json"} <= {path.name for path in folder.iterdir()}

    # Another program of the task plans waves. It repeats a plan of the function, byte for byte.
    plans = Plans(service, environment["WAVECRAWL_BUCKET"], ended["site"], crawl)
    first = plans.read(2)
    plans.delete(2)
    wave = {"crawl": json.loads(environment["WAVECRAWL_TASK"])["crawl"], "phase": "bfs", "wave": 2, "memory": 16_384}
    code = tmp_path / "code"
    code.mkdir()
    run(service, task, code, WAVECRAWL_PROGRAM="plan_large_wave", WAVECRAWL_TASK=json.dumps(wave))
    second = plans.read(2)
    assert first.batches
    assert encode(replace(second, planned_at=first.planned_at)) == encode(first)
