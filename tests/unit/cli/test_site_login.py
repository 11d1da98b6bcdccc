"""The options for the credentials of a site."""

import json
from pathlib import Path

import pytest
from tests.adapters.http.loopback import CA_FILE, TLS

from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.site_login import apply_login, login_of
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import InvalidInputError, WavecrawlError

SECRET = "not-a-real-secret"
URL = "https://example.com/"
NOTHING = login_of((), (), None, None, forget=False)


def written(path: Path, content: object) -> Path:
    path.write_text(json.dumps(content))
    return path


def test_options_name_headers_cookies_and_a_user() -> None:
    login = login_of(["X-Key: a:b ", "X-Two:2"], ["session=x=y"], "user:pass:word", None, forget=False)
    assert login.given == SiteCredentials(
        headers=(("X-Key", "a:b"), ("X-Two", "2")), cookies=(("session", "x=y"),), username="user", password="pass:word"
    )


def test_options_override_the_file(tmp_path: Path) -> None:
    content = {"headers": {"x-key": "old", "X-Two": "2"}, "cookies": {"a": "1"}, "basic_auth": "u:p"}
    login = login_of(["X-Key: new"], (), None, written(tmp_path / "auth.json", content), forget=False)
    assert login.given == SiteCredentials(
        headers=(("X-Two", "2"), ("X-Key", "new")), cookies=(("a", "1"),), username="u", password="p"
    )


@pytest.mark.parametrize(
    ("headers", "cookies", "basic", "message"),
    [
        ([SECRET], [], None, "--header must be 'Name: value'"),
        ([], [SECRET], None, "--cookie must be name=value"),
        ([], [], SECRET, "--basic-auth must be user:password; for no password write user:"),
        ([f"Host: {SECRET}"], [], None, "Host cannot be set"),
    ],
)
def test_errors_do_not_repeat_the_secret(
    headers: list[str], cookies: list[str], basic: str | None, message: str
) -> None:
    with pytest.raises(InvalidInputError, match=message) as raised:
        login_of(headers, cookies, basic, None, forget=False)
    assert SECRET not in str(raised.value)


def test_a_file_may_name_the_user_as_the_api_does(tmp_path: Path) -> None:
    file = written(tmp_path / "auth.json", {"basic_auth": {"username": "user", "password": "pass:word"}})
    login = login_of((), (), None, file, forget=False)
    assert login.given == SiteCredentials(username="user", password="pass:word")


@pytest.mark.parametrize(
    "content",
    [
        [SECRET],
        {"headers": SECRET},
        {"cookies": {"a": [SECRET]}},
        {"basic_auth": 1},
        {"basic_auth": {"password": SECRET}},
        {"basic_auth": {"username": "user", "passwort": SECRET}},
    ],
)
def test_a_file_of_another_form_is_refused(tmp_path: Path, content: object) -> None:
    file = written(tmp_path / "auth.json", content)
    with pytest.raises(InvalidInputError, match="must be a JSON object with headers and cookies") as raised:
        login_of((), (), None, file, forget=False)
    assert SECRET not in str(raised.value)


def test_a_file_with_unknown_names_or_none_at_all_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInputError, match="unknown are bearer"):
        login_of((), (), None, written(tmp_path / "auth.json", {"bearer": SECRET}), forget=False)
    with pytest.raises(InvalidInputError, match="cannot be read"):
        login_of((), (), None, tmp_path / "missing.json", forget=False)


def test_credentials_are_kept_for_later_crawls_until_they_are_deleted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, settings = LocalStore(tmp_path), CrawlSettings()
    try:
        apply_login(login_of(["X-Key: k"], (), None, None, forget=False), URL, settings, store, quiet=False)
        assert capsys.readouterr().err == ""
        apply_login(NOTHING, URL, settings, store, quiet=False)
        assert "uses the saved credentials" in capsys.readouterr().err
        crawl = store.start(URL, settings)
        assert crawl.authenticated
        found = store.credentials.read(LOCAL_TENANT, crawl.id.site)
        assert found == SiteCredentials(headers=(("X-Key", "k"),))
        apply_login(login_of((), (), None, None, forget=True), URL, settings, store, quiet=False)
        assert store.credentials.read(LOCAL_TENANT, crawl.id.site) is None
        assert not store.start(URL, settings).authenticated
    finally:
        store.close()


def test_credentials_are_not_set_and_deleted_at_once() -> None:
    with pytest.raises(InvalidInputError, match="--no-auth deletes credentials"):
        login_of(["X-Key: k"], (), None, None, forget=True)


def test_a_client_certificate_and_its_key_come_from_files() -> None:
    key = TLS / "fake-test-key.pem"
    login = login_of((), (), None, None, forget=False, client_cert=Path(CA_FILE), client_key=key)
    assert login.given is not None
    assert login.given.client_certificate == Path(CA_FILE).read_text("ascii") + key.read_text("ascii")


@pytest.mark.parametrize(
    ("certificate", "key", "message"),
    [
        (None, "key.pem", "--client-key needs --client-cert"),
        ("missing.pem", None, "--client-cert .*missing.pem cannot be read: No such file"),
        ("latin.pem", None, "--client-cert .*latin.pem is not PEM text"),
        ("cert.pem", None, "client_certificate: needs PEM text with the certificate"),
        ("cert.pem", "key.pem", "client_certificate: .* do not belong together"),
    ],
)
def test_a_client_certificate_that_cannot_be_used_is_refused(
    certificate: str | None, key: str | None, message: str, tmp_path: Path
) -> None:
    (tmp_path / "latin.pem").write_bytes(b"\xe4")
    (tmp_path / "cert.pem").write_bytes(Path(CA_FILE).read_bytes())
    (tmp_path / "key.pem").write_text(f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n", "ascii")
    given = (None if name is None else tmp_path / name for name in (certificate, key))
    with pytest.raises(WavecrawlError, match=message) as raised:
        login_of((), (), None, None, forget=False, client_cert=next(given), client_key=next(given))
    assert SECRET not in str(raised.value)
