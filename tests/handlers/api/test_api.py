"""The API function over moto."""

import re
from datetime import datetime
from types import ModuleType
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.asking import Response, ask
from tests.support.functions import API_KEY, Deployment

from wavecrawl.application.file_problems import note_problems
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.outcome import CrawlOutcome
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.waits import Wait, WaitReason
from wavecrawl.errors import MisconfiguredError, StoreBusyError, ThrottledError
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.event_log import ENDED, LoggedEvent


@pytest.fixture
def function(stack: Deployment) -> ModuleType:
    return stack.load("api")


def call(function: ModuleType, method: str, path: str, body: Any = None, **more: Any) -> tuple[int, Any, Any]:
    answered: Response = ask(function.handler, method, path, body, **more)
    return answered.status, answered.body, answered.headers


def crawl_of(
    function: ModuleType,
    crawl: str,
    *,
    site: str = "s",
    tenant: str = "default",
    status: CrawlStatus = CrawlStatus.RUNNING,
) -> CrawlId:
    id_ = CrawlId(tenant=tenant, site=site, crawl=crawl)
    row = CrawlRow(
        id=id_,
        start_url="http://s.example/",
        root_url="",
        settings=CrawlSettings(),
        status=status,
        started_at=1795255200.0,
    )
    assert function.cloud.crawls.create(row) is None
    return id_


def test_a_crawl_is_started(stack: Deployment, function: ModuleType) -> None:
    status, body, headers = call(function, "POST", "/v1/crawls", {"url": "http://site.example/"})
    assert status == 202
    assert (body["status"], headers["location"]) == ("running", f"/v1/crawls/{body['crawl']}")
    assert stack.executions() == [body["crawl"]]


def test_batches_are_leased_for_as_long_as_the_deployment_says(stack: Deployment) -> None:
    function = stack.load("api", WAVECRAWL_LEASE="90")
    _, body, _ = call(function, "POST", "/v1/crawls", {"url": "http://site.example/"})
    assert function.cloud.crawls.find("default", body["crawl"]).settings.waves.lease == 90


def test_a_second_crawl_of_the_site_is_refused_with_the_first_ones_id(function: ModuleType) -> None:
    _, first, _ = call(function, "POST", "/v1/crawls", {"url": "http://site.example/"})
    status, second, headers = call(function, "POST", "/v1/crawls", {"url": "http://site.example/"})
    assert (status, second["crawl"]) == (409, first["crawl"])
    assert headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("shown", ["", "Bearer", "Bearer wrong", f"Basic {API_KEY}", API_KEY, "Bearer \u00e9"])
@pytest.mark.parametrize(("method", "path"), [("POST", "/v1/crawls"), ("GET", "/v1/crawls"), ("GET", "/v1/crawls/c")])
def test_requests_without_a_key_are_refused(
    stack: Deployment, function: ModuleType, method: str, path: str, shown: str
) -> None:
    status, body, headers = call(
        function, method, path, {"url": "http://site.example/"}, headers={"authorization": shown}
    )
    assert (status, body["title"], headers["www-authenticate"]) == (401, "Unauthorized", "Bearer")
    assert stack.executions() == []


def test_an_address_with_too_many_wrong_keys_is_blocked_for_a_minute(stack: Deployment) -> None:
    function = stack.load("api", WAVECRAWL_WRONG_KEYS_A_MINUTE="3")
    wrong = {"authorization": "Bearer wrong"}

    def status(headers: dict[str, str] | None = None, source: str = "203.0.113.9") -> int:
        return call(function, "GET", "/v1/crawls", headers=headers, source=source)[0]

    assert [status(wrong) for _ in range(4)] == [401, 401, 401, 429]
    assert status() == 429  # also with the right key, which it may have guessed
    assert status(source="203.0.113.10") == 200
    _, body, headers = call(function, "GET", "/v1/crawls", source="203.0.113.9")
    assert "3 requests from your address had no valid API key" in body["detail"]
    assert 1 <= int(headers["retry-after"]) <= 60


def test_the_old_key_counts_while_keys_are_rotated(function: ModuleType) -> None:
    assert call(function, "GET", "/v1/crawls", headers={"authorization": "bearer test-key-of-yesterday"})[0] == 200


def test_the_health_is_open(function: ModuleType) -> None:
    assert call(function, "GET", "/health", headers={"authorization": ""})[:2] == (200, {"status": "ok"})


