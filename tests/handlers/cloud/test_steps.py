"""The functions of the state machine, each on its sample events, over moto."""

import json
from datetime import datetime
from random import Random
from typing import Any

import pytest
from msgspec.structs import replace
from tests.support.functions import Context, Deployment, event
from tests.support.random_site import random_site
from tests.support.serverless import RecordedSignals, Serverless

from wavecrawl.demo.model import Page, Robots, Site, SitemapEntry, SitemapFile
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.bill import Usage
from wavecrawl.domain.crawl.job import BatchId, CrawlId
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.crawl.states import CrawlStatus
from wavecrawl.domain.politeness.settings import PoliteSettings
from wavecrawl.domain.politeness.windows import Turns
from wavecrawl.errors import ConflictError, InvalidInputError, NotFoundError, StoreBusyError
from wavecrawl.ports.batches import BatchSums
from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.signals import Following, NextStep

CRAWL = event("open_crawl")["crawl"]
PAUSED_UNTIL = 1795257900.0  # 2026-11-21T10:45:00Z
ID = CrawlId(**CRAWL)
LISTED = Site(
    pages=(page("/"), page("/a")),
    sitemaps=(SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/"), SitemapEntry(to="/a"))),),
)


def row(url: str = "http://127.0.0.1/", *, root_url: str = "", **settings: Any) -> CrawlRow:
    quick = PoliteSettings(interval=0.0, adapt=False)
    return CrawlRow(
        id=ID,
        start_url=url,
        root_url=root_url,
        settings=CrawlSettings(allowed_addresses=("127.0.0.0/8",), polite=quick, **settings),
        started_at=1795255200.0,
    )


def test_open_crawl_settles_the_root(stack: Deployment, context: Context) -> None:
    function = stack.load("open_crawl")
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url))
        answer = function.handler(event("open_crawl"), context)
    assert answer == {"root": server.url, "next": "bfs", "phase": "bfs", "wave": 1}
    assert function.cloud.crawl(ID).root_url == server.url


@pytest.mark.parametrize("name", ["open_crawl", "run_wave", "read_sitemaps", "finish_crawl", "notify"])
def test_a_missing_crawl_is_a_permanent_error(stack: Deployment, context: Context, name: str) -> None:
    with pytest.raises(NotFoundError, match="does not exist"):
        stack.load(name).handler(event(name), context)


def test_the_end_of_a_deleted_crawl_is_no_failure(stack: Deployment, context: Context) -> None:
    function = stack.load("fail_crawl")
    assert function.handler(event("fail_crawl"), context) == {"status": "deleted"}
    assert function.cloud.event_log.after(ID, -1, limit=9) == []


@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("open_crawl", {}),
        ("finish_crawl", {"crawl": "c1"}),
        ("run_wave", event("run_wave") | {"phase": "dance"}),
        ("run_wave", event("run_wave") | {"wave": "one"}),
        ("open_crawl", event("open_crawl") | {"continued": "twice"}),
        ("fail_crawl", {"detail": {"input": "no json"}}),
        ("fail_crawl", {"error": {"Error": "E"}}),
    ],
)
def test_an_invalid_event_is_a_permanent_error(
    stack: Deployment, context: Context, name: str, asked: dict[str, Any]
) -> None:
    with pytest.raises(InvalidInputError):
        stack.load(name).handler(asked, context)


def test_a_wave_is_planned_and_dispatched(stack: Deployment, context: Context) -> None:
    function = stack.load("run_wave")
    recorded = function.cloud.signals = RecordedSignals()
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        answer = function.handler(event("run_wave"), context)
    assert answer == {"batches": 1, "urls": 1}
    assert recorded.outputs == {}
    (message,) = stack.messages()
    assert json.loads(message["body"])["items"][0]["url"] == server.url
    usage = function.cloud.waves.read(ID, 1).sums.usage
    assert usage.lambda_requests == 1
    assert usage.puts >= 1
    assert usage.transitions == 2


def test_the_done_batches_of_a_wave_are_counted_without_a_token(stack: Deployment, context: Context) -> None:
    function = stack.load("run_wave")
    look = {name: value for name, value in event("run_wave").items() if name != "token"}
    assert function.handler(look, context) == {"done": 0, "waits": False}
    function.cloud.waves.create(ID, look["wave"], planned=2)
    lease = function.cloud.batches.lease(BatchId(crawl=ID, wave=look["wave"], batch=0), owner="w", now=1.0, seconds=9.0)
    function.cloud.batches.complete(lease, BatchSums())
    assert function.handler(look, context) == {"done": 1, "waits": False}
    usage = function.cloud.waves.read(ID, 1).sums.usage
    assert (usage.lambda_requests, usage.transitions) == (2, 2)


