"""A whole crawl through the functions has the same exports as the same crawl in embedded mode."""

import json
import os
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.campaign import ALL, slow
from tests.support.comparing import fingerprint
from tests.support.crawling import QUICK, crawl_inline, table
from tests.support.functions import API_KEY, Context, Deployment, event
from tests.support.hits import hits
from tests.support.page_memories import move_back_in_bucket
from tests.support.random_site import random_site
from tests.support.serverless import Serverless

from wavecrawl.adapters.aws.scratch import SCRATCH
from wavecrawl.adapters.wacz.packer import WaczPacker
from wavecrawl.bootstrap.local import make_local_files
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cloud import finish_large_crawl
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Page, Robots, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.events import EventKind
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.result_files import FILES, ResultFile
from wavecrawl.errors import CorruptDataError, ThrottledError
from wavecrawl.ports.crawls import Crawls
from wavecrawl.ports.events import CrawlEvent

FINISHED = ("CrawlPages", "PagesUnchanged", "RobotsDenials")
SMALL = random_site(Random(7), 12)
SMALL_WITHOUT_SITEMAPS = replace(SMALL, sitemaps=())
SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}


@pytest.fixture
def stack_without_contact(stack: Deployment) -> Deployment:
    stack.environment["WAVECRAWL_CONTACT"] = ""
    return stack


def start(stack: Deployment, url: str, **settings: Any) -> dict[str, str]:
    asked = event("api")
    asked["body"] = json.dumps({"url": url, "settings": SETTINGS | settings})
    asked["headers"]["authorization"] = f"Bearer {API_KEY}"
    answer = stack.load("api").handler(asked, Context())
    assert answer["statusCode"] == 202, answer["body"]
    body = json.loads(answer["body"])
    return {"tenant": "default", "site": body["site"], "crawl": body["crawl"]}


def downloaded(stack: Deployment, crawl: dict[str, str], folder: Path) -> Path:
    prefix = f"tenants/default/sites/{crawl['site']}/crawls/{crawl['crawl']}/exports/"
    folder.mkdir()
    for entry in stack.clients.s3.list_objects_v2(Bucket=stack.bucket, Prefix=prefix)["Contents"]:
        body = stack.clients.s3.get_object(Bucket=stack.bucket, Key=entry["Key"])["Body"].read()
        (folder / entry["Key"].removeprefix(prefix)).write_bytes(body)
    return folder


def test_the_functions_crawl_as_one_machine_does(stack_without_contact: Deployment, tmp_path: Path) -> None:
    stack = stack_without_contact
    with SiteServer(demo_site()) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        finished = serverless.run(crawl)
        first = downloaded(stack, crawl, tmp_path / "first")
        made = serverless.call("finish_crawl", {"crawl": crawl, "continued": 1, "files": list(ResultFile)})
        found = fingerprint(downloaded(stack, crawl, tmp_path / "cloud"), server.origin)
    assert made == {"status": "completed", "pages": 0}
    assert not {path.name for path in first.iterdir()} & {name for names in FILES.values() for name in names}
    kept = [name for _, folders, files in os.walk(SCRATCH) for name in folders + files if crawl["crawl"] in name]
    assert kept == [], "a warm function kept its downloads"  # unlike rglob, walk allows for deletions by other tests
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path / "local", replace(QUICK, files_at_once=()))
        store = LocalStore(tmp_path / "local")
        assert make_local_files(store, done.row, list(ResultFile)) == ()
        store.close()
        expected = fingerprint(done.exports, server.origin)
    assert finished == {"status": "completed", "pages": done.summary.pages}
    assert found.keys() == expected.keys()
    for name in expected:
        assert found[name] == expected[name], name


def test_a_page_that_is_too_expensive_ends_only_its_own_reading(stack: Deployment, tmp_path: Path) -> None:
    far = Page(path="/far", body=b"<title>Far</title><p>" + b"a" * 400_000)
    site = Site(pages=(page("/", "/a", "/far", "/b"), page("/a"), page("/b"), far))
    rules = ["each = count(/a(?:.*b)?/)"]  # each match searches the rest of the page
    with SiteServer(site) as server:
        crawl = start(stack, server.url, extract={"rules": rules}, max_page_cpu=1)
        finished = Serverless(stack).run(crawl)
        requests = [hits(server, path) for path in ("/a", "/far", "/b")]
    ledger = table(downloaded(stack, crawl, tmp_path / "cloud") / "ledger.csv")
    assert finished == {"status": "completed", "pages": 3}
    assert requests == [1, 1, 1]
    assert [(row["state"], row["reason"]) for row in ledger if row["url"].endswith("/far")] == [
        ("failed", "too_expensive")
    ]


