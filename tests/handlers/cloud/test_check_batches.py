"""Batches of checks in AWS, over moto: messages of the fetch queue, run by fetch_batch."""

import json
from pathlib import Path

import duckdb
import pytest
from tests.support.functions import Deployment
from tests.support.media_site import MediaSite, html
from tests.support.serverless import Serverless
from tests.support.signing import webhook

SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False},
    "checks": {"external": True, "resources": True},
}


def test_urls_are_checked_by_the_function_that_fetches_pages(
    stack: Deployment, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    service = Serverless(stack)
    with (
        MediaSite({"/ok": html("x"), "/gone": 404}) as other,
        MediaSite(
            {"/": html(f"<a href={other.origin}/ok>x</a><a href={other.origin}/gone>x</a><img src=/a.png>")}
        ) as site,
    ):
        sent = webhook({"url": site.url, "settings": SETTINGS}, id_="msg_1")
        started = json.loads(stack.load("webhook").handler(sent, service.context)["body"])
        id_ = {"tenant": "default", "site": started["site"], "crawl": started["crawl"]}
        assert service.run(id_)["status"] == "completed"
        assert other.requests("/ok") == [("HEAD", 200)]
    measured = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "PagesFetched" in line]
    assert sum(sum(line["PagesFetched"]) for line in measured) == 1.0  # the root: checked URLs are no pages
    assert sum(sum(line.get("UrlsChecked", [])) for line in measured) == 3.0  # ok, gone and a.png
    assert not {"process_media", "render_batch"} & set(service.calls)
    exports = f"tenants/default/sites/{started['site']}/crawls/{started['crawl']}/exports/"
    file = tmp_path / "checks.parquet"
    file.write_bytes(stack.clients.s3.get_object(Bucket=stack.bucket, Key=f"{exports}checks.parquet")["Body"].read())
    rows = duckdb.connect().read_parquet(str(file)).project("parse_path(url)[-1], kind, state, broken").fetchall()
    assert rows == [
        ("a.png", "image", "not_found", True),
        ("gone", "link", "not_found", True),
        ("ok", "link", "fetched", False),
    ]
