"""One deployment for all tests here: the real template, deployed by the CDK's own command line."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import ACCOUNT, REGION, deployed_stack
from tests.support.emulator import CREDENTIALS, running_emulator

ROOT = Path(__file__).parents[2]
CDK = ROOT / "infra" / "node_modules" / ".bin" / "cdk"
CONTEXT = {
    "layer_target": "native",
    "allowed_addresses": "127.0.0.0/8",
    "contact": "https://crawler.example/about",
    "fetch_timeout": "30",
    "wave_timeout": "900",
}


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Deploy the stack to the emulator."""
    assembly = tmp_path_factory.mktemp("cdk.out")
    endpoint = running_emulator().url
    _cdk(endpoint, "bootstrap", f"aws://{ACCOUNT}/{REGION}", "--output", str(assembly))
    _cdk(endpoint, "deploy", "--require-approval", "never", "--output", str(assembly))
    template = json.loads((assembly / "wavecrawl.template.json").read_text(encoding="utf-8"))
    deployment = deployed_stack(endpoint, template)
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)


def _cdk(endpoint: str, *command: str) -> None:
    context = [part for name, value in CONTEXT.items() for part in ("--context", f"{name}={value}")]
    environment = (
        os.environ
        | CREDENTIALS
        | {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_REGION": REGION,
            "PATH": f"{ROOT / '.venv' / 'bin'}:{os.environ['PATH']}",
        }
    )
    done = subprocess.run(
        [CDK, *command, *context], cwd=ROOT / "infra", env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.fail(f"cdk {command[0]} failed:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")
