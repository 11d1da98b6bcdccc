"""`wavecrawl serve` and clients with wrong API keys, with and without a proxy."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from tests.support.patience import HANG
from tests.support.serving import Served, served
from typer.testing import CliRunner

from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app


@pytest.fixture(name="service", scope="module")
def a_service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("strangers"), "--wrong-keys-a-minute", "2") as service:
        yield service


def status(service: Served, key: str, client: str = "") -> int:
    headers = {"authorization": f"Bearer {key}"} | ({"x-forwarded-for": client} if client else {})
    return requests.get(f"{service.url}/v1/crawls", headers=headers, timeout=HANG).status_code


def test_a_stranger_behind_the_proxy_blocks_only_its_own_address(service: Served) -> None:
    stranger, user = "203.0.113.7", "203.0.113.8"
    found = [status(service, "wrong", stranger) for _ in range(6)]
    assert found[:2] == [401, 401]
    assert 429 in found  # the window can end once between the requests
    assert status(service, service.key, user) == 200
    assert status(service, service.key) == 200


def test_metrics_are_no_way_around_the_limit(service: Served) -> None:
    headers = {"authorization": "Bearer wrong", "x-forwarded-for": "203.0.113.10"}
    found = [requests.get(f"{service.url}/metrics", headers=headers, timeout=HANG).status_code for _ in range(6)]
    assert found[:2] == [401, 401]
    assert 429 in found  # as above


def test_the_last_address_that_the_proxy_added_counts(service: Served) -> None:
    found = [status(service, "wrong", f"198.51.100.{number}, 203.0.113.9") for number in range(6)]
    assert 429 in found


def test_a_bad_proxy_is_named_and_nothing_is_created(tmp_path: Path) -> None:
    command = ["serve", "--data", str(tmp_path), "--port", "0", "--trusted-proxy", "proxy.example"]
    result = CliRunner().invoke(app, command)
    assert result.exit_code == Exit.BAD_INPUT
    assert list(tmp_path.iterdir()) == []
    assert "--trusted-proxy proxy.example: use an IP address or a network" in result.stderr
