"""Signatures of Upstash QStash: a JWT with our URL, its own id, and the hash of the body.

Source: https://upstash.com/docs/qstash/features/security
"""

import base64
from collections.abc import Callable, Sequence
from hashlib import sha256
from hmac import compare_digest
from http import HTTPStatus

import jwt

from wavecrawl.api.http_request import HttpRequest
from wavecrawl.api.problems import Problem
from wavecrawl.domain.crawl.signed_message import SignedMessage

ISSUER = "Upstash"
_SIGNATURE, _MESSAGE_ID = "upstash-signature", "upstash-message-id"
_REQUIRED = ["iss", "sub", "exp", "nbf", "jti", "body"]
_LONGEST_ID = 256
_LEEWAY = 5  # seconds that the two clocks may differ


def signed_by_qstash(request: HttpRequest, keys: Callable[[], Sequence[str]], *, url: str) -> SignedMessage:
    """Return the message if its token is valid now, for `url` and this body, with one of the keys (current, next).

    Raise Problem 401 otherwise. The keys are read only if the request has a token.
    """
    token = request.headers.get(_SIGNATURE, "")
    if not token:
        raise _refused(f"the request is not signed: no {_SIGNATURE}")
    problem = "no key is set up"
    for key in keys():
        try:
            claims = jwt.decode(
                token,
                key,
                algorithms=["HS256"],
                issuer=ISSUER,
                subject=url,
                leeway=_LEEWAY,
                options={"require": _REQUIRED, "verify_aud": False},
            )
        except jwt.InvalidSignatureError as error:
            problem = str(error)
        except jwt.InvalidTokenError as error:
            raise _refused(str(error)) from error
        else:
            return _message(claims, request)
    raise _refused(problem)


def _message(claims: dict[str, object], request: HttpRequest) -> SignedMessage:
    expected = base64.urlsafe_b64encode(sha256(request.body).digest()).decode().rstrip("=")
    if not compare_digest(expected.encode(), str(claims["body"]).rstrip("=").encode()):
        raise _refused("the token was made for another body")
    token = str(claims["jti"])
    id_ = request.headers.get(_MESSAGE_ID) or token
    if not 0 < len(token) <= _LONGEST_ID or len(id_) > _LONGEST_ID:
        raise _refused("jti is not what QStash sends")
    return SignedMessage(source="qstash", id=id_, token=token)


def _refused(why: str) -> Problem:
    return Problem(HTTPStatus.UNAUTHORIZED, f"signature refused: {why}")
