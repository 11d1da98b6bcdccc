"""Hosts on the operator's deny list: nothing is sent to them, by page client, webhook sender or browser."""

import socket
from collections.abc import Iterator

import pytest
from tests.adapters.http.conftest import LOOPBACK
from tests.adapters.http.loopback import page, responding, serving

from wavecrawl.adapters.http.client import RequestsPageClient
from wavecrawl.adapters.http.webhook_sender import GuardedWebhookSender
from wavecrawl.domain.fetching.exchange import FetchRequest, TransportFault
from wavecrawl.domain.tenants.operator_controls import OperatorControls
from wavecrawl.domain.webhooks.delivery import Delivery, DeliveryId
from wavecrawl.ports.webhooks import Webhook

BODY = b"<p>hello</p>"


class Operator:
    """Controls that change while a client exists."""

    def __init__(self) -> None:
        self.controls = OperatorControls()

    def deny(self, *hosts: str) -> None:
        self.controls = self.controls.deny(hosts)

    def denies(self, host: str) -> bool:
        return self.controls.denies(host)


@pytest.fixture(name="operator")
def an_operator() -> Operator:
    return Operator()


@pytest.fixture(name="client")
def client_of_the_operator(operator: Operator) -> Iterator[RequestsPageClient]:
    client = RequestsPageClient(
        user_agent="bot/1", allowed=LOOPBACK, lookup=lambda _: ("127.0.0.1",), denies=operator.denies
    )
    yield client
    client.close()


@pytest.mark.parametrize("host", ["shop.example", "www.shop.example", "SHOP.example", "127.0.0.1"])
def test_a_denied_host_is_never_connected_to(operator: Operator, client: RequestsPageClient, host: str) -> None:
    operator.deny("shop.example", "127.0.0.1")
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"http://{host}:{server.port}/"))
        assert (exchange.status, exchange.fault) == (None, TransportFault.DENIED_HOST)
        assert exchange.fault_detail == f"the operator does not allow requests to {host.lower()}"
        assert server.connections == 0


def test_another_name_of_a_denied_address_is_no_way_around(operator: Operator, client: RequestsPageClient) -> None:
    operator.deny("127.0.0.1")
    with serving(responding(page(BODY))) as server:
        exchange = client.fetch(FetchRequest(url=f"http://alias.example:{server.port}/"))
        assert (exchange.status, exchange.fault, server.connections) == (None, TransportFault.DENIED_HOST, 0)


def test_an_open_connection_is_not_used_once_its_host_is_denied(operator: Operator, client: RequestsPageClient) -> None:
    with serving(responding(page(BODY))) as server:
        url = f"http://shop.example:{server.port}/"
        assert client.fetch(FetchRequest(url=url)).status == 200
        operator.deny("shop.example")
        assert client.fetch(FetchRequest(url=url)).fault is TransportFault.DENIED_HOST
        assert client.fetch(FetchRequest(url=url.replace("shop", "other"))).status == 200


def test_no_webhook_message_is_sent_to_a_denied_host(operator: Operator) -> None:
    operator.deny("hooks.example")
    sender = GuardedWebhookSender(
        user_agent="bot/1", allowed=LOOPBACK, lookup=lambda _: ("127.0.0.1",), denies=operator.denies
    )
    with socket.create_server(("127.0.0.1", 0)) as listening:
        listening.settimeout(0)
        url = f"http://hooks.example:{listening.getsockname()[1]}/"
        id_ = DeliveryId(tenant="t", webhook="w", delivery="d")
        attempt = sender.send(
            Webhook(tenant="t", webhook="w", url=url, secret="whsec_bmV3"),
            Delivery(id=id_, kind="test", body="{}", created_at=1.0, due_at=1.0),
            now=1.0,
        )
        with pytest.raises(BlockingIOError):
            listening.accept()
    sender.close()
    assert attempt.error == "denied_host: the operator does not allow requests to hooks.example"