def test_a_crawl_is_shown_with_its_counters_and_its_bill(function: ModuleType) -> None:
    id_ = crawl_of(function, "20261121-100000-aaaaaaaa")
    cloud = function.cloud
    cloud.waves.create(id_, 1, planned=3)
    cloud.waves.add_usage(id_, 1, Usage(lambda_requests=1_000_000, write_units=1_000_000))
    status, body, _ = call(function, "GET", "/v1/crawls/20261121-100000-aaaaaaaa")
    assert status == 200
    assert body == {
        "crawl": "20261121-100000-aaaaaaaa",
        "site": "s",
        "status": "running",
        "url": "http://s.example/",
        "root_url": None,
        "started_at": "2026-11-21T10:00:00Z",
        "finished_at": None,
        "seconds": body["seconds"],
        "cancel_asked": False,
        "triggered_by": None,
        "resumes": 0,
        "queue_place": None,
        "error": None,
        "counters": {
            "waves": 1,
            "batches": 3,
            "batches_done": 0,
            "records": 0,
            "in_progress": 0,
            "fetched": 0,
            "bytes": 0,
            "faults": 0,
            "media": 0,
        },
        "settings": body["settings"],
        "bill": body["bill"],
        "outcome": None,
        "site_name": None,
    }
    assert (body["settings"]["max_pages"], body["settings"]["polite"]["in_flight"]) == (1000, 5)
    assert (body["bill"]["usd"], body["bill"]["services"]["DynamoDB"]) == (0.825, 0.625)


def test_a_crawl_that_used_nothing_yet_has_no_bill(function: ModuleType) -> None:
    id_ = crawl_of(function, "c1")
    assert call(function, "GET", "/v1/crawls/c1")[1]["bill"] is None
    assert function.cloud.waves.progress(id_).waves == 0


def test_crawls_are_listed_newest_first_page_by_page(function: ModuleType) -> None:
    for number in range(5):
        crawl_of(function, f"20261121-10000{number}-aaaaaaaa", site=f"s{number}")
    crawl_of(function, "20261121-100009-aaaaaaaa", tenant="other")
    _, first, _ = call(function, "GET", "/v1/crawls", query={"limit": "3"})
    _, second, _ = call(function, "GET", "/v1/crawls", query={"limit": "3", "cursor": first["next_cursor"]})
    assert [crawl["site"] for crawl in first["crawls"]] == ["s4", "s3", "s2"]
    assert [crawl["site"] for crawl in second["crawls"]] == ["s1", "s0"]
    assert second["next_cursor"] is None


def test_a_list_of_crawls_has_their_counters_and_durations(function: ModuleType) -> None:
    cloud = function.cloud
    for number, batches in enumerate((3, 5)):
        id_ = crawl_of(function, f"20261121-10000{number}-aaaaaaaa", site=f"s{number}")
        cloud.waves.create(id_, 1, planned=batches)
    row = cloud.crawls.read(id_)
    cloud.crawls.finish(id_, status=CrawlStatus.COMPLETED, now=row.started_at + row.waited + 90.0)
    _, listed, _ = call(function, "GET", "/v1/crawls")
    assert [crawl["counters"]["batches"] for crawl in listed["crawls"]] == [5, 3]
    assert listed["crawls"][0]["seconds"] == 90.0


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("0", "Input should be greater than or equal to 1"),
        ("101", "Input should be less than or equal to 100"),
        ("many", "Input should be a valid integer, unable to parse string as an integer"),
    ],
)
def test_a_limit_that_makes_no_sense_is_named(function: ModuleType, limit: str, why: str) -> None:
    status, body, _ = call(function, "GET", "/v1/crawls", query={"limit": limit})
    assert (status, body["errors"]) == (400, [f"limit: {why}"])


def test_a_running_crawl_is_asked_to_stop(function: ModuleType) -> None:
    id_ = crawl_of(function, "c1")
    status, body, _ = call(function, "POST", "/v1/crawls/c1/cancel")
    assert (status, body["cancel_asked"]) == (202, True)
    assert function.cloud.crawls.read(id_).cancel_asked


def test_a_crawl_that_has_ended_cannot_be_cancelled(function: ModuleType) -> None:
    function.cloud.crawls.finish(crawl_of(function, "c1"), status=CrawlStatus.COMPLETED, now=1.0)
    status, body, _ = call(function, "POST", "/v1/crawls/c1/cancel")
    assert (status, body["detail"]) == (409, "crawl c1 has ended: it is completed")


