"""Signatures of the Standard Webhooks specification.

Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
"""

from collections.abc import Callable, Sequence
from http import HTTPStatus

from standardwebhooks import Webhook, WebhookVerificationError
from standardwebhooks.webhooks import EmptyWebhookSecretError

from wavecrawl.api.http_request import HttpRequest
from wavecrawl.api.problems import Problem
from wavecrawl.domain.crawl.signed_message import SignedMessage

_LONGEST_ID = 256
_MOST_SIGNATURES = 16
_ID, _TIMESTAMP, _SIGNATURE = HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")


def signed_webhook(request: HttpRequest, secrets: Callable[[], Sequence[str]]) -> SignedMessage:
    """Return the message if one of its signatures is valid for one of the secrets, and at most five minutes old.

    Raise Problem 401 otherwise. The secrets are read only if the request has a signature.
    """
    headers = {name: request.headers.get(name, "") for name in HEADERS}
    missing = [name for name, value in headers.items() if not value]
    if missing:
        raise _refused(f"the request is not signed: no {', '.join(missing)}")
    if len(headers[_ID]) > _LONGEST_ID or not headers[_TIMESTAMP].isdecimal():
        raise _refused(f"{_ID} or {_TIMESTAMP} is not what the specification asks for")
    headers[_SIGNATURE] = _of_version_1(headers[_SIGNATURE])
    problem = "no secret is set up"
    for secret in secrets():
        try:
            Webhook(secret).verify(request.body, headers, json_parse=False)
        except WebhookVerificationError as error:
            problem = str(error)
        except (ValueError, EmptyWebhookSecretError):  # signature, body or secret is malformed
            problem = "No matching signature found"
        else:
            return SignedMessage(source="webhook", id=headers[_ID], token=headers[_ID])
    raise _refused(problem)


def _of_version_1(header: str) -> str:
    """Return the signatures of version 1; signatures of other versions are ignored."""
    known = [one for one in header.split() if one.startswith("v1,") and one.count(",") == 1]
    return " ".join(known[:_MOST_SIGNATURES]) or "v0,"


def _refused(why: str) -> Problem:
    return Problem(HTTPStatus.UNAUTHORIZED, f"signature refused: {why}")
