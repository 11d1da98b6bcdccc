"""What the infrastructure's tests share: one synthesis and one scripted state machine for the session."""

from collections.abc import Iterator

import pytest
from tests.infra.mocked_errors import MOCKS
from tests.support.scripted_machine import ScriptedMachine
from tests.support.synthesis import Assembly, synthesized


@pytest.fixture(scope="session")
def assembly() -> Assembly:
    """The cloud assembly of the deployment as cdk.json describes it, with layers for this machine."""
    return synthesized()


@pytest.fixture(scope="session")
def machine() -> Iterator[ScriptedMachine]:
    scripted = ScriptedMachine(MOCKS)
    yield scripted
    scripted.close()
