"""`wavecrawl doctor --crawl`: a crawl of the check site through the functions."""

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from infra.constructs.events import KINDS, SOURCE
from tests.support import asking
from tests.support.check_site_server import check_site_server
from tests.support.fake_browser import FakeBrowser, as_sent
from tests.support.functions import API_KEY, ROOT, WEBHOOK_SECRET, Context, event
from tests.support.functions import Deployment as Stack
from tests.support.serverless import Serverless

from wavecrawl.adapters.aws import check_site, deployed_crawl
from wavecrawl.adapters.aws.deployed_api import DeployedApi
from wavecrawl.adapters.aws.deployed_crawl import CheckCrawl
from wavecrawl.adapters.aws.deployment import Deployment
from wavecrawl.adapters.aws.secrets import Secrets
from wavecrawl.api.http_api import ROUTES
from wavecrawl.ports.browser import RenderRequest

API = "https://api.example"
QUEUES = {"RenderQueueUrl": "", "MediaQueueUrl": "", "IndexQueueUrl": ""}
LINK = f'<html><body><div id="root"><h1>Rendered</h1><a href="{check_site.BY_SCRIPT}">A link</a></div></body></html>'
PASSED = {
    "a denied site": "a signed message started a crawl, which robots.txt denied",
    "links": "all 50 pages found",
    "sitemap": "/check/listed fetched",
    "rendering": "a script was run, and its link followed",
    "media": "an image was stored",
    "search": "a word of the root page is found",
    "webhook delivery": "delivered",
}


class Machine:
    """The deployment: the functions over moto, and what calls them."""

    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.serverless = Serverless(stack)
        self.functions = {name: stack.load(name) for name in ("api", "results", "webhook", "start_site", "deliver")}
        self.called: set[str] = set()
        self.done: set[str] = set()

    def client(self, service: str) -> "Machine":
        """Return the client of Lambda."""
        assert service == "lambda"
        return self

    def invoke(self, *, FunctionName: str, Payload: bytes) -> dict[str, Any]:  # noqa: N803 - as in boto3
        """Invoke a function, as Lambda does."""
        name = FunctionName.removeprefix("wavecrawl-").replace("-", "_")
        answer = self._call(name, json.loads(Payload))
        return {"Payload": Body(json.dumps(answer))}

    def request(self, method: str, url: str, **more: Any) -> requests.Response:
        """Respond as API Gateway and the functions do."""
        parts = urlsplit(url)
        body = more.get("data") or (None if more.get("json") is None else json.dumps(more["json"]))
        name = "webhook" if parts.path.startswith("/webhooks/") else self._function_of(method, parts.path)
        headers = dict(more.get("headers", {}))
        if name == "webhook":
            sent = event("webhook") | {"body": body, "rawPath": parts.path}
            sent["headers"] |= headers
        else:
            sent = asking.request(method, parts.path, body, query=dict(parse_qsl(parts.query)), headers=headers)
            if "authorization" not in headers:
                del sent["headers"]["authorization"]
        answer = self._call(name, sent)
        response = requests.Response()
        response.status_code, response._content = answer["statusCode"], (answer.get("body") or "").encode()
        response.request = requests.Request(method, url).prepare()
        return response

    def work(self, _seconds: float) -> None:
        """Do what the service does while the doctor waits: run the crawls that were started, and send messages."""
        executions = self.stack.clients.stepfunctions.list_executions(stateMachineArn=self.stack.state_machine)
        for execution in executions["executions"]:
            if execution["name"] not in self.done:
                self.done.add(execution["name"])
                found = self.stack.clients.stepfunctions.describe_execution(executionArn=execution["executionArn"])
                self._run(json.loads(found["input"])["crawl"])
        self.serverless.index()
        for record in self.stack.messages(self.stack.deliveries):
            assert self._call("deliver", {"Records": [record]}) == {"batchItemFailures": []}

    def _call(self, name: str, event: dict[str, Any]) -> Any:
        self.called.add(name)
        return self.functions[name].handler(event, Context())

    def _run(self, crawl: dict[str, str]) -> None:
        self.serverless.signals.outputs.clear()  # tokens are numbered anew in each crawl
        try:
            self.serverless.run(crawl)
        except Exception as error:  # noqa: BLE001 - the state machine catches every error
            failure = {"Error": type(error).__name__, "Cause": json.dumps({"errorMessage": str(error)})}
            self.serverless.call("fail_crawl", {"crawl": crawl, "error": failure})
            self.serverless.call("notify", {"crawl": crawl})

    @staticmethod
    def _function_of(method: str, path: str) -> str:
        for name, routes in ROUTES.items():
            for one, template in routes:
                places, parts = template.split("/"), path.split("/")
                same = len(places) == len(parts) and all(
                    place.startswith("{") or place == part for place, part in zip(places, parts, strict=True)
                )
                if same and one == method:
                    return name
        raise AssertionError(f"no route {method} {path}")


