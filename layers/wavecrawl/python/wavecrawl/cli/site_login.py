"""Options of the command line for the credentials of a site."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from wavecrawl.application.site_credentials import save_credentials
from wavecrawl.application.start_crawl import site_of
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import err
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import InvalidInputError

_PANEL = "Authentication"

HeaderOption = Annotated[
    list[str] | None,
    typer.Option(
        "--header", help="Request header as 'Name: value', sent to the site only. Repeatable.", rich_help_panel=_PANEL
    ),
]
CookieOption = Annotated[
    list[str] | None,
    typer.Option("--cookie", help="Cookie as name=value, sent to the site only. Repeatable.", rich_help_panel=_PANEL),
]
BasicAuthOption = Annotated[
    str | None,
    typer.Option(
        help="User and password as user:password, for HTTP basic authentication. Other users of the machine can see "
        "options of running programs; --auth-file avoids that.",
        envvar="WAVECRAWL_BASIC_AUTH",
        show_envvar=True,
        rich_help_panel=_PANEL,
    ),
]
AuthFileOption = Annotated[
    Path | None,
    typer.Option(
        help="JSON file with headers and cookies (objects of names and values) and basic_auth (user:password, or an "
        "object with username and password).",
        rich_help_panel=_PANEL,
    ),
]
ClientCertOption = Annotated[
    Path | None,
    typer.Option(
        "--client-cert",
        help="PEM file with a client certificate for TLS, and those that lead to its authority. It is shown to the "
        "site only.",
        rich_help_panel=_PANEL,
    ),
]
ClientKeyOption = Annotated[
    Path | None,
    typer.Option(
        "--client-key",
        help="PEM file with the private key of --client-cert, without a passphrase, if that file does not have it.",
        rich_help_panel=_PANEL,
    ),
]
NoAuthOption = Annotated[
    bool, typer.Option("--no-auth", help="Delete the saved credentials of the site.", rich_help_panel=_PANEL)
]


class Login(msgspec.Struct, frozen=True, kw_only=True):
    """What the options say about the credentials of a site."""

    given: SiteCredentials | None  # None: nothing
    forget: bool


class _BasicAuth(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    username: str
    password: str = ""


class _AuthFile(msgspec.Struct, frozen=True, kw_only=True):
    headers: dict[str, str]
    cookies: dict[str, str]
    basic_auth: str | _BasicAuth  # user:password, or the form of the API


def login_of(
    headers: Sequence[str],
    cookies: Sequence[str],
    basic_auth: str | None,
    file: Path | None,
    *,
    forget: bool,
    client_cert: Path | None = None,
    client_key: Path | None = None,
) -> Login:
    """Return the credentials that the options give; options override the file.

    Raise InvalidInputError, which never contains a value, if one is malformed, and InvalidSettingsError as
    `SiteCredentials.validated`.
    """
    known = _read(file) if file else _AuthFile(headers={}, cookies={}, basic_auth="")
    username, password = _user(known.basic_auth if basic_auth is None else basic_auth)
    given = SiteCredentials(
        headers=(*_without(known.headers, headers, ":"), *(_pair(text, ":", "--header") for text in headers)),
        cookies=(*_without(known.cookies, cookies, "="), *(_pair(text, "=", "--cookie") for text in cookies)),
        username=username,
        password=password,
        client_certificate=_client_certificate(client_cert, client_key),
    )
    has_any = bool(given.names) or file is not None
    if forget and has_any:
        raise InvalidInputError(
            "--no-auth deletes credentials; leave out --header, --cookie, --basic-auth, --auth-file, --client-cert"
        )
    if not has_any:
        return Login(given=None, forget=forget)
    given = given.validated()
    if given.client_certificate:
        from wavecrawl.adapters.http.client_certificates import check_certificate  # noqa: PLC0415 - loads ssl

        check_certificate(given.client_certificate)
    return Login(given=given, forget=forget)


def apply_login(login: Login, url: str, settings: CrawlSettings, store: LocalStore, *, quiet: bool) -> None:
    """Save or delete the credentials of the site that a crawl starts with; print a note if saved ones are used."""
    site = site_of(url, settings)
    if login.forget or login.given is not None:
        save_credentials(LOCAL_TENANT, site, login.given, store)
        return
    saved = store.credentials.read(LOCAL_TENANT, site)
    if saved is not None and not quiet:
        err.print("[yellow]note:[/] the crawl uses the saved credentials of the site; --no-auth deletes them")


def _client_certificate(certificate: Path | None, key: Path | None) -> str:
    """Return the texts of the files, "" if there are none. Raise InvalidInputError."""
    if certificate is None:
        if key is not None:
            raise InvalidInputError("--client-key needs --client-cert")
        return ""
    texts: list[str] = []
    for option, file in (("--client-cert", certificate), ("--client-key", key)):
        if file is not None:
            try:
                texts.append(file.read_text(encoding="ascii").strip())
            except OSError as error:
                raise InvalidInputError(f"{option} {file} cannot be read: {error.strerror}") from error
            except UnicodeDecodeError as error:
                raise InvalidInputError(f"{option} {file} is not PEM text") from error
    return "\n".join(texts) + "\n"


def _read(file: Path) -> _AuthFile:
    try:
        content: Any = json.loads(file.read_text(encoding="utf-8-sig"))
        whole = {"headers": {}, "cookies": {}, "basic_auth": "", **content}
        if unknown := whole.keys() - {"headers", "cookies", "basic_auth"}:
            raise InvalidInputError(f"--auth-file {file}: unknown are {', '.join(sorted(unknown))}")
        return msgspec.convert(whole, _AuthFile)
    except OSError as error:
        raise InvalidInputError(f"--auth-file {file} cannot be read: {error.strerror}") from error
    except (ValueError, TypeError, msgspec.ValidationError):  # the error may quote a secret
        message = (
            f"--auth-file {file} must be a JSON object with headers and cookies, objects of strings, and basic_auth, "
            "a string such as user:password or an object with username and password"
        )
        raise InvalidInputError(message) from None


def _user(basic: str | _BasicAuth) -> tuple[str, str]:
    if isinstance(basic, _BasicAuth):
        return basic.username, basic.password
    if basic and ":" not in basic:
        raise InvalidInputError("--basic-auth must be user:password; for no password write user:")
    username, _, password = basic.partition(":")
    return username, password


def _without(known: dict[str, str], texts: Sequence[str], separator: str) -> list[tuple[str, str]]:
    """Return the pairs of a file that no option replaces."""
    replaced = {text.partition(separator)[0].strip().lower() for text in texts}
    return [(name, value) for name, value in known.items() if name.lower() not in replaced]


def _pair(text: str, separator: str, option: str) -> tuple[str, str]:
    name, found, value = text.partition(separator)
    if not found:
        form = "'Name: value'" if separator == ":" else "name=value"
        raise InvalidInputError(f"{option} must be {form}")
    return name.strip(), value.strip()
