"""One deployment for all tests here: the real template, deployed by the CDK's own command line."""

import pytest
from tests.support.cloud import API_KEY, SECRET, Service
from tests.support.deploy import deploy_with_cdk
from tests.support.emulator import running_emulator
from tests.support.synthesis import native_layers


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Service:
    """Deploy the stack to the emulator."""
    native_layers()  # not twice, if another worker is at it
    deployment = deploy_with_cdk(
        running_emulator().url,
        tmp_path_factory.mktemp("cdk.out"),
        allowed_addresses="127.0.0.0/8",
        contact="https://crawler.example/about",
        fetch_timeout="60",
        wave_timeout="900",
        requests_a_minute="1000000",
    )
    deployment.set_keys(api_keys=[API_KEY], webhook_secrets=[SECRET])
    return Service(deployment=deployment)