def test_a_wave_that_timed_out_may_wait_for_a_worker_or_a_turn(stack: Deployment, context: Context) -> None:
    function = stack.load("run_wave")
    cloud, batch = function.cloud, BatchId(crawl=ID, wave=1, batch=0)
    look = {name: value for name, value in event("run_wave").items() if name != "token"}
    cloud.waves.create(ID, 1, planned=1)
    cloud.waves.mark_sent(ID, 1, at=cloud.clock.now())
    assert function.handler(look, context) == {"done": 0, "waits": False}
    cloud.batches.postpone(batch, starts_at=cloud.clock.now() + 900.0)
    assert function.handler(look, context) == {"done": 0, "waits": True}
    cloud.batches.postpone(batch, starts_at=1.0)
    assert function.handler(look, context) == {"done": 0, "waits": False}
    stack.clients.sqs.send_message(QueueUrl=stack.queue, MessageBody="a batch of another crawl")
    assert function.handler(look, context) == {"done": 0, "waits": True}
    cloud.waves.mark_sent(ID, 1, at=1.0)
    assert function.handler(look, context) == {"done": 0, "waits": False}, "a message lives for four days"


@pytest.mark.parametrize(
    ("discovery", "following"),
    [
        (Discovery.LINKS_FIRST, "bfs"),
        (Discovery.LINKS_ONLY, "bfs"),
        (Discovery.LIST, "bfs"),
        (Discovery.SITEMAP_FIRST, "sitemaps"),
        (Discovery.SITEMAP_ONLY, "sitemaps"),
    ],
)
def test_open_crawl_says_where_the_crawl_starts(
    stack: Deployment, context: Context, discovery: Discovery, following: str
) -> None:
    function = stack.load("open_crawl")
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, discovery=discovery, urls=(server.url,)))
        assert function.handler(event("open_crawl"), context)["next"] == following


def test_a_continued_execution_is_charged(stack: Deployment, context: Context) -> None:
    function = stack.load("open_crawl")
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url))
        for continued, transitions in ((0, 0), (1, 6), (2, 12)):
            function.handler(event("open_crawl") | {"continued": continued}, context)
            assert function.cloud.waves.read(ID, 1).sums.usage.transitions == transitions


@pytest.mark.parametrize(
    ("sitemaps", "following"),
    [
        ((), "finish"),
        ((SitemapFile(path="/sitemap.xml"),), "sitemaps"),
        ((SitemapFile(path="/sitemap.xml", entries=(SitemapEntry(to="/a"),)),), "sitemaps"),
        ((SitemapFile(path="/named.xml", in_robots=True),), "sitemaps"),
    ],
    ids=["none", "an empty one", "one with a page", "an empty one that robots.txt names"],
)
def test_links_are_followed_by_sitemaps_if_there_may_be_any(
    stack: Deployment, sitemaps: tuple[SitemapFile, ...], following: str
) -> None:
    serverless = Serverless(stack)
    with SiteServer(Site(pages=(page("/"),), sitemaps=sitemaps)) as server:
        serverless.functions["run_wave"].cloud.crawls.create(row(server.url, root_url=server.url))
        assert serverless.wave(CRAWL, "bfs", 1) == "wave"
        assert serverless.wave(CRAWL, "bfs", 2) == following


