"""The credentials of a site as arguments of `crawl` and `iter_crawl`."""

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from wavecrawl.application.site_credentials import save_credentials
from wavecrawl.application.start_crawl import site_of
from wavecrawl.bootstrap.local_settings import LOCAL_TENANT
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import InvalidInputError

Checked = TypeVar("Checked")

_PAIR = 'a pair of user and password, such as ("user", "password")'


def credentials_of(
    headers: Mapping[str, str] | None, cookies: Mapping[str, str] | None, basic_auth: tuple[str, str] | None
) -> SiteCredentials | None:
    """Return the given credentials; None if there are none.

    Raise InvalidInputError, or InvalidSettingsError as `SiteCredentials.validated`; no message contains a value.
    """
    if not (headers or cookies or basic_auth):
        return None
    username, password = _checked("basic_auth", basic_auth or ("", ""), tuple[str, str], _PAIR)
    names = "a mapping of names to values, both strings"
    return SiteCredentials(
        headers=tuple(_checked("headers", headers or {}, dict[str, str], names).items()),
        cookies=tuple(_checked("cookies", cookies or {}, dict[str, str], names).items()),
        username=username,
        password=password,
    ).validated()


def save_given(credentials: SiteCredentials | None, url: str, settings: CrawlSettings, store: LocalStore) -> None:
    """Save the credentials for the site that a crawl starts with, in place of earlier ones; None keeps those."""
    if credentials is not None:
        save_credentials(LOCAL_TENANT, site_of(url, settings), credentials, store)


def _checked(name: str, value: object, kind: type[Checked], expected: str) -> Checked:
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError:  # the error may quote a secret
        raise InvalidInputError(f"{name} must be {expected}") from None
