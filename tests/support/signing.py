"""Signed messages as senders make them. Signatures are computed here, independently of the code under test."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import Any

from tests.support.functions import QSTASH_KEYS, QSTASH_URL, WEBHOOK_SECRET, event


def signature(body: str, *, id_: str, timestamp: str, secret: str = WEBHOOK_SECRET) -> str:
    """Return a signature according to the Standard Webhooks specification."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.new(key, f"{id_}.{timestamp}.{body}".encode(), hashlib.sha256).digest()
    return f"v1,{base64.b64encode(digest).decode()}"


def webhook(
    body: str | Mapping[str, Any], *, id_: str = "msg_test_1", age: float = 0.0, secret: str = WEBHOOK_SECRET
) -> dict[str, Any]:
    """Return the event of a signed webhook that was sent `age` seconds ago."""
    text = body if isinstance(body, str) else json.dumps(body)
    timestamp = str(int(time.time() - age))
    signed = event("webhook")
    signed["body"] = text
    signed["headers"] |= {
        "webhook-id": id_,
        "webhook-timestamp": timestamp,
        "webhook-signature": signature(text, id_=id_, timestamp=timestamp, secret=secret),
    }
    return signed


def qstash(
    asked: Mapping[str, Any],
    /,
    *,
    key: str = QSTASH_KEYS[0],
    algorithm: str = "HS256",
    message: str = "msg_qstash_1",
    **claims: Any,
) -> dict[str, Any]:
    """Return the event of a QStash message. `claims` replace those of a valid token; None omits one."""
    text, now = json.dumps(asked), int(time.time())
    payload: dict[str, Any] = {
        "iss": "Upstash",
        "sub": QSTASH_URL,
        "exp": now + 300,
        "nbf": now,
        "iat": now,
        "jti": "jwt_test_1",
        "body": base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode(),
    }
    payload = {name: value for name, value in (payload | claims).items() if value is not None}
    signed = event("webhook_qstash")
    signed["body"] = text
    signed["headers"] |= {"upstash-signature": _token(payload, key, algorithm), "upstash-message-id": message}
    return signed


def _token(claims: Mapping[str, Any], key: str, algorithm: str) -> str:
    parts = [_encoded(json.dumps(part).encode()) for part in ({"alg": algorithm, "typ": "JWT"}, claims)]
    content = ".".join(parts)
    mac = "" if algorithm == "none" else _encoded(hmac.new(key.encode(), content.encode(), hashlib.sha256).digest())
    return f"{content}.{mac}"


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
