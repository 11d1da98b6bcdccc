"""Errors of AWS in commands on an operator's machine, with what the operator can do about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    CredentialRetrievalError,
    InvalidConfigError,
    LoginError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    SSOError,
    TokenRetrievalError,
)

from wavecrawl.adapters.aws.faults import code_of, translated
from wavecrawl.errors import ForbiddenError, InvalidInputError, NotFoundError, StoreBusyError

_NOT_SET_UP = (
    *(CredentialRetrievalError, InvalidConfigError, LoginError, NoCredentialsError, NoRegionError),
    *(PartialCredentialsError, ProfileNotFound, SSOError, TokenRetrievalError),
)
_REJECTED = frozenset(
    """AuthFailure ExpiredToken ExpiredTokenException IncompleteSignature InvalidClientTokenId InvalidSignatureException
    SignatureDoesNotMatch UnrecognizedClientException""".split()
)
_FORBIDDEN = frozenset("AccessDenied AccessDeniedException UnauthorizedOperation".split())


@contextmanager
def explained(what: str) -> Iterator[None]:
    """Raise errors of botocore as errors of wavecrawl. `what` names the operation and its object.

    Raise InvalidInputError for missing or rejected credentials and a missing region, ForbiddenError if the credentials
    lack a permission, NotFoundError if there is no such resource, StoreBusyError if AWS cannot be reached.
    """
    try:
        yield
    except _NOT_SET_UP as error:
        raise InvalidInputError(f"{error}. Set AWS_PROFILE and AWS_REGION, or run `aws configure`") from error
    except ClientError as error:
        code = code_of(error)
        if code in _REJECTED:
            raise InvalidInputError(f"AWS rejected the credentials ({code}). Sign in again, or renew them") from error
        if code in _FORBIDDEN:
            raise ForbiddenError(f"{what}: your credentials lack the permission. {error}") from error
        if code == "ValidationError" and "does not exist" in str(error):  # of CloudFormation
            raise NotFoundError(f"{what}: {error}") from error
        with translated(what):
            raise
    except BotoCoreError as error:
        raise StoreBusyError(f"{what}: AWS cannot be reached. {error}") from error