def test_a_queued_crawl_shows_its_place(function: ModuleType) -> None:
    crawl_of(function, "c1")
    for name in ("c2", "c3"):
        crawl_of(function, name, site=name, status=CrawlStatus.QUEUED)
    function.cloud.crawls.launched(CrawlId(tenant="default", site="s", crawl="c1"), resumes=0)
    listed = call(function, "GET", "/v1/crawls")[1]["crawls"]
    assert [(one["crawl"], one["status"], one["queue_place"]) for one in listed] == [
        ("c3", "queued", 2),
        ("c2", "queued", 1),
        ("c1", "running", None),
    ]
    for path in ("/v1/crawls/c3", "/v1/crawls/c3/summary"):
        assert call(function, "GET", path)[1]["queue_place"] == 2


@pytest.mark.parametrize(("headers", "trigger"), [({}, "api"), ({"sec-fetch-site": "same-origin"}, "dashboard")])
def test_a_crawl_names_what_started_it(function: ModuleType, headers: dict[str, str], trigger: str) -> None:
    def send(method: str, path: str, body: Any = None) -> Any:
        return ask(function.handler, method, path, body, headers=headers).body

    crawl = send("POST", "/v1/crawls", {"url": "https://a.example/"})
    site = send("POST", "/v1/sites", {"url": "https://b.example/"})["site"]
    of_site = send("POST", f"/v1/sites/{site}/crawls")
    assert (crawl["triggered_by"], of_site["triggered_by"]) == (trigger, trigger)
    assert send("GET", f"/v1/crawls/{crawl['crawl']}")["triggered_by"] == trigger
    assert [one["triggered_by"] for one in send("GET", "/v1/crawls")["crawls"]] == [trigger, trigger]
    (listed,) = ask(function.handler, "GET", "/v1/sites", query={"crawls": "1"}).body["sites"]
    assert listed["crawls"][0]["triggered_by"] == trigger


def test_a_queued_crawl_is_cancelled_at_once(function: ModuleType) -> None:
    id_ = crawl_of(function, "c1", status=CrawlStatus.QUEUED)
    assert call(function, "DELETE", "/v1/crawls/c1")[0] == 409
    status, body, _ = call(function, "POST", "/v1/crawls/c1/cancel")
    assert (status, body["status"]) == (202, "cancelled")
    assert function.cloud.crawls.queue(id_.tenant) == []
    (ending,) = function.cloud.event_log.after(id_, -1, limit=9)
    assert (ending.kind, ending.data["status"]) == (EventKind.COMPLETED, "cancelled")
    assert not function.cloud.crawls.read(id_).has_results


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/v1/crawls/none"), ("POST", "/v1/crawls/none/cancel"), ("GET", "/v1/crawls/none/exports")],
)
def test_a_crawl_that_does_not_exist(function: ModuleType, method: str, path: str) -> None:
    crawl_of(function, "none", tenant="other")
    status, body, _ = call(function, method, path)
    assert (status, body["detail"]) == (404, "crawl none does not exist")


@pytest.mark.parametrize("crawl", ["a" * 65, "a" * 3000, "a.b", "a:b"])
@pytest.mark.parametrize(("method", "rest"), [("GET", ""), ("POST", "/cancel"), ("GET", "/exports")])
def test_what_is_no_id_of_a_crawl_is_not_looked_up(
    function: ModuleType, monkeypatch: pytest.MonkeyPatch, method: str, rest: str, crawl: str
) -> None:
    monkeypatch.setattr(function.cloud.crawls, "find", None)
    status, body, _ = call(function, method, f"/v1/crawls/{crawl}{rest}")
    assert (status, body["detail"]) == (404, f"crawl {crawl} does not exist")


def test_exports_are_handed_out_as_signed_urls(stack: Deployment, function: ModuleType) -> None:
    id_ = crawl_of(function, "c1")
    key = "tenants/default/sites/s/crawls/c1/exports/pages.csv"
    stack.clients.s3.put_object(Bucket=stack.bucket, Key=key, Body=b"url\n")
    status, body, _ = call(function, "GET", f"/v1/crawls/{id_.crawl}/exports")
    assert status == 200
    (file,) = body["exports"]
    assert (file["name"], file["bytes"], file["content_type"]) == ("pages.csv", 4, "text/csv; charset=utf-8")
    assert file["description"] == "Requested URLs as a table, one row per URL"
    assert key in file["url"]
    assert "response-content-disposition=attachment%3B%20filename%3D%22s-c1-pages.csv%22" in file["url"]
    assert "response-content-type=text%2Fcsv" in file["url"]
    assert "3600" in file["url"] or "Expires=" in file["url"]


