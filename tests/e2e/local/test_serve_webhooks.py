"""Signed messages start crawls in `wavecrawl serve`. Signatures are made independently of the code under test."""

import json
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from tests.support.patience import HANG
from tests.support.plain_site import plain_site
from tests.support.serving import Served, served
from tests.support.signing import qstash, webhook
from typer.testing import CliRunner, Result

from wavecrawl.cli.main import app
from wavecrawl.demo.server import SiteServer

CURRENT, NEXT = "sig_not_current", "sig_not_next"


@pytest.fixture(name="site", scope="module")
def a_site() -> Iterator[SiteServer]:
    with SiteServer(plain_site(pages=3, body_bytes=500, links_per_page=2)) as server:
        yield server


@pytest.fixture(name="data", scope="module")
def a_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("webhooks")


@pytest.fixture(name="service", scope="module")
def a_service(data: Path) -> Iterator[Served]:
    with served(data) as service:
        yield service


def admin(data: Path, *arguments: str, env: Mapping[str, str] | None = None) -> Result:
    done = CliRunner().invoke(app, ["admin", *arguments, "--data", str(data)], env=env or {})
    assert done.exit_code == 0, done.output
    return done


def sent(service: Served, event: dict[str, Any]) -> tuple[int, dict[str, Any]]:
    """Send the event of a message as a request."""
    path, body = event["rawPath"], event["body"].encode()
    response = requests.post(f"{service.url}{path}", data=body, headers=event["headers"], timeout=HANG)
    return response.status_code, response.json()


def test_a_signed_message_starts_one_crawl(data: Path, service: Served, site: SiteServer) -> None:
    secret = admin(data, "webhook-secrets", "create").stdout.strip()
    asked = {"url": site.url, "settings": {"max_pages": 2, "polite": {"interval": 0.0}}}
    event = webhook(asked, secret=secret)
    status, started = sent(service, event)
    assert (status, set(started)) == (202, {"crawl", "site", "status"})
    again, repeated = sent(service, event)
    assert (again, repeated["crawl"], repeated["site"]) == (200, started["crawl"], started["site"])
    other, refused = sent(service, webhook({"url": f"{site.url}?other"}, secret=secret))
    assert (other, refused["crawl"]) == (409, started["crawl"])
    crawl = service.wait_for(started["crawl"])
    assert (crawl["status"], crawl["counters"]["fetched"]) == ("completed", 2)


def test_a_refused_request_can_be_corrected_and_sent_again(data: Path, service: Served, site: SiteServer) -> None:
    secret = admin(data, "webhook-secrets", "create").stdout.strip()
    url = f"{site.url}?corrected"
    wrong, right = {"url": url, "settings": {"max_pages": 0}}, {"url": url, "settings": {"max_pages": 1}}
    status, problem = sent(service, webhook(wrong, secret=secret, id_="msg_corrected"))
    assert (status, problem["errors"]) == (400, ["max_pages must be between 1 and 100,000,000: 0"])
    assert sent(service, webhook(right, secret=secret, id_="msg_corrected"))[0] == 202


def test_only_messages_with_a_valid_secret_are_accepted(data: Path, service: Served) -> None:
    asked = {"url": "http://site.example/"}
    old, new = (json.loads(admin(data, "webhook-secrets", "create", "--json").stdout) for _ in range(2))
    for one in (old, new):  # an invalid request is answered after the signature was verified
        assert sent(service, webhook({"url": 1}, secret=one["secret"]))[0] == 400
    admin(data, "webhook-secrets", "delete", old["name"])
    status, problem = sent(service, webhook(asked, secret=old["secret"]))
    assert (status, problem["detail"]) == (401, "signature refused: No matching signature found")
    assert sent(service, webhook({"url": 1}, secret=new["secret"]))[0] == 400
    names = admin(data, "webhook-secrets", "list").stdout.split()
    assert new["name"] in names
    assert old["name"] not in names
    assert requests.get(f"{service.url}/webhooks/crawl", timeout=HANG).status_code == 405
    assert requests.post(f"{service.url}/webhooks/other", timeout=HANG).status_code == 404
    (file,) = data.glob("message-secrets.json*")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_message_of_qstash_starts_a_crawl(data: Path, service: Served, site: SiteServer) -> None:
    asked, url = {"url": f"{site.url}?qstash", "settings": {"max_pages": 1}}, f"{service.url}/webhooks/qstash"
    assert sent(service, qstash(asked, sub=url, key=CURRENT))[0] == 401
    admin(data, "qstash-keys", env={"QSTASH_CURRENT_SIGNING_KEY": CURRENT, "QSTASH_NEXT_SIGNING_KEY": NEXT})
    assert sent(service, qstash(asked, sub="http://other.example/webhooks/qstash", key=CURRENT))[0] == 401
    event = qstash(asked, sub=url, key=NEXT)
    assert sent(service, event)[0] == 202
    assert sent(service, event)[0] == 200


def test_missing_keys_of_qstash_are_named(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QSTASH_CURRENT_SIGNING_KEY", raising=False)
    monkeypatch.setenv("QSTASH_NEXT_SIGNING_KEY", NEXT)
    done = CliRunner().invoke(app, ["admin", "qstash-keys", "--data", str(data)])
    assert done.exit_code != 0
    assert "QSTASH_CURRENT_SIGNING_KEY" in done.output
    assert "QSTASH_NEXT_SIGNING_KEY" not in done.output
