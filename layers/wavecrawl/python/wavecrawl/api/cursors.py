"""Cursors: positions in lists. They are opaque, signed, and bound to tenant, route and filters."""

import base64
import binascii
import hmac
from hashlib import sha256
from http import HTTPStatus
from typing import Final

from wavecrawl.api.backend import Backend
from wavecrawl.api.problems import Problem

LONGEST_CURSOR: Final = 2_000
"""Characters."""

_TAG: Final = 16  # bytes of the signature


class Cursors:
    """Signs and opens cursors."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend

    def sign(self, position: str, *, tenant: str, query: str) -> str:
        """Return the cursor of a position in a tenant's list."""
        text = position.encode()
        return base64.urlsafe_b64encode(self._tag(text, tenant, query) + text).decode().rstrip("=")

    def opened(self, cursor: str, *, tenant: str, query: str) -> str:
        """Return the position. Raise Problem 400 if the cursor was signed for another list or tenant."""
        try:
            signed = base64.b64decode(cursor.encode() + b"=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        except (binascii.Error, ValueError) as error:
            raise _refused() from error
        tag, text = signed[:_TAG], signed[_TAG:]
        if not hmac.compare_digest(tag, self._tag(text, tenant, query)):
            raise _refused()
        return text.decode()

    def _tag(self, text: bytes, tenant: str, query: str) -> bytes:
        bound = b"\0".join((tenant.encode(), query.encode(), text))
        return hmac.new(self._backend.signing_key, bound, sha256).digest()[:_TAG]


def _refused() -> Problem:
    detail = "cursor: does not belong to this list; leave it out to start again, and keep the filters of the first page"
    return Problem(HTTPStatus.BAD_REQUEST, detail)
