"""Shared fixtures of the infrastructure tests: one synthesis and one scripted state machine per session."""

from collections.abc import Iterator

import pytest
from tests.infra.mocked_errors import MOCKS
from tests.infra.reading import CERTIFICATE, DOMAIN, PINNED
from tests.support.scripted_machine import ScriptedMachine
from tests.support.synthesis import Assembly, synthesized


@pytest.fixture(scope="session")
def assembly() -> Assembly:
    """The cloud assembly of cdk.json's deployment, with layers for this machine."""
    return synthesized()


@pytest.fixture(scope="session")
def everything() -> Assembly:
    """The deployment with all optional resources, and other values than the default for what tests look at."""
    return synthesized(
        alarm_email="ops@example.com",
        alarms="all",
        budget_usd_a_month=20,
        certificate_arn=CERTIFICATE,
        cors_origins="https://a.example, https://b.example",
        dashboard=True,
        domain_name=DOMAIN,
        embedding_model="amazon.titan-embed-text-v2:0",
        embedding_dimensions="256",
        fetch_timeout="65",
        keep_data="false",
        log_level="ERROR",
        route_metrics=True,
        task_image=PINNED,
        tracing="all",
    )


@pytest.fixture(scope="session")
def least() -> Assembly:
    """The deployment without any optional resource."""
    return synthesized(
        alarms="none",
        knowledge=False,
        large_crawls="false",
        log_level="DEBUG",
        media=False,
        render=False,
        sql="false",
        tracing="none",
    )


@pytest.fixture(scope="session")
def other() -> Assembly:
    """A second stack."""
    return synthesized(stack_name="Crawls-of-2026", log_level="WARNING")


@pytest.fixture(scope="session")
def machine() -> Iterator[ScriptedMachine]:
    scripted = ScriptedMachine(MOCKS)
    yield scripted
    scripted.close()