def with_results(stack: Deployment, function: ModuleType) -> CrawlId:
    id_ = crawl_of(function, "c1")
    crawls = function.cloud.crawls
    crawls.settle_root(id_, "https://example.com/")
    crawls.note_outcome(id_, CrawlOutcome(pages=1, errors=0))
    assert crawls.finish(id_, status=CrawlStatus.COMPLETED, now=2.0)
    put_export(stack, "summary.json")
    return id_


def put_export(stack: Deployment, name: str) -> None:
    key = f"tenants/default/sites/s/crawls/c1/exports/{name}"
    stack.clients.s3.put_object(Bucket=stack.bucket, Key=key, Body=b"url\n")


def test_a_file_that_is_asked_for_is_created_once(stack: Deployment, function: ModuleType) -> None:
    with_results(stack, function)
    listed = call(function, "GET", "/v1/crawls/c1/exports")[1]
    assert {"graph.json", "crawl.wacz", "llms.txt"} < {one["name"] for one in listed["possible"]}
    assert all(one["description"] for one in listed["possible"])
    for name in ("graph.json", "graph.bin.gz", "graph.json"):
        status, body, headers = call(function, "GET", f"/v1/crawls/c1/exports/{name}")
        assert (status, body["export"], headers["retry-after"]) == (202, None, "2")
    (execution,) = stack.executions()
    assert re.fullmatch(r"c1-[0-9a-f]{6}-\d+-0", execution)
    put_export(stack, "graph.json")
    status, body, _ = call(function, "GET", "/v1/crawls/c1/exports/graph.json")
    assert (status, body["export"]["bytes"]) == (200, 4)
    assert len(stack.executions()) == 1


def test_a_failed_crawl_whose_results_were_made_has_files_to_create(stack: Deployment, function: ModuleType) -> None:
    id_ = crawl_of(function, "c1")
    assert function.cloud.crawls.finish(id_, status=CrawlStatus.FAILED, now=2.0)
    assert call(function, "GET", "/v1/crawls/c1/exports/graph.json")[0] == 404
    put_export(stack, "summary.json")
    assert call(function, "GET", "/v1/crawls/c1/exports/graph.json")[0] == 202


def test_a_file_that_cannot_be_created_is_not_tried_again_and_again(stack: Deployment, function: ModuleType) -> None:
    id_ = with_results(stack, function)
    note_problems(function.cloud.crawl(id_), ["crawl.wacz"], {"crawl.wacz": "it is too large"}, function.cloud.objects)
    status, body, _ = call(function, "GET", "/v1/crawls/c1/exports/crawl.wacz")
    assert (status, body["detail"]) == (409, "crawl.wacz cannot be created: it is too large")
    assert stack.executions() == []


@pytest.mark.parametrize("name", ["notes.doc", "media.csv", "..%2Fsummary.json"])
def test_a_file_that_the_crawl_cannot_have_does_not_exist(stack: Deployment, function: ModuleType, name: str) -> None:
    with_results(stack, function)
    assert call(function, "GET", f"/v1/crawls/c1/exports/{name}")[0] == 404


def test_a_crawl_without_results_has_no_files_to_create(stack: Deployment, function: ModuleType) -> None:
    crawl_of(function, "c1")
    put_export(stack, "graph.bin.gz")
    assert call(function, "GET", "/v1/crawls/c1/exports")[1]["possible"] == []
    assert call(function, "GET", "/v1/crawls/c1/exports/graph.json")[0] == 404


def test_a_crawl_without_exports_has_an_empty_list(function: ModuleType) -> None:
    crawl_of(function, "c1")
    assert call(function, "GET", "/v1/crawls/c1/exports")[1]["exports"] == []


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("DELETE", "/v1/crawls", "GET, POST"),
        ("POST", "/v1/crawls/c1", "DELETE, GET"),
        ("GET", "/v1/crawls/c1/cancel", "POST"),
        ("POST", "/health", "GET"),
        ("PUT", "/v1/crawls/c1/exports", "GET, POST"),
    ],
)
def test_a_wrong_method_is_refused_with_the_allowed_ones(
    function: ModuleType, method: str, path: str, allowed: str
) -> None:
    status, body, headers = call(function, method, path)
    assert (status, body["title"], headers["allow"]) == (405, "Method Not Allowed", allowed)


