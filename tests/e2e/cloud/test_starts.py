"""Requests that start a crawl in the deployed service, and requests that do not."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from msgspec.structs import replace
from tests.support.cloud import Service
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

SLOW = {"polite": {"interval": 0.5, "in_flight": 1}}
QUICK = {"polite": {"interval": 0.0, "adapt": False}}


@pytest.fixture
def server() -> SiteServer:
    return SiteServer(plain_site(pages=20, body_bytes=1_500, links_per_page=18))


def test_one_message_sent_twenty_times_at_once_starts_one_crawl(service: Service, server: SiteServer) -> None:
    before = set(service.deployment.executions())
    with server:
        body = {"url": server.url, "settings": QUICK}
        with ThreadPoolExecutor(20) as pool:
            answers = list(pool.map(lambda _: service.webhook(body, id_="msg_twenty_times"), range(20)))
        admitted = [
            answer for answer in answers if answer.status_code != 429
        ]  # throttled: more requests than the function admits
        statuses = [answer.status_code for answer in admitted]
        assert statuses.count(202) == 1
        assert set(statuses) <= {200, 202, 409}  # 200 after the start, 409 during it
        (crawl,) = {answer.json()["crawl"] for answer in admitted}
        shown = service.wait_for(crawl)
    assert len(admitted) > 5
    assert set(service.deployment.executions()) - before == {crawl}
    assert (shown["status"], shown["counters"]["fetched"]) == ("completed", 20)


def test_a_site_that_is_being_crawled_is_not_started_again_and_can_be_cancelled(
    service: Service, server: SiteServer
) -> None:
    with server:
        body = {"url": server.url, "settings": SLOW}
        crawl = service.webhook(body).json()["crawl"]
        second = service.webhook(body)
        assert (second.status_code, second.json()["crawl"]) == (409, crawl)
        assert second.headers["content-type"] == "application/problem+json"

        service.api("POST", f"/v1/crawls/{crawl}/cancel")
        shown = service.wait_for(crawl)
        assert shown["status"] == "cancelled"
        assert shown["counters"]["fetched"] < 20

        third = service.webhook(body | {"settings": QUICK})
        assert third.status_code == 202
        assert service.wait_for(third.json()["crawl"])["status"] == "completed"


def test_a_crawl_ends_when_its_budget_is_spent(service: Service, server: SiteServer) -> None:
    with server:
        crawl = service.start(server.url, {"budget_usd": 0.00025, **QUICK})
        shown = service.wait_for(crawl)
    assert shown["status"] == "budget_exhausted"
    assert 1 <= shown["counters"]["fetched"] < 20
    names = {export["name"] for export in service.api("GET", f"/v1/crawls/{crawl}/exports")["exports"]}
    assert {"summary.json", "ledger.csv", "report.html"} <= names


def test_messages_that_are_not_genuine_start_nothing(service: Service, server: SiteServer) -> None:
    before = service.deployment.executions()
    with server:
        body = {"url": server.url}
        unsigned = service.unsigned(body)
        forged = replace(service, secret="whsec_Zm9yZ2VkLXNlY3JldC1vZi1zb21lYm9keQ==").webhook(body)
        stale = service.webhook(body, age=301.0)
        huge = service.webhook({**body, "settings": {"urls": ["x" * 70_000]}})
        bad = service.webhook({**body, "settings": {"max_pages": "many"}})
    answers = (unsigned, forged, stale, huge, bad)
    assert [answer.status_code for answer in answers] == [401, 401, 401, 413, 400]
    assert "max_pages must be a whole number" in bad.text
    assert service.deployment.executions() == before
