"""Each role allows exactly the AWS calls that its function makes while the real handlers run crawls and failures."""

import json
import time
from collections.abc import Callable
from random import Random
from typing import Any
from urllib.parse import parse_qsl

import msgspec
import pytest
from infra.concurrency import CALLED
from msgspec.structs import replace
from tests.support.called import Calls, missing, unused
from tests.support.campaign import slow
from tests.support.fake_browser import FakeBrowser
from tests.support.functions import API_KEY, Deployment, event
from tests.support.media_site import GIF, MediaSite, html
from tests.support.random_site import random_site
from tests.support.rights import Rights, rights_of, role_of
from tests.support.serverless import WAVES, Serverless
from tests.support.signing import webhook
from tests.support.still_clock import StillClock
from tests.support.synthesis import synthesized

from wavecrawl.adapters.aws.queue import job_from
from wavecrawl.cloud.fetch_batch import MOST_DELIVERIES
from wavecrawl.demo.model import Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery, WaveSettings
from wavecrawl.domain.sites.frequency import Frequency
from wavecrawl.domain.sites.schedule import Schedule
from wavecrawl.ports.signals import ANOTHER_WAVE
from wavecrawl.ports.sites import SiteRow
from wavecrawl.ports.webhooks import Webhook

FUNCTIONS = {
    *("webhook", "api", "results", "start-site", "open-crawl", "run-wave", "fetch-batch", "render-batch"),
    *("process-media", "read-sitemaps", "fold-wave", "finish-crawl", "index-site", "fail-crawl", "notify", "deliver"),
}
ELSEWHERE = "https://site.example/"
SETTINGS = {
    "budget_usd": 1.0,
    "render": {"mode": "always", "screenshots": "all"},
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0},
}
ROBOTS_OUTGROWN: Rights = {"Table": {"dynamodb:DeleteItem"}}  # a robots.txt that no longer fits into a row
SITE_SECRETS: Rights = {"secret:wavecrawl/sites/*": {"secretsmanager:GetSecretValue"}}
"""The credentials of a site."""
PUT = ("s3:PutObject", "s3:AbortMultipartUpload")
NAME_TAKEN: Rights = {
    "arn:AWS::Partition:states:AWS::Region:AWS::AccountId:execution:wavecrawl:*": {"states:DescribeExecution"}
}
"""Another execution has the name of the one that a function starts."""
WEBHOOK_KEY = "secret:wavecrawl/webhook-key-??????"


def empty(*tables: str) -> Rights:
    """Return the rights to register tables of which the crawls of this test have no rows."""
    return {f"table/wavecrawl/{table}": {"glue:CreatePartition"} for table in tables}


SELDOM: dict[str, Rights] = {
    **dict.fromkeys(("webhook", "start-site"), NAME_TAKEN),
    **dict.fromkeys(("run-wave", "fetch-batch", "process-media", "read-sitemaps"), ROBOTS_OUTGROWN | SITE_SECRETS),
    "render-batch": SITE_SECRETS,
    # The objects are the snapshots of a resumed crawl. StartExecution: a queued crawl starts if this one cannot open.
    "open-crawl": {
        **NAME_TAKEN,
        "StateMachine": {"states:StartExecution"},
        **ROBOTS_OUTGROWN,
        **SITE_SECRETS,
        "Bucket": {"s3:ListBucket"},
        "Bucket/tenants/*": {"s3:GetObject"},
    },
    # With every hundredth wave.
    "fold-wave": {
        **empty("checks", "resource_uses"),
        "Bucket/tables/*": {"s3:GetObject"},
        "Bucket/tenants/*/memory/*": {*PUT, "s3:DeleteObject"},
    },
    # PutItem: the site has changed since an earlier crawl. StartExecution: a queued crawl starts.
    # DeleteObject: a page was deleted, or the page memory is divided.
    "finish-crawl": {
        **empty("checks", "media_uses", "resource_uses"),
        "Table": {"dynamodb:PutItem"},
        **NAME_TAKEN,
        "StateMachine": {"states:StartExecution"},
        "Bucket/tenants/*/memory/*": {"s3:DeleteObject"},
    },
    "fail-crawl": {"StateMachine": {"states:StartExecution"}, **NAME_TAKEN},
    # A queued crawl is cancelled. A crawl is deleted to whose records and responses a later one refers.
    "api": {
        **NAME_TAKEN,
        WEBHOOK_KEY: {"secretsmanager:CreateSecret"},  # with the first webhook
        "Bus": {"events:PutEvents"},
        "Bucket/tenants/*/records/*": {*PUT},
        "Bucket/tenants/*/warc/*": {*PUT},
    },
    "deliver": {WEBHOOK_KEY: {"secretsmanager:GetSecretValue", "secretsmanager:CreateSecret"}},  # it has read the key
}
"""Rights for cases that this test does not run."""

