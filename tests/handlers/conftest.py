import os
from collections.abc import Iterator

import pytest
from moto import mock_aws
from tests.support.emulator import CREDENTIALS
from tests.support.functions import Context, Deployment, deployment, environment_of

from wavecrawl.adapters.aws.clients import AwsClients

os.environ.setdefault("POWERTOOLS_METRICS_NAMESPACE", "wavecrawl")
os.environ.setdefault("POWERTOOLS_SERVICE_NAME", "tests")


@pytest.fixture
def stack() -> Iterator[Deployment]:
    """What the stack holds, over moto: for one thread at a time."""
    with mock_aws(), environment_of(CREDENTIALS):
        clients = AwsClients()
        with deployment(clients) as made:
            yield made
        clients.close()


@pytest.fixture
def context() -> Context:
    return Context()