def test_a_planner_that_failed_is_replaced(
    stack: Deployment, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = stack.load("run_wave")
    function.cloud.signals = RecordedSignals()
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        with monkeypatch.context() as broken:
            broken.setattr(function.cloud.queue, "send", _fail(StoreBusyError("no answer")))
            with pytest.raises(StoreBusyError):
                function.handler(event("run_wave"), context)
        failed = function.planners.of(function.cloud.crawl(ID))
        assert function.handler(event("run_wave"), context) == {"batches": 1, "urls": 1}
        assert function.planners.of(function.cloud.crawl(ID)) is failed  # rebuilt after the failure and kept
    assert len(stack.messages()) == 1


def test_a_planner_that_failed_is_charged_to_its_own_wave(
    stack: Deployment, context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = stack.load("run_wave")
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        monkeypatch.setattr(function.cloud.queue, "send", _fail(StoreBusyError("no answer")))
        with pytest.raises(StoreBusyError):
            function.handler(event("run_wave"), context)
    charged = function.cloud.waves.read(ID, 1).sums.usage
    assert (charged.lambda_requests, charged.puts) == (1, 2)  # the snapshot, and the list of the site's page memory
    assert function.cloud.meter.take().lambda_requests == 0


def test_a_wave_is_refused_while_the_previous_one_runs(stack: Deployment, context: Context) -> None:
    function = stack.load("run_wave")
    function.cloud.signals = RecordedSignals()
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        function.handler(event("run_wave"), context)
        with pytest.raises(ConflictError, match="wave 1 is not over: batch 0 is not done"):
            function.handler(event("run_wave") | {"wave": 2}, context)


def test_a_cancelled_crawl_continues_with_its_results(stack: Deployment, context: Context) -> None:
    function = stack.load("run_wave")
    recorded = function.cloud.signals = RecordedSignals()
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        function.cloud.crawls.ask_to_cancel(ID)
        answer = function.handler(event("run_wave"), context)
    assert answer == {"batches": 0, "urls": 0}
    assert recorded.outputs == {event("run_wave")["token"]: Following(next=NextStep.FINISH)}


@pytest.mark.parametrize(("longest_pause", "until"), [("86400", PAUSED_UNTIL), ("300", 1795255500.0)])
def test_a_wave_that_starts_late_is_a_pause(
    stack: Deployment, context: Context, monkeypatch: pytest.MonkeyPatch, longest_pause: str, until: float
) -> None:
    function = stack.load("run_wave", WAVECRAWL_LONGEST_PAUSE=longest_pause)
    recorded = function.cloud.signals = RecordedSignals()
    monkeypatch.setattr(function.cloud.clock, "now", lambda: 1795255200.0)
    with SiteServer(random_site(Random(1), 3)) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        host = server.origin.removeprefix("http://")
        function.cloud.hosts.reserve(host, Turns(holder="another crawl", count=3600, interval=1.0), now=1795255200.0)
        function.handler(event("run_wave"), context)
    assert recorded.outputs == {
        event("run_wave")["token"]: Following(next=NextStep.PAUSE, until=until),
    }
    assert stack.messages() == []
    assert function.cloud.waves.read(ID, 1).sums.usage.transitions == 3


def test_sitemaps_are_counted(stack: Deployment, context: Context) -> None:
    function = stack.load("read_sitemaps")
    with SiteServer(LISTED) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        first = function.handler(event("read_sitemaps"), context)
        again = function.handler(event("read_sitemaps"), context)
    assert first == again
    assert set(first) == {"next", "files", "urls"}
    assert first["urls"] > 0
    assert first["next"] == "orphans"


def test_a_site_without_sitemaps_has_no_orphans(stack: Deployment, context: Context) -> None:
    function = stack.load("read_sitemaps")
    with SiteServer(Site(pages=(page("/"),))) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        assert function.handler(event("read_sitemaps"), context) == {"next": "finish", "files": 0, "urls": 0}


@pytest.mark.parametrize("discovery", [Discovery.SITEMAP_FIRST, Discovery.SITEMAP_ONLY])
@pytest.mark.parametrize("pages", [1, 8])
def test_a_crawl_from_sitemaps_has_its_first_wave_whatever_they_list(
    stack: Deployment, context: Context, discovery: Discovery, pages: int
) -> None:
    function = stack.load("read_sitemaps")
    site = LISTED if pages > 1 else Site(pages=(page("/"),))
    with SiteServer(site) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url, discovery=discovery))
        read = function.handler(event("read_sitemaps"), context)
    assert (read["next"], read["urls"] > 0) == ("bfs", pages > 1)


@pytest.mark.parametrize(
    ("longest_pause", "until"), [("86400", "2026-11-21T11:00:00Z"), ("300", "2026-11-21T10:05:00Z")]
)
def test_sitemaps_of_a_slow_host_are_read_later(
    stack: Deployment, context: Context, monkeypatch: pytest.MonkeyPatch, longest_pause: str, until: str
) -> None:
    function = stack.load("read_sitemaps", WAVECRAWL_LONGEST_PAUSE=longest_pause)
    monkeypatch.setattr(function.cloud.clock, "now", lambda: 1795255200.0)
    monkeypatch.setattr(function.cloud.clock, "sleep", _fail(AssertionError("a function is billed while it waits")))
    with SiteServer(LISTED) as server:
        function.cloud.crawls.create(row(server.url, root_url=server.url))
        host = server.origin.removeprefix("http://")
        function.cloud.hosts.reserve(host, Turns(holder="another crawl", count=3600, interval=1.0), now=1795255200.0)
        answer = function.handler(event("read_sitemaps"), context)
    assert answer == {"next": "pause", "until": until}
    assert function.cloud.waves.read(ID, 1).sums.usage.transitions == 3


