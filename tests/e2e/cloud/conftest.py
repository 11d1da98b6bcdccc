"""The deployed service: the real template on an emulator."""

from pathlib import Path

import pytest
from tests.support.campaign import EMULATOR
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import Deployment, deploy_to_emulator, deploy_with_cdk
from tests.support.emulator import running_emulator, started_emulator
from tests.support.synthesis import native_layers, synthesized

collect_ignore = [] if EMULATOR else [one.name for one in Path(__file__).parent.glob("test_*.py")]

CONTEXT = {
    "allowed_addresses": "127.0.0.0/8",
    "contact": "https://crawler.example/about",
    "fetch_timeout": "65",
    "wave_timeout": "900",
    "requests_a_minute": "1000000",
    "wrong_keys_a_minute": "1000000",  # all tests have the same address
    "render": "false",  # needs Chromium on this machine
}


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """The stack, deployed by the CDK command line, and shared by all tests that do not change it. It renders pages."""
    native_layers()  # shared with the other workers, which may be building them now
    context, folder = CONTEXT | {"render": "true"}, tmp_path_factory.mktemp("cdk.out")
    return _with_keys(deploy_with_cdk(running_emulator().url, folder, **context))


@pytest.fixture(scope="module")
def own_service() -> Service:
    """A stack on its own emulator, for tests that change its functions and queues."""
    return _with_keys(deploy_to_emulator(started_emulator().url, synthesized(**CONTEXT).folder))


def _with_keys(deployment: Deployment) -> Service:
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)
