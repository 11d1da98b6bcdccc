"""Credentials of sites in Secrets Manager: one secret for each site that has some."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import msgspec
from botocore.exceptions import ClientError

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.domain.sites.credentials import SiteCredentials
from wavecrawl.errors import CorruptDataError, StoreBusyError

if TYPE_CHECKING:
    from mypy_boto3_secretsmanager import SecretsManagerClient

SITES: Final = "sites"
"""The part of a secret's name after that of the stack: `STACK/sites/TENANT/SITE`."""

_MISSING: Final = "ResourceNotFoundException"
_DELETED: Final = "InvalidRequestException"  # "marked for deletion", until the deletion is complete
_EXISTS: Final = "ResourceExistsException"
_DECODER: Final = msgspec.json.Decoder(SiteCredentials)


class SiteSecrets:
    """`ports.credentials.Credentials`.

    A secret is deleted without a recovery window, so that the site's credentials end at once and can be set again:
    https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_DeleteSecret.html
    """

    def __init__(self, client: "Callable[[], SecretsManagerClient]", stack: str) -> None:
        self._client = client
        self._stack = stack

    def read(self, tenant: str, site: str) -> SiteCredentials | None:
        """Return the credentials of a site, or None. Raise CorruptDataError if the secret is malformed."""
        name = self._name(tenant, site)
        with translated(f"reading secret {name}"):
            try:
                answer = self._client().get_secret_value(SecretId=name)
            except ClientError as error:
                if code_of(error) in (_MISSING, _DELETED):
                    return None
                raise
        try:
            return _DECODER.decode(answer["SecretString"])
        except (KeyError, msgspec.MsgspecError):  # the original error may quote the secret
            raise CorruptDataError(f"secret {name} is malformed; set the site's credentials again") from None

    def write(self, tenant: str, site: str, credentials: SiteCredentials) -> None:
        """Store the credentials of a site in place of earlier ones.

        Raise StoreBusyError if earlier ones are still being deleted.
        """
        name, value = self._name(tenant, site), msgspec.json.encode(credentials).decode()
        with translated(f"writing secret {name}"):
            try:
                self._create(name, value)
            except ClientError as error:
                if code_of(error) == _DELETED:
                    raise StoreBusyError(f"secret {name} is still being deleted; try again in a minute") from error
                if code_of(error) != _EXISTS:
                    raise
                self._client().put_secret_value(SecretId=name, SecretString=value)

    def delete(self, tenant: str, site: str) -> None:
        """Delete the credentials of a site, if there are any."""
        name = self._name(tenant, site)
        with translated(f"deleting secret {name}"):
            try:
                self._client().delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
            except ClientError as error:
                if code_of(error) not in (_MISSING, _DELETED):
                    raise

    def _create(self, name: str, value: str) -> None:
        self._client().create_secret(
            Name=name, SecretString=value, Description="wavecrawl: the credentials of a crawled site"
        )

    def _name(self, tenant: str, site: str) -> str:
        return f"{self._stack}/{SITES}/{tenant}/{site}"