OF_AWS: dict[str, Rights] = {
    "fetch-batch": {"Fetch": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "render-batch": {"Render": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "process-media": {"Media": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "fold-wave": {"Folds": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "index-site": {"Index": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "deliver": {"Deliveries": {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}},
    "fail-crawl": {"UndeliveredEvents": {"sqs:SendMessage"}},
    "start-site": {"UndeliveredEvents": {"sqs:SendMessage"}},
}
"""Rights that Lambda itself uses, by the function's role."""

TELEMETRY: dict[str, Rights] = {
    name: {
        **({} if name in CALLED else {"*": {"xray:PutTraceSegments", "xray:PutTelemetryRecords"}}),
        f"{name.title().replace('-', '')}Logs": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }
    for name in FUNCTIONS
}


class Recorded(Serverless):
    """Crawls whose calls are recorded."""

    def __init__(self, stack: Deployment) -> None:
        super().__init__(stack)
        self.aws_calls = Calls(stack, self.signals)
        with self.aws_calls.recorded():  # some functions create clients when they are loaded
            self.functions |= {
                name: stack.load(name) for name in ("webhook", "api", "results", "start_site", "deliver")
            }
        self.clock = StillClock(time=time.time())  # the current time, as signatures expire
        for module in self.functions.values():
            module.cloud.clock = self.clock
        for name in WAVES:
            del vars(self.functions[name].cloud)["signals"]  # use the real signals: `Calls` responds to them

    def call(self, name: str, event: dict[str, Any]) -> Any:
        self.clock.time += 1.0  # so that every batch becomes due
        with self.aws_calls.by(name):
            return super().call(name, event)

    def end_a_part(self, wave: int) -> None:  # noqa: ARG002 - called after each wave
        """Let so much time pass that a part of the results ends with the next plan."""
        self.clock.time += WaveSettings().part_seconds

    def ask(self, method: str, path: str, body: object = None, *, of: str = "api") -> tuple[int, dict[str, Any]]:
        """Send a request to the API."""
        path, _, query = path.partition("?")
        asked = event("api") | {"rawPath": path, "routeKey": f"{method} {path}"}
        asked["body"] = None if body is None else json.dumps(body)
        asked |= {"rawQueryString": query, "queryStringParameters": dict(parse_qsl(query))}
        asked["requestContext"]["http"] |= {"method": method, "path": path}
        asked["headers"]["authorization"] = f"Bearer {API_KEY}"
        answer = self.call(of, asked)
        return answer["statusCode"], json.loads(answer["body"] or "null")


@pytest.fixture(scope="module")
def allowed() -> dict[str, Rights]:
    assembly = synthesized()
    return {name: rights_of(assembly, role_of(assembly, f"wavecrawl-{name}")) for name in FUNCTIONS}


@slow
def test_each_role_allows_exactly_the_calls_of_its_function(
    stack: Deployment, allowed: dict[str, Rights], render_with: Callable[[FakeBrowser], None]
) -> None:
    render_with(FakeBrowser())
    service = Recorded(stack)
    with service.aws_calls.recorded(), SiteServer(_site()) as server:
        for number in ("1", "2"):  # the second crawl reads what the first one stored about unchanged pages
            service.signals.outputs.clear()
            crawl = _start_crawl(service, server.url, number)
            assert service.run(crawl, after_wave=service.end_a_part)["status"] == "completed"
            service.index()
            service.clock.time += 60.0  # a page first seen within a second before a crawl would count as new
        service.call("run_wave", {"crawl": crawl, "phase": "bfs", "wave": 1, "token": "again"})  # it is done already
        assert service.signals.outputs["again"] == ANOTHER_WAVE
        _read_crawl(service, crawl)
        _read_results(service, crawl)
        _store_media(service)
        _fail_crawl(service, server.url)
        _start_by_schedule(service)
        _crawl_list(service)
        _save_site(service)
        _upload_list(service, stack)
        _notify(service)
    needed = service.aws_calls.needed
    assert needed.keys() == FUNCTIONS
    for name in FUNCTIONS:
        assert missing(needed[name], allowed[name]) == {}, name
        assert unused(needed[name], allowed[name]) == TELEMETRY[name] | SELDOM.get(name, {}) | OF_AWS.get(name, {}), (
            name
        )


def _site() -> Site:
    """Return a site whose robots.txt names its sitemaps, so that read_sitemaps has files to read."""
    site = random_site(Random(25), 12)
    return replace(site, sitemaps=tuple(replace(file, in_robots=True) for file in site.sitemaps))


def _start_crawl(service: Recorded, url: str, number: str) -> dict[str, str]:
    """Start a crawl by webhook. A repeat of the message starts nothing; a second crawl of the site is refused."""
    asked, first = {"url": url, "settings": SETTINGS}, f"msg_{number}"
    answers = [service.call("webhook", webhook(asked, id_=id_)) for id_ in (first, first, f"{first}_more")]
    assert [answer["statusCode"] for answer in answers] == [202, 200, 409]
    body = json.loads(answers[0]["body"])
    return {"tenant": "default", "site": body["site"], "crawl": body["crawl"]}


def _store_media(service: Recorded) -> None:
    """Crawl a site with images twice. The second crawl knows what the first one stored."""
    settings = SETTINGS | {"media": {"include": ["images"]}}
    with MediaSite({"/": html("<img src=/logo.gif>"), "/logo.gif": ("image/gif", GIF)}) as server:
        for number in ("1", "2"):
            service.signals.outputs.clear()
            asked = webhook({"url": server.url, "settings": settings}, id_=f"msg_media_{number}")
            body = json.loads(service.call("webhook", asked)["body"])
            crawl = {"tenant": "default", "site": body["site"], "crawl": body["crawl"]}
            assert service.run(crawl, after_wave=service.end_a_part)["status"] == "completed"
            service.index()
            service.clock.time += 60.0
        assert server.requests("/logo.gif") == [("GET", 200), ("GET", 304)]
    path = f"/v1/crawls/{crawl['crawl']}/media"
    status, listed = service.ask("GET", path, of="results")
    assert status == 200
    (asset,) = [one["hash"] for one in listed["media"]]
    assert service.ask("GET", f"{path}/{asset}/uses", of="results")[0] == 200
    assert service.ask("GET", f"/v1/media/{asset}", of="results")[0] == 200
    assert service.ask("DELETE", f"/v1/media/{asset}", of="results")[0] == 409
    assert service.ask("DELETE", f"/v1/media/{asset}?force=true", of="results")[0] == 204


def _read_crawl(service: Recorded, crawl: dict[str, str]) -> None:
    path = f"/v1/crawls/{crawl['crawl']}"
    answers = [service.ask("GET", "/v1/crawls"), service.ask("GET", path), service.ask("GET", f"{path}/exports")]
    assert [status for status, _ in answers] == [200, 200, 200]
    assert answers[-1][1]["exports"]


def _read_results(service: Recorded, crawl: dict[str, str]) -> None:
    """Read the results of a crawl, delete one of its pages, then delete the crawl."""
    path = f"/v1/crawls/{crawl['crawl']}"
    status, listed = service.ask("GET", f"{path}/pages", of="results")
    assert status == 200
    key = listed["pages"][0]["key"]
    for asked in ("graph", "orphans", "issues", "statistics", f"pages/{key}", "urls"):
        assert service.ask("GET", f"{path}/{asked}", of="results")[0] == 200
    assert service.ask("GET", f"/v1/sites/{crawl['site']}/search?q=page", of="results")[0] == 200
    assert service.ask("DELETE", f"{path}/pages/{key}", of="results")[0] == 204
    assert service.ask("DELETE", path)[0] == 204
    removals = service.stack.messages(service.stack.index, delete=False)
    (removal, _) = removals
    failing = removal | {"body": "no request"}
    again = {"batchItemFailures": [{"itemIdentifier": removal["messageId"]}]}
    assert service.call("index_site", {"Records": [failing]}) == again
    for record in removals:  # while one is received, others of the tenant wait
        handle = record["receiptHandle"]
        service.stack.clients.sqs.delete_message(QueueUrl=service.stack.index, ReceiptHandle=handle)


def _fail_crawl(service: Recorded, url: str) -> None:
    """Start a crawl by the API, cancel it and let it fail; deliver early jobs and an invalid message; time out."""
    settings = SETTINGS | {"discovery": "list", "urls": [url]}
    status, started = service.ask("POST", "/v1/crawls", {"url": url, "settings": settings})
    assert status == 202
    assert service.ask("POST", "/v1/crawls", {"url": url, "settings": settings})[0] == 409
    crawl = {"tenant": "default", "site": started["site"], "crawl": started["crawl"]}
    service.call("open_crawl", {"crawl": crawl})
    service.call("run_wave", {"crawl": crawl, "phase": "bfs", "wave": 1, "token": "early"})
    (record,) = service.stack.messages()
    late = replace(job_from(record["body"]), starts_at=service.functions["api"].cloud.clock.now() + 60.0)
    record["body"] = msgspec.json.encode(late).decode()
    again = {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}
    assert service.call("fetch_batch", {"Records": [record]}) == again
    record["attributes"]["ApproximateReceiveCount"] = str(MOST_DELIVERIES)  # now it is sent as a new message
    assert service.call("fetch_batch", {"Records": [record]}) == {"batchItemFailures": []}
    for name in ("render_batch", "process_media"):  # as fetch_batch
        assert service.call(name, {"Records": [record]}) == {"batchItemFailures": []}
    service.call("run_wave", {"crawl": crawl, "phase": "bfs", "wave": 1, "token": "after a time-out"})
    assert service.call("fetch_batch", {"Records": [record | {"body": "no job"}]}) == again
    assert service.ask("POST", f"/v1/crawls/{started['crawl']}/cancel")[0] == 202
    assert service.call("fail_crawl", {"crawl": crawl, "error": {"Error": "E", "Cause": "c"}})["status"] == "failed"
    service.call("notify", {"crawl": crawl})


def _crawl_list(service: Recorded) -> None:
    """Start a crawl of a list of URLs by webhook."""
    settings = SETTINGS | {"discovery": "list", "urls": [ELSEWHERE]}
    answer = service.call("webhook", webhook({"url": f"{ELSEWHERE}list", "settings": settings}, id_="msg_list"))
    assert answer["statusCode"] == 202


def _upload_list(service: Recorded, stack: Deployment) -> None:
    """Upload a list of URLs, and crawl it by request, by webhook and by schedule."""
    data = f"{ELSEWHERE}listed".encode()
    status, made = service.ask("POST", "/v1/lists", {"bytes": len(data)})
    assert status == 201
    list_ = made["list"]
    stack.clients.s3.put_object(Bucket=stack.bucket, Key=f"uploads/default/{list_}", Body=data)
    assert service.ask("POST", f"/v1/lists/{list_}/check", of="results")[0] == 200
    settings = SETTINGS | {"discovery": "list", "url_list": list_}
    asked = {"url": f"{ELSEWHERE}uploaded", "settings": settings}
    status, site = service.ask("POST", "/v1/sites", asked)
    assert status == 201
    assert service.ask("POST", "/v1/crawls", {"url": f"{ELSEWHERE}requested", "settings": settings})[0] == 202
    message = webhook({"url": f"{ELSEWHERE}by-message", "settings": settings}, id_="msg_uploaded")
    assert service.call("webhook", message)["statusCode"] == 202
    due = event("start_site") | {"tenant": "default", "site": site["site"]}
    service.functions["start_site"].cloud.sites.update(
        replace(
            service.functions["start_site"].cloud.sites.read("default", site["site"]),
            schedule=Schedule(frequency=Frequency.WEEKLY),
            version=2,
        )
    )
    service.call("start_site", due)
    assert service.functions["api"].cloud.crawls.of_site("default", site["site"], limit=1)
    assert service.ask("DELETE", f"/v1/sites/{site['site']}")[0] == 204
    assert service.ask("DELETE", f"/v1/lists/{list_}")[0] == 204


def _save_site(service: Recorded) -> None:
    """Create a site with a schedule and credentials, and delete it."""
    status, site = service.ask("POST", "/v1/sites", {"url": ELSEWHERE, "schedule": {"frequency": "weekly"}})
    assert status == 201
    credentials, path = {"headers": {"X-Preview": "test"}}, f"/v1/sites/{site['site']}/credentials"
    for _ in range(2):  # the second time, the secret exists
        assert service.ask("PUT", path, credentials)[0] == 200
    assert service.ask("DELETE", path)[0] == 204
    assert service.ask("DELETE", f"/v1/sites/{site['site']}")[0] == 204


def _start_by_schedule(service: Recorded) -> None:
    """Start a saved site by its schedule, then start a deleted one."""
    due = event("start_site")
    sites = service.functions["start_site"].cloud.sites
    weekly = Schedule(frequency=Frequency.WEEKLY)
    sites.create(
        SiteRow(
            tenant=due["tenant"],
            site=due["site"],
            url=ELSEWHERE,
            name="",
            settings=CrawlSettings(discovery=Discovery.LIST, urls=(ELSEWHERE,)),
            schedule=weekly,
        )
    )
    assert service.call("start_site", due)["skipped"] == ""
    assert service.call("start_site", due | {"due": "later"})["skipped"] == "the site is being crawled"
    assert service.call("start_site", due | {"site": "gone"})["skipped"] == "there is no such site or tenant"


def _notify(service: Recorded) -> None:
    """Send a test message and an event to a webhook with a forbidden address. Both are to be retried."""
    hook = Webhook(tenant="default", webhook="w", url="http://10.0.0.1/", secret="whsec_bmV3")
    service.functions["deliver"].cloud.webhooks.create(hook)
    assert service.ask("POST", "/v1/webhooks/w/test")[0] == 202
    assert service.call("deliver", event("deliver_event")) == {"batchItemFailures": []}
    records = service.stack.messages(service.stack.deliveries, delete=False)
    assert len(records) == 2
    answer = service.call("deliver", {"Records": records})
    assert answer == {"batchItemFailures": [{"itemIdentifier": record["messageId"]} for record in records]}
