"""The client over a scripted API: requests, retries and errors."""

import json
from pathlib import Path

import pytest
from tests.support.scripted_api import NO_ANSWER, Scripted, ScriptedApi, document, problem

from wavecrawl.client import (
    ApiError,
    ApiUnreachableError,
    Client,
    CrawlSettings,
    CrawlStatus,
    NewCrawl,
    RetryPolicy,
    SiteUpdate,
    StillRunningError,
)

STARTED = {"crawl": "c1", "site": "s1", "status": "running", "triggered_by": "api", "cancel_asked": False}
CRAWL = {
    **STARTED,
    "url": "https://example.com/",
    "root_url": None,
    "resumes": 0,
    "queue_place": None,
    "started_at": "2026-11-21T10:00:00Z",
    "finished_at": None,
    "seconds": 0.0,
    "error": None,
    "counters": dict.fromkeys(
        ("waves", "batches", "batches_done", "records", "in_progress", "fetched", "bytes", "faults", "media"), 0
    ),
    "settings": {"max_pages": 7},
    "site_name": None,
    "outcome": None,
    "bill": None,
}


class Waits(list[float]):
    """Recorded delays in seconds, in place of sleeping."""

    def policy(self, tries: int = 5) -> RetryPolicy:
        return RetryPolicy(attempts=tries, sleep=self.append)


@pytest.fixture
def waits() -> Waits:
    return Waits()


def test_settings_may_be_a_dict() -> None:
    settings = {"max_pages": 7, "scope": {"exclude": ["/docs/*"]}}
    with ScriptedApi(document(STARTED, status=202)) as api, Client(f"{api.url}/", "k") as client:
        client.start_crawl(NewCrawl(url="https://example.com/", settings=settings))  # a warning would be an error
    assert json.loads(api.requests[0].body) == {"url": "https://example.com/", "settings": settings}


def test_a_crawl_is_started_with_no_more_than_was_set() -> None:
    with ScriptedApi(document(STARTED, status=202)) as api, Client(f"{api.url}/", "k") as client:
        started = client.start_crawl(NewCrawl(url="https://example.com/", settings=CrawlSettings(max_pages=7)))
    assert (started.crawl, started.status) == ("c1", CrawlStatus.RUNNING)
    request = api.requests[0]
    assert (request.method, request.path, request.headers["authorization"]) == ("POST", "/v1/crawls", "Bearer k")
    assert request.headers["content-type"] == "application/json"
    assert json.loads(request.body) == {"url": "https://example.com/", "settings": {"max_pages": 7}}


def test_an_id_is_quoted_in_the_path() -> None:
    with ScriptedApi(document(CRAWL)) as api, Client(api.url, "k") as client:
        client.get_crawl("../a b?c#d/é")
    assert api.requests[0].path == "/v1/crawls/..%2Fa%20b%3Fc%23d%2F%C3%A9"


def test_times_are_times_and_unknown_fields_no_trouble() -> None:
    newer = {**CRAWL, "mood": "good"}
    with ScriptedApi(document(newer)) as api, Client(api.url, "k") as client:
        assert client.get_crawl("c1").started_at.isoformat() == "2026-11-21T10:00:00+00:00"


def test_an_update_of_one_version_names_it() -> None:
    with (
        ScriptedApi(problem(412, "updated since")) as api,
        Client(api.url, "k") as client,
        pytest.raises(ApiError, match="updated since"),
    ):
        client.update_site("s1", SiteUpdate(name="new"), if_match='"3"')
    assert (api.requests[0].headers["if-match"], json.loads(api.requests[0].body)) == ('"3"', {"name": "new"})


def test_a_problem_is_raised_with_what_it_says() -> None:
    with ScriptedApi(problem(404, "there is no crawl c1")) as api, Client(api.url, "k") as client:
        with pytest.raises(ApiError, match="404 Problem: there is no crawl c1") as raised:
            client.get_crawl("c1")
        assert (raised.value.status, raised.value.problem.detail) == (404, "there is no crawl c1")
    assert len(api.requests) == 1


def test_an_error_that_is_no_problem_document_is_raised_as_one() -> None:
    with ScriptedApi(document({"message": "Forbidden"}, status=403)) as api, Client(api.url, "k") as client:
        with pytest.raises(ApiError) as raised:
            client.get_crawl("c1")
        assert (raised.value.status, raised.value.problem.detail) == (403, '{"message": "Forbidden"}')


def test_a_redirect_is_not_followed() -> None:
    away = Scripted(status=302, headers={"location": "http://127.0.0.1:9/"})
    with ScriptedApi(away) as api, Client(api.url, "k") as client:
        with pytest.raises(ApiError) as raised:
            client.get_crawl("c1")
        assert raised.value.status == 302


@pytest.mark.parametrize("status", [429, 503])
def test_a_refusal_for_now_is_tried_again_when_the_answer_says(status: int, waits: Waits) -> None:
    answers = (problem(status, retry_after="7"), problem(status), document(CRAWL))
    with ScriptedApi(*answers) as api, Client(api.url, "k", retries=waits.policy()) as client:
        assert client.get_crawl("c1").crawl == "c1"
    assert waits == [7.0, 1.0]


