"""Which credentials are accepted (RFC 9110, RFC 6265, RFC 7617)."""

import pytest

from wavecrawl.domain.sites.credentials import CredentialNames, SiteCredentials
from wavecrawl.errors import InvalidSettingsError

SECRET = "s3cr3t-not-real"


def problems_of(**values: object) -> tuple[str, ...]:
    with pytest.raises(InvalidSettingsError) as raised:
        SiteCredentials(**values).validated()  # type: ignore[arg-type]
    return raised.value.problems


def test_basic_authentication_is_that_of_the_rfc() -> None:
    """The example of RFC 7617 section 2."""
    credentials = SiteCredentials(username="Aladdin", password="open sesame").validated()
    assert credentials.fields == (("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),)


def test_a_name_outside_ascii_is_sent_in_utf_8() -> None:
    """The example of RFC 7617 section 2.1: user "test", password "123" and the pound sign."""
    credentials = SiteCredentials(username="test", password="123\u00a3").validated()
    assert credentials.fields == (("Authorization", "Basic dGVzdDoxMjPCow=="),)


def test_the_names_are_known_without_the_values() -> None:
    credentials = SiteCredentials(
        headers=(("X-Key", SECRET),), cookies=(("session", SECRET),), username=SECRET, password=SECRET
    )
    assert credentials.names == CredentialNames(headers=("X-Key",), cookies=("session",), basic_auth=True)
    assert SECRET not in f"{credentials!r}{credentials}"
    assert (bool(credentials.names), bool(CredentialNames())) == (True, False)


@pytest.mark.parametrize(
    "name",
    """Host Content-Length Transfer-Encoding Connection Keep-Alive TE Trailer Upgrade Expect Range If-None-Match
    If-Modified-Since If-Range Accept-Encoding Proxy-Authorization Sec-Fetch-Site User-Agent cookie hOsT""".split(),
)
def test_headers_that_change_the_message_are_refused(name: str) -> None:
    (problem,) = problems_of(headers=((name, SECRET),))
    assert name.lower() in problem.lower()


@pytest.mark.parametrize("name", ["", "two words", "X:", "X\r\nHost", "\u00fcber", f"{SECRET} x"])
def test_what_is_no_name_is_refused_and_not_shown(name: str) -> None:
    (problem,) = problems_of(headers=((name, "v"),))
    assert problem == f"headers: a name of {len(name)} characters is not the name of a header"
    (problem,) = problems_of(cookies=((name, "v"),))
    assert problem == f"cookies: a name of {len(name)} characters is not the name of a cookie"


@pytest.mark.parametrize("value", ["", " a", "a\r\nX: y", "a\0", "\u20ac", "x" * 8_193])
def test_a_header_has_one_line_of_printable_ascii(value: str) -> None:
    (problem,) = problems_of(headers=(("X-Key", value),))
    assert problem == "headers: the value of X-Key must be 1 to 8,192 printable ASCII characters"


@pytest.mark.parametrize("value", ["a b", 'a"', "a,b", "a;b", "a\\b", "a\r\n", "\u20ac"])
def test_a_cookie_has_the_characters_of_the_rfc(value: str) -> None:
    (problem,) = problems_of(cookies=(("session", value),))
    assert problem.startswith("cookies: the value of session must be at most 8,192 ASCII characters")


def test_names_are_set_once() -> None:
    assert problems_of(headers=(("X-Key", "1"), ("x-key", "2"))) == ("headers: x-key is set twice",)
    assert problems_of(headers=(("authorization", "1"),), username="u") == ("headers: authorization is set twice",)
    assert problems_of(cookies=(("a", "1"), ("a", "2"))) == ("cookies: a is set twice",)
    SiteCredentials(cookies=(("a", "1"), ("A", ""))).validated()


def test_nothing_is_no_credential() -> None:
    assert problems_of() == (
        "credentials: name at least one header or cookie, or a user and a password, or a client certificate",
    )


def test_a_user_and_a_password_are_checked() -> None:
    assert problems_of(password=SECRET) == ("basic_auth: a password needs a user name",)
    assert problems_of(username="a:b") == ("basic_auth: the user name must not contain ':' (RFC 7617)",)
    for bad in ("a\n", "\ud800", "x" * 8_193):
        (problem,) = problems_of(username="u", password=bad)
        assert problem == "basic_auth: the password must have at most 8,192 characters and no control characters"


def test_there_is_a_limit_of_everything() -> None:
    many = tuple((f"n{number}", "v") for number in range(51))
    assert problems_of(headers=many) == ("headers: at most 50, not 51",)
    assert problems_of(cookies=many) == ("cookies: at most 50, not 51",)
    (problem,) = problems_of(headers=(("A", "x" * 8_000), ("B", "x" * 8_000), ("C", "x" * 400)))
    assert problem == "credentials: all names and values together must have at most 16,384 characters"


CERTIFICATE = "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n"
KEY = f"-----BEGIN PRIVATE KEY-----\n{SECRET}\n-----END PRIVATE KEY-----\n"


@pytest.mark.parametrize("pem", [CERTIFICATE + KEY, KEY.replace("PRIVATE", "RSA PRIVATE") + CERTIFICATE * 3])
def test_a_client_certificate_has_one_key(pem: str) -> None:
    credentials = SiteCredentials(client_certificate=pem).validated()
    assert credentials.names == CredentialNames(client_certificate=True)
    assert credentials.names
    assert SECRET not in repr(credentials)


@pytest.mark.parametrize(
    ("pem", "problem"),
    [
        (CERTIFICATE, "needs PEM text with the certificate"),
        (KEY, "needs PEM text with the certificate"),
        (CERTIFICATE + KEY * 2, "needs PEM text with the certificate"),
        (SECRET, "needs PEM text with the certificate"),
        (CERTIFICATE + KEY.replace("PRIVATE", "ENCRYPTED PRIVATE"), "the private key is encrypted"),
        (CERTIFICATE + KEY.replace(SECRET, f"Proc-Type: 4,ENCRYPTED\n{SECRET}"), "the private key is encrypted"),
        (CERTIFICATE + KEY + "\u00e4", "PEM is ASCII text"),
        (CERTIFICATE * 999 + KEY, "at most 32,768 characters"),
    ],
)
def test_a_client_certificate_of_another_form_is_refused(pem: str, problem: str) -> None:
    (found,) = problems_of(client_certificate=pem)
    assert found.startswith(f"client_certificate: {problem}")
    assert SECRET not in found
