"""Updates of the stack while a crawl runs: the crawl ends as if undisturbed. Then the stack is destroyed.

The emulator starts no Fargate task; tests/infra/test_finish_task.py tests what a running crawl holds of it.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.cloud.conftest import CONTEXT
from tests.e2e.cloud.test_same_crawl import CONTACT
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.comparing import fingerprint
from tests.support.crawling import crawl_inline, on_loopback
from tests.support.deploy import deploy_to_emulator, destroy_on_emulator
from tests.support.emulator import started_emulator
from tests.support.patience import eventually
from tests.support.paused_site import PausedSite
from tests.support.plain_site import plain_site
from tests.support.synthesis import synthesized

SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
    "render": {"mode": "never"},
}
LEASE = "10"
"""Seconds. The emulator ends the workers of a function that is updated, and AWS does not. Their batches are run again
when their leases end."""

FIRST_WAVE, LATER = 12, 20
"""Requests before the first update, and between it and the second one: each is in another wave."""


@pytest.fixture
def service() -> Service:
    deployment = deploy_to_emulator(started_emulator().url, synthesized(**CONTEXT).folder)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    deployment.set_environment("webhook", {"WAVECRAWL_LEASE": LEASE})
    return Service(deployment=deployment)


@pytest.fixture
def server() -> Iterator[PausedSite]:
    with PausedSite(plain_site(pages=60, body_bytes=1_500, links_per_page=18)) as running:
        yield running


def release(folder: Path, number: int, **settings: str) -> Path:
    """Return the assembly of another release: the code of each function, a layer and settings differ."""
    shutil.copytree(synthesized(**(CONTEXT | settings)).folder, folder)
    template = folder / "wavecrawl.template.json"
    text = template.read_text(encoding="utf-8")
    assets = json.loads((folder / "wavecrawl.assets.json").read_text(encoding="utf-8"))
    for id_, asset in assets["files"].items():
        source = folder / asset["source"]["path"]
        if (handler := source / "handler.py").is_file():
            with handler.open("a", encoding="utf-8") as file:
                file.write(f"\n# release {number}\n")
            key = f"release-{number}-{id_}.zip"
            text = text.replace(next(iter(asset["destinations"].values()))["objectKey"], key)
            for destination in asset["destinations"].values():
                destination["objectKey"] = key
    template.write_text(text, encoding="utf-8")
    (folder / "wavecrawl.assets.json").write_text(json.dumps(assets), encoding="utf-8")
    return folder


def update(service: Service, assembly: Path) -> None:
    deploy_to_emulator(service.deployment.endpoint, assembly, existing=True)


def definition(service: Service) -> dict[str, Any]:
    states = service.deployment.client("stepfunctions")
    machine = states.describe_state_machine(stateMachineArn=service.deployment.outputs["StateMachineArn"])
    found: dict[str, Any] = json.loads(machine["definition"])
    return found


def test_a_crawl_during_two_updates_ends_as_if_undisturbed(
    service: Service, server: PausedSite, tmp_path: Path
) -> None:
    undisturbed = crawl_inline(server.url, tmp_path / "undisturbed", on_loopback(SETTINGS, contact=CONTACT))
    before = fingerprint(undisturbed.exports, server.origin)
    first = release(tmp_path / "first", 1, wave_timeout="1000", fetch_memory="600", log_level="WARNING")
    second = release(tmp_path / "second", 2, wave_timeout="1100", max_resumes="9", log_level="INFO")

    server.forget()
    server.pause_at(FIRST_WAVE)
    crawl = service.start(server.url, SETTINGS)
    assert eventually(lambda: server.is_paused)
    update(service, first)
    assert definition(service)["States"]["BfsWave"]["TimeoutSeconds"] == 1_000
    server.go_on()
    server.pause_at(LATER)
    assert eventually(lambda: server.is_paused)
    update(service, second)
    assert definition(service)["States"]["BfsWave"]["TimeoutSeconds"] == 1_100
    server.go_on()

    shown = service.wait_for(crawl)
    assert (shown["status"], shown["error"]) == ("completed", None)
    after = fingerprint(service.download(crawl, tmp_path / "exports"), server.origin)
    assert before.keys() == after.keys()
    for name, content in before.items():
        assert after[name] == content, f"{name} differs"
    destroy_on_emulator(service.deployment.endpoint)