class Body:
    """The body of a response of Lambda."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self) -> str:
        return self._text


def made_by_scripts(request: RenderRequest) -> str:
    return LINK if request.url.endswith(check_site.RENDERED) else as_sent(request)


@pytest.fixture(name="machine")
def the_functions(stack: Stack, render_with: Callable[[FakeBrowser], None], monkeypatch: pytest.MonkeyPatch) -> Machine:
    render_with(FakeBrowser(made_by_scripts))
    events, sqs = stack.clients.events, stack.clients.sqs
    events.put_rule(Name="published", EventPattern=json.dumps({"source": [SOURCE], "detail-type": [*KINDS]}))
    queue = sqs.get_queue_attributes(QueueUrl=stack.deliveries, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    events.put_targets(Rule="published", Targets=[{"Id": "deliveries", "Arn": queue}])
    machine = Machine(stack)
    monkeypatch.setattr(requests, "request", machine.request)
    quick = deployed_crawl.SETTINGS | {"polite": {"interval": 0.0, "adapt": False}}  # pauses take no time here
    monkeypatch.setattr(deployed_crawl, "SETTINGS", quick)
    return machine


def check(machine: Machine, site: str, outputs: Mapping[str, str]) -> dict[str, Any]:
    deployment = Deployment(stack="wavecrawl", status="CREATE_COMPLETE", outputs=dict(outputs), session=machine)
    api = DeployedApi(url=API, secrets=Secrets(api_keys=(API_KEY,), webhook_secrets=(WEBHOOK_SECRET,)))
    findings = CheckCrawl(deployment=deployment, api=api, site=site, sleep=machine.work).findings()
    return {finding.check.removeprefix("check crawl: "): finding for finding in findings}


def test_all_functions_do_their_work_and_nothing_stays(machine: Machine) -> None:
    with check_site_server() as site:
        found = check(machine, site, QUEUES)
    assert {name: finding.problem for name, finding in found.items() if finding.problem} == {}
    assert {name: found[name].detail for name in PASSED} == PASSED
    api = machine.functions["api"].handler
    for path, name in (("/v1/crawls", "crawls"), ("/v1/sites", "sites"), ("/v1/webhooks", "webhooks")):
        assert asking.ask(api, "GET", path).body[name] == []
    called = {*machine.serverless.calls, *machine.called}
    functions = {path.parent.name for path in (ROOT / "functions").glob("*/handler.py")}
    assert functions - called == {"fold_wave", "fail_crawl"}


def test_a_function_that_does_nothing_is_named(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine.serverless, "index", lambda: None)
    with check_site_server() as site:
        found = check(machine, site, QUEUES)
    assert [name for name, finding in found.items() if finding.problem] == ["search"]
    assert found["search"].problem.endswith("Look at the logs of wavecrawl-index-site, wavecrawl-results")


def test_a_crawl_that_fails_is_reported_with_its_error(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_crawl: dict[str, str]) -> None:
        raise ConnectionError("no route to the queue")

    monkeypatch.setattr(machine.serverless, "run", broken)
    with check_site_server() as site:
        found = check(machine, site, QUEUES)
    assert "an internal error; the operator's log names the cause" in found["crawl"].problem
    assert "wavecrawl-run-wave" in found["crawl"].problem
    assert "links" not in found


def test_the_api_serves_the_check_site(machine: Machine) -> None:
    respond: Callable[..., Any] = machine.functions["api"].handler
    for path in (check_site.ROOT, "/robots.txt", "/sitemap.xml", check_site.IMAGE):
        sent = asking.request("GET", path)
        answer = respond(sent, Context())
        assert answer == check_site.response(sent), path
        assert answer["statusCode"] == 200
    assert respond(asking.request("GET", "/check/none"), Context())["statusCode"] == 404
    assert respond(asking.request("POST", check_site.HOOK, "{}"), Context())["statusCode"] == 204
    assert respond(asking.request("GET", "/v1/none"), Context())["statusCode"] in (401, 404)
