"""The commands in README.md and docs/usage.md work against the deployed service."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec import json as typed_json
from tests.e2e.cloud.conftest import CONTEXT
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import Deployment, deploy_to_emulator
from tests.support.emulator import CREDENTIALS, started_emulator
from tests.support.patience import HANG
from tests.support.plain_site import plain_site
from tests.support.synthesis import synthesized

from wavecrawl.adapters.aws.secrets import Secrets
from wavecrawl.demo.server import SiteServer

ROOT = Path(__file__).parents[3]

ROUTED = """
import socket
_found = socket.getaddrinfo
socket.getaddrinfo = lambda _, port, *more, **named: _found("127.0.0.1", port, *more, **named)
"""
"""Host names of the emulator's APIs do not resolve, but curl maps names below .localhost to loopback."""


@pytest.fixture(scope="module")
def new_deployment() -> Deployment:
    """A deployment without keys, on its own emulator."""
    return deploy_to_emulator(started_emulator().url, synthesized(**CONTEXT).folder)


@pytest.fixture
def site() -> Iterator[str]:
    with SiteServer(plain_site(pages=20, body_bytes=1_500, links_per_page=18)) as server:
        yield server.url


def snippets(page: str, heading: str, language: str) -> list[str]:
    section = (ROOT / page).read_text(encoding="utf-8").partition(f"# {heading}\n")[2]
    section = re.split(r"\n##+ ", section)[0]
    return re.findall(rf"```{language}\n(.*?)```", section, re.DOTALL)


def run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(
        command, cwd=folder, env=os.environ | environment, capture_output=True, text=True, timeout=HANG, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def shell(script: str, folder: Path, **environment: str) -> str:
    return run(["bash", "-euo", "pipefail", "-c", script], folder, **environment)


def environment(service: Service, site: str) -> dict[str, str]:
    api = service.deployment.outputs["ApiUrl"].replace("https://", "http://")
    assert urlsplit(api).hostname
    return {"API": api, "API_KEY": API_KEY, "WEBHOOK_SECRET": SECRET, "SITE": site, "no_proxy": "*"}


def test_the_readme_leads_from_a_new_deployment_to_a_crawl(
    new_deployment: Deployment, site: str, tmp_path: Path
) -> None:
    keys, doctor, start = snippets("README.md", "3. Add keys and start a crawl", "sh")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "sitecustomize.py").write_text(ROUTED, encoding="utf-8")
    account = CREDENTIALS | {
        "AWS_ENDPOINT_URL": new_deployment.endpoint,
        "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}",
        "SITE": site,
        "no_proxy": "*",
    }
    start = start.replace("export SITE=https://example.com/", 'echo "$API $API_KEY $WEBHOOK_SECRET"')
    *checks, shown, crawl = shell(keys + doctor + start, tmp_path, **account).splitlines()

    secret = new_deployment.client("secretsmanager").get_secret_value(SecretId=new_deployment.outputs["SecretArn"])
    read = typed_json.decode(secret["SecretString"], type=Secrets)
    assert shown.split() == [new_deployment.outputs["ApiUrl"], *read.api_keys, *read.webhook_secrets]
    assert checks
    # The deployment of this test has no alarm_email, and renders no pages.
    assert [line for line in checks if not line.startswith(("ok ", "missing alarms (optional)"))] == []
    service = Service(deployment=new_deployment, key=read.api_keys[0])
    assert service.wait_for(json.loads(crawl)["crawl"])["counters"]["fetched"] == 20


def test_the_documented_webhook_in_curl_starts_a_crawl(service: Service, site: str, tmp_path: Path) -> None:
    (snippet,) = snippets("docs/usage.md", "Webhook", "sh")
    answer = json.loads(shell(snippet, tmp_path, **environment(service, site)))
    assert service.wait_for(answer["crawl"])["counters"]["fetched"] == 20


def test_the_documented_webhook_in_python_starts_a_crawl(service: Service, site: str, tmp_path: Path) -> None:
    (snippet,) = snippets("docs/usage.md", "Webhook", "python")
    status, _, answer = run([sys.executable, "-c", ROUTED + snippet], tmp_path, **environment(service, site)).partition(
        " "
    )
    assert status == "202"
    assert service.wait_for(json.loads(answer)["crawl"])["counters"]["fetched"] == 20


def test_the_documented_api_calls_start_list_cancel_and_download(service: Service, site: str, tmp_path: Path) -> None:
    variables = environment(service, site)
    *_, start = snippets("README.md", "3. Add keys and start a crawl", "sh")
    follow, download = snippets("docs/usage.md", "In AWS", "sh")

    shown = json.loads(shell(start.replace("export SITE=https://example.com/", ""), tmp_path, **variables))
    assert (shown["url"], shown["status"]) == (site, "running")

    listed, _, cancelled = shell(follow, tmp_path, crawl=shown["crawl"], **variables).partition("}{")
    assert json.loads(listed + "}")["crawls"][0]["crawl"] == shown["crawl"]
    assert json.loads("{" + cancelled)["cancel_asked"] is True
    assert service.wait_for(shown["crawl"])["status"] in ("cancelled", "completed")

    shell(download, tmp_path, crawl=shown["crawl"], **variables)
    summary = json.loads((tmp_path / "results" / "summary.json").read_text(encoding="utf-8"))
    assert summary["crawl"] == shown["crawl"]
    assert (tmp_path / "results" / "report.html").read_text(encoding="utf-8").lower().startswith("<!doctype html>")
