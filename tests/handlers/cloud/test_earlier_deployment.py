"""Rows and objects that an earlier release stored in AWS (`tests.support.earlier_release`) are read."""

import json
import lzma
from pathlib import Path

import pytest
from tests.support.asking import ask
from tests.support.earlier_release import PORT, restored, site_server
from tests.support.functions import Deployment
from tests.support.serverless import Serverless

RELEASES = sorted((Path(__file__).parents[2] / "data" / "releases").iterdir())
ORIGIN = f"http://127.0.0.1:{PORT}"
PAGES = 10


@pytest.fixture(params=RELEASES, ids=lambda path: path.name)
def earlier(request: pytest.FixtureRequest, stack: Deployment) -> Deployment:
    with lzma.open(request.param / "deployment.json.xz", "rt", encoding="utf-8") as file:
        content = restored(json.load(file))
    for row in content["rows"]:
        stack.clients.dynamodb.put_item(TableName=stack.table, Item=row)
    for name, data in content["objects"].items():
        stack.clients.s3.put_object(Bucket=stack.bucket, Key=name, Body=data)
    return stack


def test_the_next_crawl_of_an_earlier_deployment_finds_the_same_pages(earlier: Deployment) -> None:
    api = earlier.load("api").handler
    (saved,) = ask(api, "GET", "/v1/sites").body["sites"]
    assert saved["url"] == f"{ORIGIN}/"
    crawls = ask(api, "GET", "/v1/crawls").body["crawls"]
    assert [(crawl["status"], crawl["outcome"]["pages"]) for crawl in crawls] == [("completed", PAGES)] * 2
    with site_server(1):
        started = ask(api, "POST", f"/v1/sites/{saved['site']}/crawls").body["crawl"]
        crawl = {"tenant": "default", "site": saved["site"], "crawl": started}
        assert Serverless(earlier).run(crawl) == {"status": "completed", "pages": PAGES}
    results = earlier.load("results").handler
    pages = ask(results, "GET", f"/v1/crawls/{started}/pages", query={"limit": "100"}).body["pages"]
    assert {page["state"] for page in pages if page["status"] != 404} == {"unchanged"}
    changes = ask(results, "GET", f"/v1/crawls/{started}/diff", query={"base": crawls[0]["crawl"]}).body
    assert {name: changes["kinds"][name] for name in ("new", "gone", "changed")} == {"new": 0, "gone": 0, "changed": 0}
