"""Certificate authorities that environment variables name."""

import ssl
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import CA_FILE, page, responding, serving
from tests.adapters.http.test_client import BODY, get

from wavecrawl.adapters.http.addresses import AddressPolicy
from wavecrawl.adapters.http.connections import ConnectionPool, Dialer
from wavecrawl.adapters.http.own_authorities import VARIABLES, own_authorities
from wavecrawl.adapters.http.resolver import Resolver
from wavecrawl.bootstrap.http_clients import page_client
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.exchange import TransportFault
from wavecrawl.errors import InvalidInputError


@pytest.fixture(autouse=True)
def _without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("name", VARIABLES)
def test_a_site_of_a_company_can_be_crawled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = CrawlSettings(allowed_addresses=LOOPBACK)
    with serving(responding(page(BODY)), tls=True) as server:
        with closing(page_client(settings)) as client:
            assert get(client, f"https://127.0.0.1:{server.port}/").fault is TransportFault.TLS
        monkeypatch.setenv(name, CA_FILE)
        with closing(page_client(settings)) as client:
            assert get(client, f"https://127.0.0.1:{server.port}/").body == BODY


def test_a_folder_of_authorities_is_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test.pem").write_bytes(Path(CA_FILE).read_bytes())
    subprocess.run(["openssl", "rehash", tmp_path], check=True)
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path))
    with serving(responding(page(BODY)), tls=True) as server:  # noqa: SIM117 - the server first
        with closing(page_client(CrawlSettings(allowed_addresses=LOOPBACK))) as client:
            assert get(client, f"https://127.0.0.1:{server.port}/").body == BODY


def test_the_first_variable_that_is_set_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    assert own_authorities() is None
    monkeypatch.setenv("CURL_CA_BUNDLE", "/nothing.pem")
    monkeypatch.setenv("SSL_CERT_FILE", CA_FILE)
    assert own_authorities() == CA_FILE


def test_the_option_comes_before_the_usual_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/nothing.pem")
    monkeypatch.setenv("WAVECRAWL_CA_FILE", CA_FILE)
    assert own_authorities() == CA_FILE


def test_the_authorities_of_this_machine_are_trusted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "test.pem").write_bytes(Path(CA_FILE).read_bytes())
    subprocess.run(["openssl", "rehash", tmp_path], check=True)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    assert body_of_a_private_site() == BODY


@pytest.mark.parametrize(("file", "is_trusted"), [(CA_FILE, True), ("/nothing.pem", False)])
def test_a_machine_may_have_a_file_of_authorities(
    file: str, *, is_trusted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ssl.DefaultVerifyPaths(file, str(tmp_path), "SSL_CERT_FILE", "", "SSL_CERT_DIR", "")
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: store)
    assert (body_of_a_private_site() == BODY) is is_trusted


def test_functions_of_aws_have_the_public_authorities_and_the_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "test.pem").write_bytes(Path(CA_FILE).read_bytes())
    subprocess.run(["openssl", "rehash", tmp_path], check=True)
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "fetch-batch")
    assert body_of_a_private_site() == b""
    monkeypatch.setenv("WAVECRAWL_CA_FILE", CA_FILE)
    assert body_of_a_private_site() == BODY


def body_of_a_private_site() -> bytes:
    with serving(responding(page(BODY)), tls=True) as server:  # noqa: SIM117 - the server first
        with closing(page_client(CrawlSettings(allowed_addresses=LOOPBACK))) as client:
            return get(client, f"https://127.0.0.1:{server.port}/").body


@pytest.mark.parametrize(
    ("content", "why"), [(None, "No such file"), ("", "no certificate"), ("not PEM", "no certificate")]
)
def test_a_file_without_certificates_is_named_with_its_variable(
    content: str | None, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content, encoding="ascii")
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(path))
    with pytest.raises(
        InvalidInputError, match=f"REQUESTS_CA_BUNDLE must name a PEM file with certificates: {path}: .*{why}"
    ):
        page_client(CrawlSettings())


def test_certificates_are_verified_alike_in_each_version_of_python() -> None:
    dialer = Dialer(resolver=Resolver(), policy=AddressPolicy(()))
    pool = ConnectionPool(dialer=dialer, ca_file=None, max_endpoints=1, max_idle=1, on_sent=lambda _: None)
    flags = pool._new_context("").verify_flags
    assert flags & (ssl.VERIFY_X509_PARTIAL_CHAIN | ssl.VERIFY_X509_STRICT) == ssl.VERIFY_X509_PARTIAL_CHAIN