@pytest.mark.parametrize("how", ["cancelled", "too long", "too dear"])
def test_sitemaps_of_a_crawl_that_ends_are_left_unread(stack: Deployment, context: Context, how: str) -> None:
    function = stack.load("read_sitemaps")
    with SiteServer(LISTED) as server:
        started = function.cloud.clock.now() - (28 * 86_400 + 1 if how == "too long" else 0)
        crawl = replace(row(server.url, root_url=server.url), started_at=started)
        function.cloud.crawls.create(replace(crawl, settings=replace(crawl.settings, budget_usd=0.5)))
        if how == "cancelled":
            function.cloud.crawls.ask_to_cancel(ID)
        if how == "too dear":
            function.cloud.waves.add_usage(ID, 3, Usage(write_units=800_000.0))  # half a dollar
        answer = function.handler(event("read_sitemaps"), context)
    assert answer == {"next": "orphans", "files": 0, "urls": 0}  # the next wave records why sitemaps ended early


def test_a_failed_crawl_frees_its_site(stack: Deployment, context: Context) -> None:
    function = stack.load("fail_crawl")
    function.cloud.crawls.create(row())
    assert function.handler(event("fail_crawl"), context) == {"status": "failed"}
    failed = function.cloud.crawl(ID)
    assert failed.error == "an internal error; the operator's log names the cause"
    assert failed.finished_at > 0