@pytest.mark.parametrize("site", [SMALL, SMALL_WITHOUT_SITEMAPS], ids=["sitemaps", "no sitemaps"])
@slow
def test_the_functions_run_the_waves_of_one_machine(stack: Deployment, tmp_path: Path, site: Site) -> None:
    with SiteServer(site) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        serverless.run(crawl)
        done = crawl_inline(server.url, tmp_path)
    store = LocalStore(tmp_path)
    here = store.event_log.after(done.row.id, -1, limit=1_000)
    store.close()
    there = serverless.functions["notify"].cloud.event_log.after(CrawlId(**crawl), -1, limit=1_000)
    assert [entry.data.get("phase") for entry in there] == [entry.data.get("phase") for entry in here]
    assert [entry.data.get("planned") for entry in there] == [entry.data.get("planned") for entry in here]
    assert ("sitemap" in [entry.data.get("phase") for entry in there]) is bool(site.sitemaps)
    assert serverless.calls.count("read_sitemaps") == bool(site.sitemaps)


@slow
def test_a_finished_crawl_is_measured(stack: Deployment, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pages = (replace(page("/", "/a", "/b", "/no/1", "/no/2"), etag='"1"'), page("/a"), page("/b"), page("/no/1"))
    with SiteServer(Site(pages=(*pages, page("/no/2")), robots=Robots(disallow=("/no/",)))) as server:
        crawl = start(stack, server.url)
        Serverless(stack).run(crawl)
        move_back_in_bucket(stack.clients.s3, stack.bucket, CrawlId(**crawl), tmp_path, seconds=100.0)
        Serverless(stack).run(start(stack, server.url))
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "CrawlPages" in line]
    reported = [{name: line[name][0] for name in FINISHED} for line in lines]
    assert reported == [dict(zip(FINISHED, values, strict=True)) for values in ((3, 0, 2), (3, 3, 2))]
    assert [line.get("ChangeYield") for line in lines] == [None, [0.0]]  # a first crawl has nothing to compare with
    assert {line["ObjectivesMissed"][0] for line in lines} == {0}


def test_an_unchanged_page_costs_the_writes_of_a_new_one(stack: Deployment, tmp_path: Path) -> None:
    names = [f"/{number}" for number in range(30)]
    site = Site(pages=tuple(replace(page(name, *names), etag=f'"{name}"') for name in ("/", *names)))
    used, reports, ids = [], [], []
    with SiteServer(site) as server:
        for unchanged in (0, 31):
            crawl, service = start(stack, server.url), Serverless(stack)
            service.run(crawl)
            results = downloaded(stack, crawl, tmp_path / crawl["crawl"])
            states = json.loads((results / "summary.json").read_text(encoding="utf-8"))["states"]
            assert states.get("unchanged", 0) == unchanged
            reports.append((results / "report.html").read_text(encoding="utf-8"))
            ids.append(crawl["crawl"])
            used.append(service.functions["finish_crawl"].cloud.waves.usage(CrawlId(**crawl)))
    first, again = used
    assert first.write_units > 31  # a claim per page; the rest is per batch, wave and crawl
    assert again.write_units < first.write_units + 31 / 2  # the writes for the host's windows depend on the time
    assert [
        f"Compared with crawl {ids[0]}, no page, redirect or link has changed." in report for report in reports
    ] == [False, True]


