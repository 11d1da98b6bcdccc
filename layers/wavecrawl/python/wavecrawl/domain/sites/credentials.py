"""The credentials of a site: headers, cookies and a certificate that only requests to the site itself carry."""

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

import msgspec

from wavecrawl.domain.sites.certificate_text import certificate_problems
from wavecrawl.errors import InvalidSettingsError

MOST: Final = 50
"""Maximum number of headers, and of cookies."""

LONGEST: Final = 8_192
"""Maximum length of a value, in characters. Most servers accept request heads of 8 to 16 KB."""

MOST_CHARACTERS: Final = 16_384
"""Maximum length of all names and values together."""

_TOKEN: Final = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}")  # RFC 9110 section 5.6.2
_HEADER_VALUE: Final = re.compile(r"[\x21-\x7e](?:[\x20-\x7e\t]*[\x21-\x7e])?")  # RFC 9110 section 5.5, ASCII only
_COOKIE_VALUE: Final = re.compile(r"[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*")  # RFC 6265 section 4.1.1
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")

_REFUSED: Final = frozenset(
    """accept-encoding connection content-length content-type cookie date expect host keep-alive origin range te trailer
    transfer-encoding upgrade user-agent via""".split()
)
"""Headers that delimit a message, concern one connection, change what is fetched, or have a setting of their own."""

_REFUSED_STARTS: Final = ("if-", "proxy-", "sec-", ":")


class CredentialNames(msgspec.Struct, frozen=True, kw_only=True):
    """Which credentials a site has, without their values."""

    headers: tuple[str, ...] = ()
    cookies: tuple[str, ...] = ()
    basic_auth: bool = False
    client_certificate: bool = False

    def __bool__(self) -> bool:
        """Return whether there is any."""
        return bool(self.headers or self.cookies or self.basic_auth or self.client_certificate)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteCredentials:
    """Secrets of one site. `validated` must have passed before use. Its text form never has the values."""

    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # name and value
    cookies: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # name and value
    username: str = field(default="", repr=False)  # of HTTP basic authentication
    password: str = field(default="", repr=False)
    client_certificate: str = field(default="", repr=False)  # PEM, with its private key

    @property
    def names(self) -> CredentialNames:
        """The names of the headers and cookies."""
        return CredentialNames(
            headers=tuple(name for name, _ in self.headers),
            cookies=tuple(name for name, _ in self.cookies),
            basic_auth=self._has_basic,
            client_certificate=bool(self.client_certificate),
        )

    @property
    def _has_basic(self) -> bool:
        return bool(self.username or self.password)

    @property
    def fields(self) -> tuple[tuple[str, str], ...]:
        """The header fields to send, without cookies. Basic authentication is in UTF-8 (RFC 7617 section 2.1)."""
        if not self._has_basic:
            return self.headers
        token = b64encode(f"{self.username}:{self.password}".encode()).decode()
        return (*self.headers, ("Authorization", f"Basic {token}"))

    def validated(self) -> "SiteCredentials":
        """Return self; raise InvalidSettingsError with all problems, which never contain a value."""
        problems = tuple(_problems(self))
        if problems:
            raise InvalidSettingsError(problems)
        return self


def _problems(credentials: SiteCredentials) -> Iterator[str]:
    if not credentials.names:
        yield "credentials: name at least one header or cookie, or a user and a password, or a client certificate"
    yield from _header_problems(credentials)
    yield from _cookie_problems(credentials)
    if credentials.client_certificate:
        yield from certificate_problems(credentials.client_certificate)
    if credentials.password and not credentials.username:
        yield "basic_auth: a password needs a user name"
    if ":" in credentials.username:
        yield "basic_auth: the user name must not contain ':' (RFC 7617)"
    for name, value in (("user name", credentials.username), ("password", credentials.password)):
        if _CONTROL.search(value) or len(value) > LONGEST or _has_surrogate(value):
            yield f"basic_auth: the {name} must have at most {LONGEST:,} characters and no control characters"
    pairs = (*credentials.headers, *credentials.cookies, (credentials.username, credentials.password))
    if sum(len(name) + len(value) for name, value in pairs) > MOST_CHARACTERS:
        yield f"credentials: all names and values together must have at most {MOST_CHARACTERS:,} characters"


def _header_problems(credentials: SiteCredentials) -> Iterator[str]:
    seen = {"authorization"} if credentials.username else set()
    if len(credentials.headers) > MOST:
        yield f"headers: at most {MOST}, not {len(credentials.headers)}"
    for name, value in credentials.headers:
        lower = name.lower()
        if not _TOKEN.fullmatch(name):
            yield f"headers: {_shown(name)} is not the name of a header"
        elif lower == "cookie":
            yield "headers: Cookie is set by cookies; name the cookies instead"
        elif lower in _REFUSED or lower.startswith(_REFUSED_STARTS):
            yield f"headers: {name} cannot be set; the crawler sends it itself, or it would change what is fetched"
        elif lower in seen:
            yield f"headers: {name} is set twice"
        elif len(value) > LONGEST or not _HEADER_VALUE.fullmatch(value):
            yield f"headers: the value of {name} must be 1 to {LONGEST:,} printable ASCII characters"
        seen.add(lower)


def _cookie_problems(credentials: SiteCredentials) -> Iterator[str]:
    seen: set[str] = set()
    if len(credentials.cookies) > MOST:
        yield f"cookies: at most {MOST}, not {len(credentials.cookies)}"
    for name, value in credentials.cookies:
        if not _TOKEN.fullmatch(name):
            yield f"cookies: {_shown(name)} is not the name of a cookie"
        elif name in seen:
            yield f"cookies: {name} is set twice"
        elif len(value) > LONGEST or not _COOKIE_VALUE.fullmatch(value):
            yield (
                f"cookies: the value of {name} must be at most {LONGEST:,} ASCII characters without spaces, quotation "
                "marks, commas, semicolons and backslashes; encode them as the site does"
            )
        seen.add(name)


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _shown(name: str) -> str:
    """Return the place of a malformed name: someone may have put a secret there."""
    return f"a name of {len(name)} characters"