def test_a_crawl_whose_root_does_not_respond_fails_with_the_reason_but_no_function_does(
    stack: Deployment, context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    with SiteServer(Site(pages=(page("/"),))) as server:
        url = server.url
    opening = stack.load("open_crawl")
    opening.cloud.crawls.create(row(url))
    launched: list[CrawlId] = []
    opening.cloud.launcher.launch = launched.append
    assert opening.handler(event("open_crawl"), context)["next"] == "end"
    failed = opening.cloud.crawl(ID)
    assert (failed.status, failed.error[: len(url) + 19]) == (CrawlStatus.FAILED, f"{url} cannot be crawled:")
    assert "refused" in failed.error
    assert launched == [ID]  # so that the tenant's next crawl starts
    assert _counted(capsys.readouterr().out) == {"RootsFailed": 1.0, "Failed": 0.0}
    assert _published(stack, context) == [("crawl.failed", failed.error)]


@pytest.mark.parametrize("url", ["http://no-such-host.invalid/", "https://localhost:1/", "http://10.0.0.1/"])
def test_addresses_that_no_crawl_can_reach_fail_no_function(stack: Deployment, context: Context, url: str) -> None:
    opening = stack.load("open_crawl")
    opening.cloud.crawls.create(row(url))
    assert opening.handler(event("open_crawl"), context)["next"] == "end"
    assert opening.cloud.crawl(ID).error.startswith(f"{url} cannot be crawled:")


def test_a_crawl_whose_root_is_denied_fails_with_the_reason_but_no_function_does(
    stack: Deployment, context: Context
) -> None:
    with SiteServer(Site(pages=(page("/"),), robots=Robots(disallow=("/",)))) as server:
        cloud = stack.load("open_crawl").cloud
        cloud.crawls.create(row(server.url))
        service = Serverless(stack)
        assert service.run(CRAWL) == {"status": "failed", "pages": 0}
        failed = cloud.crawl(ID)
        assert failed.status is CrawlStatus.FAILED
        assert failed.error.startswith(f"{server.url} cannot be crawled: robots.txt denies it.")
        assert service.functions["finish_crawl"].handler(event("finish_crawl"), context)["status"] == "failed"


def test_a_root_whose_robots_txt_fails_is_tried_again_before_the_crawl_fails(
    stack: Deployment, context: Context, capsys: pytest.CaptureFixture[str]
) -> None:
    opening = stack.load("open_crawl")
    with SiteServer(Site(pages=(page("/"), Page(path="/robots.txt", status=503)))) as server:
        opening.cloud.crawls.create(row(server.url))
        before = opening.cloud.clock.now()
        first = opening.handler(event("open_crawl"), context)
        after = opening.cloud.clock.now()
        last = opening.handler(event("open_crawl") | {"tries": 5}, context)
    assert (first["next"], first["tries"], last["next"]) == ("pause", 1, "end")
    assert before + 15 <= datetime.fromisoformat(str(first["until"])).timestamp() <= after + 16
    assert opening.cloud.waves.usage(ID).transitions == 3
    assert "its robots.txt cannot be fetched" in opening.cloud.crawl(ID).error
    assert _counted(capsys.readouterr().out) == {"Failed": 0.0, "RootsFailed": 1.0}


def _counted(lines: str) -> dict[str, float]:
    """Return the last value of each metric that functions have written, without those of cold starts."""
    found: dict[str, float] = {}
    for line in filter(None, lines.splitlines()):
        written = json.loads(line)
        for group in written.get("_aws", {}).get("CloudWatchMetrics", []):
            found |= {one["Name"]: written[one["Name"]][-1] for one in group["Metrics"]}
    found.pop("ColdStart", None)
    return found


def _published(stack: Deployment, context: Context) -> list[tuple[str, str]]:
    """Let notify publish the end of the crawl; return the kind and the error of each event."""
    function = stack.load("notify")
    recorded: list[Any] = []
    function.cloud.events.publish = recorded.append
    function.handler(event("notify"), context)
    return [(one.kind.value, one.error) for one in recorded]


def test_the_reason_of_a_failed_crawl_is_in_the_log_and_names_nothing_of_the_deployment_to_its_tenant(
    stack: Deployment, context: Context, caplog: pytest.LogCaptureFixture
) -> None:
    function = stack.load("fail_crawl")
    function.cloud.crawls.create(row())
    recorded: list[Any] = []
    function.cloud.events.publish = recorded.append
    cause = "writing arn:aws:dynamodb:eu-west-1:123456789012:table/secret-table: AccessDenied for 10.0.0.7"
    caught = {"Error": "PermanentError", "Cause": json.dumps({"errorMessage": cause, "stackTrace": ["/var/task/x.py"]})}
    function.handler({**event("fail_crawl"), "error": caught}, context)
    expected = "an internal error; the operator's log names the cause"
    assert function.cloud.crawl(ID).error == expected
    assert [one.error for one in recorded] == [expected]
    assert [entry.data["error"] for entry in function.cloud.event_log.after(ID, -1, limit=9)] == [expected]
    (written,) = [one for one in caplog.records if one.message == "crawl failed"]
    assert vars(written)["error"] == f"PermanentError: {cause}"


def test_an_execution_that_was_stopped_from_outside_frees_its_site(stack: Deployment, context: Context) -> None:
    function = stack.load("fail_crawl")
    function.cloud.crawls.create(row())
    assert function.handler(event("fail_crawl_eventbridge"), context) == {"status": "failed"}
    assert function.cloud.crawl(ID).error == "the operator stopped its execution"


def test_a_crawl_that_has_ended_does_not_fail_afterwards(stack: Deployment, context: Context) -> None:
    function = stack.load("fail_crawl")
    function.cloud.crawls.create(row())
    function.cloud.crawls.finish(ID, status=CrawlStatus.COMPLETED, now=1.0)
    recorded: list[Any] = []
    function.cloud.events.publish = recorded.append
    for _ in range(2):
        assert function.handler(event("fail_crawl_eventbridge"), context) == {"status": "completed"}
    assert [(one.kind.value, one.error) for one in recorded] == [("crawl.completed", "")]


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (CrawlStatus.COMPLETED, "crawl.completed"),
        (CrawlStatus.CANCELLED, "crawl.completed"),
        (CrawlStatus.FAILED, "crawl.failed"),
    ],
)
def test_the_ending_of_a_crawl_is_published_once(
    stack: Deployment, context: Context, status: CrawlStatus, kind: str
) -> None:
    function = stack.load("notify")
    function.cloud.crawls.create(row(root_url="http://127.0.0.1/"))
    function.cloud.crawls.finish(ID, status=status, now=1795258800.0, error="why" * (status is CrawlStatus.FAILED))
    recorded: list[Any] = []
    function.cloud.events.publish = recorded.append
    assert function.handler(event("notify"), context) == {"published": kind}
    assert function.handler(event("notify"), context) == {"published": None}
    (published,) = recorded
    assert (published.kind.value, published.crawl, published.status) == (kind, ID, status.value)
    assert (published.root_url, published.pages, published.at) == ("http://127.0.0.1/", 0, 1795258800.0)


def _fail(error: BaseException) -> Any:
    def fail(*_: object) -> None:
        raise error

    return fail
