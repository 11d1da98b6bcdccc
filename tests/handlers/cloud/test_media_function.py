"""The function process_media, over moto."""

import json
from pathlib import Path

import duckdb
from tests.support.functions import Context, Deployment, event
from tests.support.media_site import GIF, MediaSite, html
from tests.support.serverless import Serverless
from tests.support.signing import webhook

from wavecrawl.domain.crawl.job import BatchKind

SETTINGS = {"retry_base": 0.0, "polite": {"interval": 0.0, "adapt": False}, "media": {"include": ["images"]}}
CONTENT: dict[str, tuple[str, bytes] | int | str] = {
    "/": html("<img src=/logo.gif><img src=/copy.gif><img src=/page.gif><a href=/b>b</a>"),
    "/b": html("<img src=/logo.gif>"),
    "/logo.gif": ("image/gif", GIF),
    "/copy.gif": ("image/png", GIF),
    "/page.gif": html("no image"),
}


def crawled(stack: Deployment, url: str, message: str) -> tuple[Serverless, str]:
    """Crawl a site; return what ran it, and the prefix of the crawl's exports."""
    service = Serverless(stack)
    sent = webhook({"url": url, "settings": SETTINGS}, id_=message)
    started = json.loads(stack.load("webhook").handler(sent, service.context)["body"])
    id_ = {"tenant": "default", "site": started["site"], "crawl": started["crawl"]}
    assert service.run(id_)["status"] == "completed"
    return service, f"tenants/default/sites/{started['site']}/crawls/{started['crawl']}/exports/"


def names(stack: Deployment, prefix: str) -> list[str]:
    return [one["Key"] for one in stack.clients.s3.list_objects_v2(Bucket=stack.bucket, Prefix=prefix)["Contents"]]


def states(stack: Deployment, exports: str, tmp_path: Path) -> list[tuple[str, str]]:
    file = tmp_path / "media.parquet"
    file.write_bytes(stack.clients.s3.get_object(Bucket=stack.bucket, Key=f"{exports}media.parquet")["Body"].read())
    rows = duckdb.connect().read_parquet(str(file)).order("url").project("parse_path(url)[-1], state").fetchall()
    return [(name, state) for name, state in rows]


def test_media_are_stored_once_by_their_own_function(stack: Deployment, tmp_path: Path) -> None:
    with MediaSite(CONTENT) as server:
        service, exports = crawled(stack, server.url, "msg_1")
        assert "process_media" in service.calls
        expected = [("copy.gif", "fetched"), ("logo.gif", "fetched"), ("page.gif", "skipped")]
        assert states(stack, exports, tmp_path) == expected
        (stored,) = names(stack, "tenants/default/media/")
        assert stack.clients.s3.get_object(Bucket=stack.bucket, Key=stored)["ContentType"] == "image/gif"

        _, exports = crawled(stack, server.url, "msg_2")
        assert states(stack, exports, tmp_path) == [
            ("copy.gif", "unchanged"), ("logo.gif", "unchanged"), ("page.gif", "skipped"),
        ]  # fmt: skip
        assert server.requests("/logo.gif") == [("GET", 200), ("GET", 304)]


def test_a_deployment_without_the_function_refuses_media(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_MEDIA_QUEUE_URL"] = ""
    sent = webhook({"url": "http://127.0.0.1:9/", "settings": SETTINGS}, id_="msg_1")
    answer = stack.load("webhook").handler(sent, Context())
    assert answer["statusCode"] == 400
    assert "deploy it with media=true" in answer["body"]
    assert stack.load("run_wave").cloud.queues.kinds == set(BatchKind) - {BatchKind.MEDIA}


def test_a_batch_of_a_crawl_that_has_ended_is_dropped(stack: Deployment, context: Context) -> None:
    assert stack.load("process_media").handler(event("process_media"), context) == {"batchItemFailures": []}
