"""Webhook messages: signed, sent to public addresses only, and sent once."""

import base64
import hashlib
import hmac
import socket
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace
from standardwebhooks import Webhook as Verifier
from tests.adapters.http.conftest import LOOPBACK, lookup
from tests.adapters.http.loopback import CA_FILE, Peer, Talk, once, page, responding, serving
from tests.support.patience import HANG

from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender
from wavecrawl.domain.webhooks.delivery import Attempt, Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

ID = DeliveryId(tenant="t", webhook="w", delivery="msg_20261121T100000_00")
MESSAGE = Delivery(id=ID, kind="crawl.completed", body='{"type":"crawl.completed","ä":1}', created_at=0.0, due_at=0.0)
SECRET, OLD = "whsec_bmV3IHNlY3JldA==", "whsec_b2xkIHNlY3JldA=="
HOOK = Webhook(tenant="t", webhook="w", url="", secret=SECRET)
USER_AGENT = "wavecrawl/test (+https://example.com)"
NOW = 1_795_255_200.75


@pytest.fixture(name="sender")
def a_sender() -> Iterator[GuardedWebhookSender]:
    made = GuardedWebhookSender(
        user_agent="wavecrawl/test (+https://example.com)",
        allowed=LOOPBACK,
        timeout=HANG,
        ca_file=CA_FILE,
        lookup=lookup,
    )
    yield made
    made.close()


class Receiver:
    """A receiver that accepts one message and responds."""

    def __init__(self, response: bytes) -> None:
        self.headers: dict[str, str] = {}
        self.line = ""
        self.body = b""
        self._response = response

    def __call__(self, peer: Peer) -> None:
        lines = peer.request().decode().split("\r\n")
        self.line = lines[0]
        self.headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in lines[1:])}
        length = int(self.headers["content-length"])
        while len(peer._rest) < length:
            peer._rest += peer.sock.recv(65_536)
        self.body = peer._rest
        peer.say(self._response)


def send(sender: GuardedWebhookSender, talk: Talk, *, webhook: Webhook = HOOK, tls: bool = False) -> Attempt:
    with serving(talk, tls=tls) as server:
        url = f"https://shop.example:{server.port}" if tls else server.url
        return sender.send(replace(webhook, url=f"{url}/in?for=shop"), MESSAGE, now=NOW)


def signature(secret: str, body: bytes) -> str:
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, b"msg_20261121T100000_00.1795255200." + body, hashlib.sha256).digest()
    return f"v1,{base64.b64encode(signed).decode()}"


def test_a_message_is_posted_as_specified(sender: GuardedWebhookSender) -> None:
    receiver = Receiver(page(b"thanks", status="202 Accepted"))
    attempt = send(sender, receiver)
    assert (attempt.at, attempt.status, attempt.error) == (NOW, 202, "")
    assert attempt.elapsed > 0
    assert receiver.line == "POST /in?for=shop HTTP/1.1"
    assert receiver.body == MESSAGE.body.encode()
    assert receiver.headers["content-type"] == "application/json"
    assert receiver.headers["user-agent"] == USER_AGENT
    assert receiver.headers["webhook-id"] == ID.delivery
    assert receiver.headers["webhook-timestamp"] == "1795255200"
    assert receiver.headers["webhook-signature"] == signature(SECRET, receiver.body)


def test_both_secrets_sign_during_rotation(sender: GuardedWebhookSender) -> None:
    receiver = Receiver(page(b""))
    send(sender, receiver, webhook=replace(HOOK, old_secret=OLD, old_secret_until=NOW + 1))
    assert receiver.headers["webhook-signature"].split() == [
        signature(SECRET, receiver.body),
        signature(OLD, receiver.body),
    ]


def test_messages_verify_with_the_reference_library(sender: GuardedWebhookSender) -> None:
    receiver = Receiver(page(b""))
    with serving(receiver) as server:
        sender.send(replace(HOOK, url=server.url), MESSAGE, now=time.time())
    assert Verifier(SECRET).verify(receiver.body, receiver.headers) == {"type": "crawl.completed", "ä": 1}


def test_messages_go_over_tls(sender: GuardedWebhookSender) -> None:
    assert send(sender, Receiver(page(b"")), tls=True).status == 200


def test_a_redirect_is_not_followed(sender: GuardedWebhookSender) -> None:
    with serving(responding(page(b""))) as elsewhere:
        talk = once(page(b"", f"Location: {elsewhere.url}/", status="307 Temporary Redirect"))
        assert send(sender, talk).status == 307
        assert elsewhere.connections == 0


def test_retry_after_of_a_receiver_is_returned(sender: GuardedWebhookSender) -> None:
    attempt = send(sender, once(page(b"", "Retry-After: 120", status="429 Too Many Requests")))
    assert (attempt.status, attempt.retry_after) == (429, 120.0)


@pytest.mark.parametrize("url", ["http://inside.example/", "http://10.1.2.3/", "http://169.254.169.254/latest/"])
def test_addresses_that_are_not_public_are_refused(sender: GuardedWebhookSender, url: str) -> None:
    attempt = sender.send(replace(HOOK, url=url), MESSAGE, now=NOW)
    assert attempt.status is None
    assert attempt.error == "blocked_address: the host has no public address"


def test_a_failed_connection_names_no_address_that_the_host_resolves_to(sender: GuardedWebhookSender) -> None:
    with socket.socket() as bound:  # not listening, so connections are refused
        bound.bind(("127.0.0.1", 0))
        attempt = sender.send(replace(HOOK, url=f"http://shop.example:{bound.getsockname()[1]}/"), MESSAGE, now=NOW)
    assert attempt.error == "connect: the host refuses connections, or cannot be reached"


def test_loopback_is_refused_unless_allowed() -> None:
    strict = GuardedWebhookSender(user_agent="wavecrawl/test", lookup=lookup)
    with serving(responding(page(b""))) as server:
        attempt = strict.send(replace(HOOK, url=server.url), MESSAGE, now=NOW)
        assert server.connections == 0
    assert attempt.error.startswith("blocked_address: ")
    strict.close()


@pytest.mark.parametrize(
    ("url", "fault"),
    [("http://nowhere.example/", "dns"), ("http://127.0.0.1:9/", "url"), ("ftp://shop.example/", "url")],
)
def test_a_request_that_cannot_be_sent_is_a_failed_attempt(sender: GuardedWebhookSender, url: str, fault: str) -> None:
    attempt = sender.send(replace(HOOK, url=url), MESSAGE, now=NOW)
    assert attempt.status is None
    assert attempt.error.startswith(f"{fault}: ")


def test_a_receiver_that_never_responds_times_out() -> None:
    hasty = GuardedWebhookSender(user_agent="wavecrawl/test", allowed=LOOPBACK, timeout=0.3)
    attempt = send(hasty, once(then=Peer.hold))
    assert attempt.error.startswith("timeout: ")
    hasty.close()


def test_a_response_body_is_not_read_to_its_end(sender: GuardedWebhookSender) -> None:
    attempt = send(sender, once(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n" + b"x" * 10_000))
    assert attempt.status == 200