@pytest.mark.parametrize("path", ["/v1", "/v2/crawls", "/index.html", "/v1/crawls/c1/exports/pages.csv/more"])
def test_a_path_that_is_not_there(function: ModuleType, path: str) -> None:
    status, body, headers = call(function, "GET", path)
    assert (status, body["status"], headers["content-type"]) == (404, 404, "application/problem+json")


@pytest.mark.parametrize("kind", ["text/plain", "", "application/x-www-form-urlencoded"])
def test_a_body_of_another_type_is_refused(function: ModuleType, kind: str) -> None:
    status, _, _ = call(function, "POST", "/v1/crawls", {"url": "http://site.example/"}, headers={"content-type": kind})
    assert status == 415


def test_a_body_that_is_too_large_is_refused(function: ModuleType) -> None:
    assert call(function, "POST", "/v1/crawls", "x" * 65_537)[0] == 413


def test_each_problem_of_the_settings_is_named(function: ModuleType) -> None:
    _, body, _ = call(function, "POST", "/v1/crawls", {"url": "http://s.example/", "settings": {"a": 1, "b": 2}})
    assert body["status"] == 400
    assert [error.partition(";")[0] for error in body["errors"]] == ["a is not a setting", "b is not a setting"]


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (ThrottledError("slow down"), 429, "too many requests at once; retry in a few seconds"),
        (MisconfiguredError("/srv/data is read-only"), 500, "internal error; see the service's logs for x-request-id"),
        (StoreBusyError("no answer"), 503, "temporarily unavailable; retry in a few seconds"),
        (ZeroDivisionError("private"), 500, "internal error; see the service's logs for x-request-id"),
    ],
)
def test_server_errors_reveal_no_details(
    function: ModuleType, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, detail: str
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(function.cloud.crawls, "find", fail)
    found, body, headers = call(function, "GET", "/v1/crawls/c1")
    assert (found, body["detail"]) == (status, detail)
    assert headers.get("retry-after") == (None if status == 500 else "5")


def test_crawls_are_listed_by_status_and_site(function: ModuleType) -> None:
    for number in range(4):
        id_ = crawl_of(function, f"c{number}", site=f"s{number}")
        if number % 2:
            function.cloud.crawls.finish(id_, status=CrawlStatus.FAILED, now=1.0)
    failed = call(function, "GET", "/v1/crawls", query={"status": "failed", "limit": "1"})[1]
    assert [crawl["site"] for crawl in failed["crawls"]] == ["s3"]
    cursor = {"status": "failed", "limit": "1", "cursor": failed["next_cursor"]}
    assert [crawl["site"] for crawl in call(function, "GET", "/v1/crawls", query=cursor)[1]["crawls"]] == ["s1"]
    assert call(function, "GET", "/v1/crawls", query=cursor | {"status": "running"})[0] == 400
    assert [crawl["crawl"] for crawl in call(function, "GET", "/v1/crawls", query={"site": "s2"})[1]["crawls"]] == [
        "c2"
    ]
    assert call(function, "GET", "/v1/crawls", query={"status": "lost"})[0] == 400


def test_an_ended_crawl_is_deleted_with_all_it_left(stack: Deployment, function: ModuleType) -> None:
    id_ = crawl_of(function, "c1")
    key = "tenants/default/sites/s/crawls/c1/exports/pages.csv"
    stack.clients.s3.put_object(Bucket=stack.bucket, Key=key, Body=b"url\n")
    function.cloud.crawls.finish(id_, status=CrawlStatus.COMPLETED, now=1.0)
    deleted = ask(function.handler, "DELETE", "/v1/crawls/c1")
    assert (deleted.status, deleted.text) == (204, "")
    assert call(function, "GET", "/v1/crawls/c1")[0] == 404
    assert call(function, "DELETE", "/v1/crawls/c1")[0] == 404
    assert "Contents" not in stack.clients.s3.list_objects_v2(Bucket=stack.bucket)


def test_a_crawl_whose_worker_may_still_store_pages_is_not_deleted(function: ModuleType) -> None:
    cloud, id_ = function.cloud, crawl_of(function, "c1")
    batch, now = BatchId(crawl=id_, wave=1, batch=0), cloud.clock.now()
    lease = cloud.batches.lease(batch, owner="w", now=now, seconds=3_600.0)
    cloud.crawls.finish(id_, status=CrawlStatus.CANCELLED, now=now)
    status, body, _ = call(function, "DELETE", "/v1/crawls/c1")
    assert status == 409
    assert "crawl c1 has ended, but a worker may still store pages of it; delete it in 3" in body["detail"]
    assert cloud.batches.read(batch) is not None
    cloud.batches.give_back(lease)
    assert ask(function.handler, "DELETE", "/v1/crawls/c1").status == 204


def test_a_running_crawl_is_not_deleted(function: ModuleType) -> None:
    crawl_of(function, "c1")
    status, body, _ = call(function, "DELETE", "/v1/crawls/c1")
    assert (status, body["detail"]) == (409, "crawl c1 is running; cancel it, and delete it when it has ended")
    assert call(function, "GET", "/v1/crawls/c1")[0] == 200


def test_while_a_site_is_crawled_none_of_its_crawls_is_deleted(function: ModuleType) -> None:
    function.cloud.crawls.finish(crawl_of(function, "c1"), status=CrawlStatus.COMPLETED, now=1.0)
    running = crawl_of(function, "c2")
    status, body, _ = call(function, "DELETE", "/v1/crawls/c1")
    assert (status, body["crawl"]) == (409, "c2")
    assert "crawl c2 of the site is running, and may refer to what its other crawls have stored" in body["detail"]
    function.cloud.crawls.finish(running, status=CrawlStatus.FAILED, now=2.0)
    assert ask(function.handler, "DELETE", "/v1/crawls/c1").status == 204


def test_the_summary_says_how_far_a_crawl_is(function: ModuleType) -> None:
    id_, cloud = crawl_of(function, "c1"), function.cloud
    assert call(function, "GET", "/v1/crawls/c1/summary")[1]["phase"] is None
    for wave in (1, 2):
        cloud.waves.create(id_, wave, planned=3)
    plan = LoggedEvent(sequence=2, kind=EventKind.PROGRESS, at=1.0, data={"wave": 1, "phase": "bfs", "known": 9})
    cloud.event_log.append(id_, plan)
    summary = call(function, "GET", "/v1/crawls/c1/summary")[1]
    assert (summary["phase"], summary["wave"], summary["known"], summary["pending"]) == ("bfs", 1, 9, None)
    later = {"wave": 2, "phase": "orphan", "known": 12, "pending": 4}
    cloud.event_log.append(id_, LoggedEvent(sequence=4, kind=EventKind.PROGRESS, at=2.0, data=later))
    summary = call(function, "GET", "/v1/crawls/c1/summary")[1]
    assert {name: summary[name] for name in later} == later
    assert (summary["batches"], summary["status"], summary["started_at"]) == (6, "running", "2026-11-21T10:00:00Z")


def test_the_summary_says_for_what_a_crawl_waits(function: ModuleType) -> None:
    id_, cloud = crawl_of(function, "c1"), function.cloud
    cloud.waves.create(id_, 1, planned=3)
    assert call(function, "GET", "/v1/crawls/c1/summary")[1]["wait"] is None
    until = cloud.clock.now() + 600.0
    wait = Wait(reason=WaitReason.RETRY_AFTER, host="a.example", until=until, seconds=600.0)
    cloud.waves.mark_sent(id_, 1, at=until, wait=wait)
    found = call(function, "GET", "/v1/crawls/c1/summary")[1]["wait"]
    assert (found["reason"], found["host"]) == ("retry_after", "a.example")
    assert found["text"] == "a.example asked for it (Retry-After 600 s)"
    assert abs(datetime.fromisoformat(found["until"]).timestamp() - until) < 1.0
    cloud.waves.mark_sent(id_, 1, at=until, wait=replace(wait, until=cloud.clock.now() - 1.0))
    assert call(function, "GET", "/v1/crawls/c1/summary")[1]["wait"] is None, "it is over"


def test_the_summary_knows_the_last_plan_though_waves_without_batches_are_not_stored(function: ModuleType) -> None:
    id_, cloud = crawl_of(function, "c1"), function.cloud
    cloud.waves.create(id_, 1, planned=1)
    cloud.waves.create(id_, 4, planned=1)  # waves 2, 3 and 5 had nothing to fetch
    for wave, phase in enumerate(("bfs", "bfs", "sitemap", "sitemap", "orphan"), start=1):
        said = {"wave": wave, "phase": phase, "known": 10 + wave, "pending": 0}
        cloud.event_log.append(id_, LoggedEvent(sequence=2 * wave, kind=EventKind.PROGRESS, at=1.0, data=said))
    cloud.event_log.append(id_, LoggedEvent(sequence=ENDED, kind=EventKind.COMPLETED, at=9.0))
    summary = call(function, "GET", "/v1/crawls/c1/summary")[1]
    assert (summary["wave"], summary["phase"], summary["known"]) == (5, "orphan", 15)