def test_a_queued_crawl_starts_when_another_ends(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_MAX_RUNNING_CRAWLS"] = "1"
    with SiteServer(SMALL) as server, SiteServer(SMALL) as other:
        first, second = start(stack, server.url), start(stack, other.url)
        service = Serverless(stack)
        crawls = service.functions["finish_crawl"].cloud.crawls
        assert [crawls.read(CrawlId(**crawl)).status for crawl in (first, second)] == ["running", "queued"]
        service.run(first)
        assert [crawls.read(CrawlId(**crawl)).status for crawl in (first, second)] == ["completed", "running"]
        assert crawls.queue("default") == []
        service.call("fail_crawl", {"crawl": second, "error": {"Error": "E", "Cause": "c"}})
        assert start(stack, other.url)["site"] == second["site"]


def cancel(wave: int, crawls: Crawls, crawl: CrawlId) -> None:
    """Cancel a crawl after its second wave."""
    if wave == 2:
        crawls.ask_to_cancel(crawl)


def post(stack: Deployment, path: str) -> tuple[int, dict[str, Any]]:
    asked = event("api")
    asked |= {"rawPath": path, "body": None}
    asked["requestContext"]["http"]["path"] = path
    asked["headers"]["authorization"] = f"Bearer {API_KEY}"
    answer = stack.load("api").handler(asked, Context())
    return answer["statusCode"], json.loads(answer["body"])


@pytest.mark.parametrize("how", ["cancelled", "failed"] if ALL else ["failed"])
def test_a_crawl_that_ended_early_is_resumed_where_it_stopped(stack: Deployment, tmp_path: Path, how: str) -> None:
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        service = Serverless(stack)
        crawls = service.functions["finish_crawl"].cloud.crawls
        if how == "cancelled":
            service.run(crawl, after_wave=lambda wave: cancel(wave, crawls, CrawlId(**crawl)))
        else:
            service.call("open_crawl", {"crawl": crawl, "continued": 0})
            for wave in (1, 2):
                service.wave(crawl, "bfs", wave)
            service.call("fail_crawl", {"crawl": crawl, "error": {"Error": "E", "Cause": "c"}})
        assert crawls.read(CrawlId(**crawl)).status == how
        status, body = post(stack, f"/v1/crawls/{crawl['crawl']}/resume")
        assert (status, body["status"]) == (202, "running")
        assert sorted(stack.executions()) == [crawl["crawl"], f"{crawl['crawl']}-1000000"]
        late = {"input": json.dumps({"crawl": crawl, "continued": 0}), "status": "FAILED"}
        assert service.call("fail_crawl", {"detail": late})["status"] == "running"
        of_results = {"crawl": crawl, "continued": 1}  # an execution that makes results, started before the resume
        assert service.call("finish_crawl", of_results)["status"] == "running"
        assert service.call("fail_crawl", of_results | {"error": {"Error": "E", "Cause": "c"}})["status"] == "running"
        assert service.run(crawl, continued=1_000_000)["status"] == "completed"
        found = fingerprint(downloaded(stack, crawl, tmp_path / "cloud"), server.origin)
        expected = fingerprint(crawl_inline(server.url, tmp_path / "local").exports, server.origin)
        assert found["edges.parquet"] == expected["edges.parquet"]
        log = service.functions["notify"].cloud.event_log
        ends = [entry.kind for entry in log.after(CrawlId(**crawl), -1, limit=999)]
        assert ends.count(EventKind.COMPLETED) + ends.count(EventKind.FAILED) == 2
        assert post(stack, f"/v1/crawls/{crawl['crawl']}/resume")[0] == 409
        assert post(stack, f"/v1/crawls/{crawl['crawl']}/exports")[0] == 202
        assert len(stack.executions()) == 3


def test_a_large_crawl_that_found_no_room_is_concluded_later(stack: Deployment) -> None:
    stack.environment["WAVECRAWL_FINISH_PAGES"] = "5"
    full = {"Error": "NoFargateCapacity", "Cause": "Fargate had no room. Check the quota L-3032A538. Last error: ..."}
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        service = Serverless(stack)
        crawls = service.functions["finish_crawl"].cloud.crawls
        assert service.run_waves(crawl) == "finish_large"
        service.call("fail_crawl", {"crawl": crawl, "continued": 0, "error": full})
        failed = crawls.read(CrawlId(**crawl))
        assert failed.status == "failed"
        assert failed.error.startswith("for an hour there was no room to conclude it")
        requests = len(server.log)
        again = {"crawl": crawl, "continued": 1, "results": True}
        assert service.call("open_crawl", again)["next"] == "finish_large"
        assert post(stack, f"/v1/crawls/{crawl['crawl']}/resume")[0] == 202
        assert service.run_waves(crawl, continued=1_000_000) == "finish_large"
        assert len(server.log) == requests  # no page is requested again
    finish_large_crawl.main(
        stack.environment | {"WAVECRAWL_TASK": json.dumps({"crawl": crawl, "continued": 1_000_000})}
    )
    ended = crawls.read(CrawlId(**crawl))
    fetched = service.functions["finish_crawl"].cloud.waves.progress(CrawlId(**crawl)).fetched
    assert fetched > 1
    assert (ended.status, ended.outcome.pages) == ("completed", fetched)


def test_a_cancelled_crawl_ends_with_its_results_so_far(stack: Deployment, tmp_path: Path) -> None:
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        crawls = serverless.functions["run_wave"].cloud.crawls

        def cancel(wave: int) -> None:
            if wave == 1:
                assert crawls.ask_to_cancel(crawls.find("default", crawl["crawl"]).id)

        finished = serverless.run(crawl, after_wave=cancel)
    assert finished == {"status": "cancelled", "pages": 1}
    assert json.loads((downloaded(stack, crawl, tmp_path / "cloud") / "summary.json").read_text())["pages"] == 1


def test_the_bill_of_a_crawl_covers_all_it_used_and_finishing_again_is_free(stack: Deployment, tmp_path: Path) -> None:
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        first = serverless.run(crawl)
    bill = json.loads((downloaded(stack, crawl, tmp_path / "cloud") / "summary.json").read_text())["bill"]
    assert [*bill["services_usd"]] == [
        "Lambda",
        "SQS",
        "DynamoDB",
        "S3",
        "Step Functions",
        "API Gateway",
        "Data transfer",
    ]
    assert min(bill["services_usd"].values()) > 0
    assert bill["usage"]["transitions"] > 10
    assert bill["usage"]["lambda_requests"] > 4
    assert_that_finishing_again_is_free(stack, crawl, serverless, first, tmp_path / "again")


def assert_that_finishing_again_is_free(
    stack: Deployment, crawl: dict[str, str], serverless: Serverless, first: dict[str, Any], folder: Path
) -> None:
    waves, id_ = serverless.functions["finish_crawl"].cloud.waves, CrawlId(**crawl)
    charged = waves.usage(id_)
    assert serverless.call("finish_crawl", {"crawl": crawl}) == first
    assert waves.usage(id_) == charged
    bill = json.loads((downloaded(stack, crawl, folder) / "summary.json").read_text())["bill"]
    assert bill["usage"]["transitions"] == charged.transitions


@slow
def test_a_crawl_that_failed_while_its_results_were_built_has_failed(
    stack: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        cloud = serverless.functions["finish_crawl"].cloud
        publish = cloud.exports.publish

        def too_late(*given: Any) -> None:
            publish(*given)
            serverless.call("fail_crawl", {"crawl": crawl, "error": {"Error": "States.Timeout", "Cause": ""}})

        monkeypatch.setattr(cloud.exports, "publish", too_late)
        assert serverless.run(crawl)["status"] == "failed"
    assert json.loads((downloaded(stack, crawl, tmp_path / "cloud") / "summary.json").read_text())["status"] == "failed"


@slow
def test_a_crawl_whose_package_cannot_be_made_finishes_without_it_and_says_why(
    stack: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, logged: StringIO
) -> None:
    def torn(*_: object, most: int) -> None:  # noqa: ARG001 - as the method
        raise CorruptDataError("a WARC ends in the middle of a record")

    monkeypatch.setattr(WaczPacker, "pack", torn)
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url, files_at_once=["wacz"])
        assert Serverless(stack).run(crawl)["status"] == "completed"
    (line,) = [
        one for one in map(json.loads, logged.getvalue().splitlines()) if one["message"] == "a result is missing"
    ]
    assert (line["result"], line["crawl"][-len(crawl["crawl"]) :]) == ("crawl.wacz", crawl["crawl"])
    assert "stored data of the crawl cannot be read" in line["reason"]
    found = downloaded(stack, crawl, tmp_path / "cloud")
    assert not (found / "crawl.wacz").exists()
    notices = json.loads((found / "summary.json").read_text())["notices"]
    assert [one for one in notices if one["subject"] == "crawl.wacz"] == [
        {"subject": "crawl.wacz", "message": line["reason"]}
    ]


@slow
def test_an_unpublished_failure_is_published_even_if_the_results_were_built_in_between(
    stack: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed: dict[str, Any] = {}
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        failed |= {"crawl": crawl, "error": {"Error": "States.Timeout", "Cause": ""}}
        cloud = serverless.functions["fail_crawl"].cloud
        finishing = serverless.functions["finish_crawl"].cloud
        publish = finishing.exports.publish

        def too_late(*given: Any) -> None:
            publish(*given)
            monkeypatch.setattr(cloud.events, "publish", _refuse)
            with pytest.raises(ThrottledError):
                serverless.call("fail_crawl", failed)

        monkeypatch.setattr(finishing.exports, "publish", too_late)
        serverless.call("open_crawl", {"crawl": crawl})
        serverless.wave(crawl, "bfs", 1)
        serverless.call("finish_crawl", {"crawl": crawl})
    reported: list[CrawlEvent] = []
    monkeypatch.setattr(cloud.events, "publish", reported.append)
    for _ in range(2):
        assert serverless.call("fail_crawl", failed) == {"status": "failed"}
    assert [(event.kind, event.error) for event in reported] == [
        (EventKind.FAILED, "a step took longer than it may; the operator's log names the cause")
    ]


def _refuse(_: CrawlEvent) -> None:
    raise ThrottledError("not now")


@slow
def test_a_crawl_whose_snapshots_are_gone_does_not_end_as_an_empty_one(stack: Deployment) -> None:
    with SiteServer(SMALL) as server:
        crawl = start(stack, server.url)
        serverless = Serverless(stack)
        serverless.run(crawl)
    prefix = f"tenants/default/sites/{crawl['site']}/crawls/{crawl['crawl']}/frontier/000001"
    (found,) = stack.clients.s3.list_objects_v2(Bucket=stack.bucket, Prefix=prefix)["Contents"]
    stack.clients.s3.delete_object(Bucket=stack.bucket, Key=found["Key"])
    with pytest.raises(CorruptDataError, match=r"the snapshot of wave 1 .* is missing"):
        serverless.call("finish_crawl", {"crawl": crawl})
