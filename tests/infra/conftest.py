"""Shared fixtures of the infrastructure tests: one synthesis and one scripted state machine per session."""

from collections.abc import Iterator

import pytest
from tests.infra.mocked_errors import MOCKS
from tests.support.scripted_machine import ScriptedMachine
from tests.support.synthesis import Assembly, synthesized


@pytest.fixture(scope="session")
def assembly() -> Assembly:
    """The cloud assembly of cdk.json's deployment, with layers for this machine."""
    return synthesized()


@pytest.fixture(scope="session")
def machine() -> Iterator[ScriptedMachine]:
    scripted = ScriptedMachine(MOCKS)
    yield scripted
    scripted.close()
