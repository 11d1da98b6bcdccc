"""Lists of URLs that the client uploads, to an API with scripted responses."""

import gzip
import json
import traceback
from pathlib import Path
from typing import Any

import pytest
from tests.support.scripted_api import NO_ANSWER, Request, Scripted, ScriptedApi, document, problem

from wavecrawl.client import ApiError, ApiUnreachableError, Client, CrawlSettings, Discovery, NewCrawl, NewSite
from wavecrawl.client.transport import RetryPolicy

UPLOAD = "/upload?signature=secret"
PATIENT = RetryPolicy(sleep=lambda _: None)
LONG = [f"https://site.example/{number}" for number in range(4_000)]
CRAWL = {"crawl": "c1", "site": "s1", "status": "queued", "triggered_by": "api", "cancel_asked": False}


def a_list(state: str = "ready", **more: Any) -> dict[str, Any]:
    row = {"list": "list-1", "name": "", "state": state, "bytes": 9, "urls": 2, "problem": None, "sites": 0}
    return row | {"created_at": "2026-11-28T08:00:00Z", "expires_at": None} | more


class UploadingApi(ScriptedApi):
    """An API whose upload URL is a path of its own."""

    def __init__(self, *answers: Scripted) -> None:
        super().__init__(*answers)
        upload = {"method": "PUT", "url": f"{self.url}{UPLOAD}", "expires_at": "2026-11-28T09:00:00Z"}
        self._answers.insert(0, document(a_list("waiting", upload=upload), status=201))


def sent(api: ScriptedApi) -> list[tuple[str, str]]:
    return [(one.method, one.path) for one in api.requests]


def upload_of(api: ScriptedApi) -> Request:
    return next(one for one in api.requests if one.path == UPLOAD)


UPLOADED = [("POST", "/v1/lists"), ("PUT", UPLOAD), ("POST", "/v1/lists/list-1/check")]


def test_a_file_is_uploaded_as_it_is_and_checked(tmp_path: Path) -> None:
    file = tmp_path / "urls.txt"
    file.write_text("https://site.example/1\n", encoding="utf-8")
    with UploadingApi(Scripted(status=200), document(a_list())) as api, Client(api.url, "k") as client:
        assert client.upload_list(file, name="Products").urls == 2
    assert sent(api) == UPLOADED
    assert json.loads(api.requests[0].body) == {"bytes": 23, "name": "Products"}
    upload = upload_of(api)
    assert (upload.body, upload.headers["content-length"]) == (b"https://site.example/1\n", "23")
    assert "authorization" not in upload.headers


def test_urls_are_uploaded_compressed_and_always_in_the_same_bytes() -> None:
    bodies = []
    for _ in range(2):
        with UploadingApi(Scripted(status=200), document(a_list())) as api, Client(api.url, "k") as client:
            client.upload_list(iter(LONG))
        bodies.append(upload_of(api).body)
        assert json.loads(api.requests[0].body)["bytes"] == len(bodies[-1])
    assert bodies[0] == bodies[1]
    assert gzip.decompress(bodies[0]).decode().splitlines() == LONG


@pytest.mark.parametrize("as_model", [True, False])
def test_a_list_that_is_too_long_for_a_request_is_uploaded_first(*, as_model: bool) -> None:
    given = {"discovery": "list", "urls": LONG, "max_pages": 9}
    settings = CrawlSettings(discovery=Discovery.LIST, urls=LONG, max_pages=9) if as_model else given  # type: ignore[arg-type]  # a model takes lists
    answers = (Scripted(status=200), document(a_list()), document(CRAWL, status=202))
    with UploadingApi(*answers) as api, Client(api.url, "k") as client:
        client.start_crawl(NewCrawl(url="https://site.example/", settings=settings))
    assert sent(api) == [*UPLOADED, ("POST", "/v1/crawls")]
    assert gzip.decompress(upload_of(api).body).decode().splitlines() == LONG
    assert json.loads(api.requests[-1].body) == {
        "url": "https://site.example/",
        "settings": {"discovery": "list", "max_pages": 9, "url_list": "list-1"},
    }


def test_a_site_with_a_long_list_is_saved_with_an_uploaded_one() -> None:
    settings = {"discovery": "list", "urls": LONG}
    answers = (Scripted(status=200), document(a_list()), problem(402))
    with UploadingApi(*answers) as api, Client(api.url, "k") as client, pytest.raises(ApiError):
        client.create_site(NewSite(url="https://site.example/", settings=settings))
    assert sent(api) == [*UPLOADED, ("POST", "/v1/sites")]
    assert json.loads(api.requests[-1].body)["settings"] == {"discovery": "list", "url_list": "list-1"}


@pytest.mark.parametrize("settings", [None, {"max_pages": 5}, {"discovery": "list", "urls": LONG[:500]}])
def test_a_request_that_fits_is_sent_as_it_is(settings: dict[str, Any] | None) -> None:
    with ScriptedApi(document(CRAWL, status=202)) as api, Client(api.url, "k") as client:
        client.start_crawl(NewCrawl(url="https://site.example/", settings=settings))
    assert sent(api) == [("POST", "/v1/crawls")]
    assert json.loads(api.requests[0].body)["settings"] == settings


def test_a_repeated_request_uses_the_list_of_the_first() -> None:
    crawl = NewCrawl(url="https://site.example/", settings={"discovery": "list", "urls": LONG})
    keys = []
    for state in ("waiting", "ready"):
        left = [Scripted(status=200), document(a_list())] if state == "waiting" else []
        answers = (document(a_list(state)), *left, document(CRAWL, status=202))
        with UploadingApi(*answers) as api, Client(api.url, "k") as client:
            client.start_crawl(crawl, idempotency_key="once")
        keys.append(api.requests[0].headers["idempotency-key"])
        uploads = UPLOADED[1:] if state == "waiting" else []
        assert sent(api) == [UPLOADED[0], ("GET", "/v1/lists/list-1"), *uploads, ("POST", "/v1/crawls")]
        assert api.requests[-1].headers["idempotency-key"] == "once"
    assert keys[0] == keys[1] != "once"


def test_an_upload_that_breaks_off_is_repeated_from_its_beginning() -> None:
    answers = (NO_ANSWER, problem(503), Scripted(status=200), document(a_list()))
    with UploadingApi(*answers) as api, Client(api.url, "k", retries=PATIENT) as client:
        client.upload_list(LONG)
    uploads = [one.body for one in api.requests if one.path == UPLOAD]
    assert len(uploads) == 3
    assert set(uploads) == {uploads[0]}


def test_an_upload_that_is_refused_is_not_repeated() -> None:
    with (
        UploadingApi(problem(403, "SignatureDoesNotMatch")) as api,
        Client(api.url, "k", retries=PATIENT) as client,
        pytest.raises(ApiError, match="SignatureDoesNotMatch"),
    ):
        client.upload_list(LONG)
    assert sent(api) == UPLOADED[:2]


def test_an_upload_that_never_arrives_is_reported_without_the_signature() -> None:
    with (
        UploadingApi(NO_ANSWER) as api,
        Client(api.url, "k", retries=PATIENT) as client,
        pytest.raises(
            ApiUnreachableError, match=r"the upload to 127\.0\.0\.1:\d+ failed \(ConnectionError\)"
        ) as caught,
    ):
        client.upload_list(LONG)
    shown = "".join(traceback.format_exception(caught.value))
    assert "secret" not in shown
    assert len(api.requests) == 1 + PATIENT.attempts
