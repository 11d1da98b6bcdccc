"""The options that say how this machine reaches the network."""

import os
from pathlib import Path

import pytest
from tests.adapters.http.loopback import CA_FILE
from typer.testing import CliRunner

from wavecrawl.adapters.http.own_authorities import VARIABLES
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.cli.network_options import apply_network


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "WAVECRAWL_PROXY", "HTTPS_PROXY", "HTTP_PROXY", "https_proxy", "http_proxy"):
        monkeypatch.setenv(name, "")  # which is what the options replace


@pytest.mark.parametrize("command", ["crawl https://site.example/", "resume", "serve"])
def test_a_file_without_certificates_is_named(command: str, tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    file.write_text("no certificate", encoding="ascii")
    done = CliRunner().invoke(app, [*command.split(), "--data", str(tmp_path / "data"), "--ca-file", str(file)])
    assert done.exit_code == Exit.BAD_INPUT
    assert f"--ca-file (WAVECRAWL_CA_FILE) must name a PEM file with certificates: {file}" in done.stderr
    assert not (tmp_path / "data").exists()


def test_workers_inherit_the_options_wherever_they_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(CA_FILE).parent)
    apply_network(ca_file=Path(Path(CA_FILE).name), proxy="http://proxy.example:3128")
    assert os.environ["WAVECRAWL_CA_FILE"] == CA_FILE
    assert os.environ["WAVECRAWL_PROXY"] == "http://proxy.example:3128"


@pytest.mark.parametrize("command", ["crawl https://site.example/", "resume", "serve"])
def test_a_proxy_that_cannot_be_used_is_refused_without_its_password(command: str, tmp_path: Path) -> None:
    proxy = "socks5://me:secret@proxy.example"
    done = CliRunner().invoke(app, [*command.split(), "--data", str(tmp_path / "data"), "--proxy", proxy])
    assert done.exit_code == Exit.BAD_INPUT
    assert "--proxy (WAVECRAWL_PROXY) must be the URL of an HTTP proxy" in done.stderr
    assert "secret" not in done.output
    assert not (tmp_path / "data").exists()
