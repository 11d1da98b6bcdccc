"""Credentials of sites in files that other users of the machine cannot read."""

import os
from pathlib import Path
from secrets import token_hex
from typing import Final

import msgspec

from wavecrawl.adapters.embedded.private_files import create_private, create_private_folder
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import CorruptDataError

FOLDER: Final = "credentials"
"""The folder of a data folder with the files: `credentials/TENANT/SITE.json`."""

_DECODER: Final = msgspec.json.Decoder(SiteCredentials)


class CredentialFiles:
    """`ports.credentials.Credentials`. A file replaces the earlier one at once, so a reader never sees half of it."""

    def __init__(self, root: Path) -> None:
        self._folder = root / FOLDER

    def read(self, tenant: str, site: str) -> SiteCredentials | None:
        """Return the credentials of a site, or None. Raise CorruptDataError if the file is damaged."""
        path = self._path(tenant, site)
        try:
            return _DECODER.decode(path.read_bytes())
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError:  # it may quote a secret
            raise CorruptDataError(f"{path} is damaged; set the site's credentials again") from None

    def write(self, tenant: str, site: str, credentials: SiteCredentials) -> None:
        """Store the credentials of a site in place of earlier ones."""
        path = self._path(tenant, site)
        for folder in (self._folder, path.parent):
            create_private_folder(folder)
        part = path.with_name(f"{path.name}.{token_hex(8)}")
        with os.fdopen(create_private(part), "wb") as file:
            file.write(msgspec.json.encode(credentials))
        part.replace(path)

    def delete(self, tenant: str, site: str) -> None:
        """Delete the credentials of a site, if there are any."""
        self._path(tenant, site).unlink(missing_ok=True)

    def _path(self, tenant: str, site: str) -> Path:
        return self._folder / tenant / f"{site}.json"