def test_a_wait_that_is_too_long_is_raised_at_once(waits: Waits) -> None:
    with (
        ScriptedApi(problem(429, "the month is used up", retry_after="90000")) as api,
        Client(api.url, "k", retries=waits.policy()) as client,
        pytest.raises(ApiError, match="the month is used up"),
    ):
        client.start_crawl(NewCrawl(url="https://example.com/"))
    assert (waits, len(api.requests)) == ([], 1)


def test_trying_again_ends(waits: Waits) -> None:
    with ScriptedApi(problem(503)) as api, Client(api.url, "k", retries=waits.policy(3)) as client:
        with pytest.raises(ApiError) as raised:
            client.get_crawl("c1")
        assert raised.value.status == 503
    assert (waits, len(api.requests)) == ([0.5, 1.0], 3)


def test_a_post_whose_answer_is_lost_is_repeated_with_the_same_key(waits: Waits) -> None:
    answers = (NO_ANSWER, problem(409, "is being worked on", retry_after="5"), document(STARTED, status=202))
    with ScriptedApi(*answers) as api, Client(api.url, "k", retries=waits.policy()) as client:
        assert client.start_crawl(NewCrawl(url="https://example.com/")).crawl == "c1"
    keys = {request.headers["idempotency-key"] for request in api.requests}
    assert (len(api.requests), len(keys), waits) == (3, 1, [0.5, 5.0])


def test_two_posts_have_two_keys_unless_the_caller_says() -> None:
    with ScriptedApi(document(STARTED, status=202)) as api, Client(api.url, "k") as client:
        for key in (None, None, "mine"):
            client.start_crawl(NewCrawl(url="https://example.com/"), idempotency_key=key)
    first, second, third = (request.headers["idempotency-key"] for request in api.requests)
    assert first != second
    assert third == "mine"


def test_a_conflict_is_no_reason_to_try_again(waits: Waits) -> None:
    with (
        ScriptedApi(problem(409, "is being crawled")) as api,
        Client(api.url, "k", retries=waits.policy()) as client,
        pytest.raises(ApiError, match="is being crawled"),
    ):
        client.start_crawl(NewCrawl(url="https://example.com/"))
    assert waits == []


def test_an_api_that_never_answers_is_named(waits: Waits) -> None:
    with (
        ScriptedApi(NO_ANSWER) as api,
        Client(api.url, "k", retries=waits.policy(2)) as client,
        pytest.raises(ApiUnreachableError, match=api.url),
    ):
        client.get_crawl("c1")
    assert waits == [0.5]


def test_a_list_is_gone_through_page_by_page() -> None:
    outline = {name: value for name, value in CRAWL.items() if name != "settings"}
    pages = [
        document({"crawls": [{**outline, "crawl": "c3"}, {**outline, "crawl": "c2"}], "next_cursor": "next+1"}),
        document({"crawls": [{**outline, "crawl": "c1"}], "next_cursor": None}),
    ]
    with ScriptedApi(*pages) as api, Client(api.url, "k") as client:
        assert [crawl.crawl for crawl in client.iter_crawls(limit=2)] == ["c3", "c2", "c1"]
    assert [request.path for request in api.requests] == ["/v1/crawls?limit=2", "/v1/crawls?cursor=next%2B1&limit=2"]


def test_a_crawl_is_waited_for_until_it_has_ended(waits: Waits) -> None:
    answers = (document(CRAWL), document(CRAWL), document({**CRAWL, "status": "cancelled"}))
    with ScriptedApi(*answers) as api, Client(api.url, "k", retries=waits.policy()) as client:
        assert client.wait_for_crawl("c1").status is CrawlStatus.CANCELLED
    assert waits == [2.0, 2.0]


def test_a_crawl_is_waited_for_no_longer_than_was_said(waits: Waits) -> None:
    with (
        ScriptedApi(document(CRAWL)) as api,
        Client(api.url, "k", retries=waits.policy()) as client,
        pytest.raises(StillRunningError, match="c1 is still running after 5 seconds"),
    ):
        client.wait_for_crawl("c1", timeout=5.0, now=lambda: sum(waits))
    assert waits == [2.0, 2.0]


def test_a_download_shows_no_key(tmp_path: Path) -> None:
    with ScriptedApi(Scripted(body=b"rows")) as api, Client(api.url, "k") as client:
        assert client.download(f"{api.url}/v1/downloads/t", tmp_path / "pages.csv") == 4
    assert (tmp_path / "pages.csv").read_bytes() == b"rows"
    assert "authorization" not in api.requests[0].headers


def test_a_download_that_is_refused_is_named(tmp_path: Path) -> None:
    with (
        ScriptedApi(problem(403, "the link has ended")) as api,
        Client(api.url, "k") as client,
        pytest.raises(ApiError, match="the link has ended"),
    ):
        client.download(f"{api.url}/v1/downloads/t", tmp_path / "pages.csv")
    assert not (tmp_path / "pages.csv").exists()


def test_a_key_is_not_replaced_by_a_netrc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login somebody password else\n", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(netrc))
    with ScriptedApi(document(CRAWL)) as api, Client(api.url, "k") as client:
        client.get_crawl("c1")
    assert api.requests[0].headers["authorization"] == "Bearer k"
