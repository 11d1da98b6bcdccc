"""POST /webhooks/qstash: the function over moto."""

import base64
import hashlib
import json
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
from tests.support.functions import QSTASH_KEYS, Context, Deployment
from tests.support.signing import qstash

ASKED = {"url": "http://site.example/"}


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    return stack.load("webhook")


def call(function: ModuleType, event: dict[str, Any], context: Context) -> tuple[int, dict[str, Any]]:
    answer = function.handler(event, context)
    return answer["statusCode"], json.loads(answer["body"])


def test_a_message_of_qstash_starts_a_crawl(stack: Deployment, function: ModuleType, context: Context) -> None:
    status, body = call(function, qstash(ASKED), context)
    assert status == 202
    assert stack.executions() == [body["crawl"]]


def test_the_next_key_counts_as_well(function: ModuleType, context: Context) -> None:
    assert call(function, qstash(ASKED, key=QSTASH_KEYS[1]), context)[0] == 202


def test_a_body_hash_without_padding_is_the_same_hash(function: ModuleType, context: Context) -> None:
    digest = base64.urlsafe_b64encode(hashlib.sha256(json.dumps(ASKED).encode()).digest()).decode().rstrip("=")
    assert call(function, qstash(ASKED, body=digest), context)[0] == 202


@pytest.mark.parametrize("claims", [{"nbf": 4, "iat": 4}, {"exp": -2}], ids=["ahead", "behind"])
def test_clocks_may_be_a_few_seconds_apart(function: ModuleType, context: Context, claims: dict[str, int]) -> None:
    now = int(time.time())
    shifted: dict[str, Any] = {name: now + seconds for name, seconds in claims.items()}
    event = qstash(ASKED, **shifted)
    assert call(function, event, context)[0] == 202


@pytest.mark.parametrize(
    ("made", "why"),
    [
        (lambda: qstash(ASKED, key="another-key-of-thirty-two-bytes--"), "Signature verification failed"),
        (lambda: qstash(ASKED, algorithm="none"), "The specified alg value is not allowed"),
        (lambda: qstash(ASKED, algorithm="HS512"), "The specified alg value is not allowed"),
        (lambda: qstash(ASKED, iss="Somebody"), "Invalid issuer"),
        (lambda: qstash(ASKED, sub="https://elsewhere.example/"), "Invalid subject"),
        (lambda: qstash(ASKED, exp=int(time.time()) - 60), "Signature has expired"),
        (lambda: qstash(ASKED, nbf=int(time.time()) + 600), "The token is not yet valid (nbf)"),
        (lambda: qstash(ASKED, body="AAAA"), "the token was made for another body"),
        (lambda: qstash(ASKED) | {"body": "{}"}, "the token was made for another body"),
        (lambda: qstash(ASKED, jti=None), 'Token is missing the "jti" claim'),
        (lambda: qstash(ASKED, body=None), 'Token is missing the "body" claim'),
        (lambda: qstash(ASKED, exp=None), 'Token is missing the "exp" claim'),
    ],
    ids="key none-algorithm other-algorithm issuer subject expired early hash body jti body-claim exp".split(),
)
def test_a_wrong_token_starts_nothing(
    stack: Deployment, function: ModuleType, context: Context, made: Callable[[], dict[str, Any]], why: str
) -> None:
    status, body = call(function, made(), context)  # signed now, not at collection
    assert (status, body["detail"]) == (401, f"signature refused: {why}")
    assert stack.executions() == []


@pytest.mark.parametrize("token", ["", "garbage", "a.b.c"])
def test_what_is_no_token_is_refused(function: ModuleType, context: Context, token: str) -> None:
    event = qstash(ASKED)
    event["headers"]["upstash-signature"] = token
    assert call(function, event, context)[0] == 401


def test_a_token_is_accepted_once(stack: Deployment, function: ModuleType, context: Context) -> None:
    _, first = call(function, qstash(ASKED), context)
    status, again = call(function, qstash(ASKED), context)
    assert (status, again["crawl"]) == (200, first["crawl"])
    status, again = call(function, qstash(ASKED, message="msg_another"), context)
    assert (status, again["crawl"]) == (200, first["crawl"])
    assert stack.executions() == [first["crawl"]]


def test_another_attempt_at_the_same_message_starts_nothing_new(
    stack: Deployment, function: ModuleType, context: Context
) -> None:
    _, first = call(function, qstash(ASKED), context)
    _, again = call(function, qstash(ASKED, jti="jwt_of_the_second_attempt"), context)
    assert again["crawl"] == first["crawl"]
    assert stack.executions() == [first["crawl"]]


def test_without_a_url_there_is_no_qstash(stack: Deployment, context: Context) -> None:
    function = stack.load("webhook", WAVECRAWL_QSTASH_URL="")
    status, body = call(function, qstash(ASKED), context)
    assert (status, body["detail"]) == (404, "this deployment does not accept QStash messages")
