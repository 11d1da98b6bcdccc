"""The function index_site, and searches in what it indexed, over moto and a loopback Amazon Bedrock and S3 Vectors."""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.support.asking import Response
from tests.support.asking import ask as ask_api
from tests.support.aws_models import BUCKET, DIMENSIONS, MODEL, TOKENS, AwsModels, served_models
from tests.support.campaign import slow
from tests.support.crawling import crawl_inline
from tests.support.functions import Context, Deployment, environment_of, event
from tests.support.media_site import MediaSite, html
from tests.support.serverless import Serverless
from tests.support.signing import webhook

from wavecrawl.adapters.aws.index_queue import SqsIndexing
from wavecrawl.adapters.aws.passages import S3Passages
from wavecrawl.bootstrap.cloud_settings import environment
from wavecrawl.bootstrap.knowledge import index_local_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.knowledge.passage import SiteId
from wavecrawl.errors import StoreBusyError
from wavecrawl.ports.knowledge import IndexState

QUICK = {"retry_base": 0.0, "polite": {"interval": 0.0, "adapt": False}}
DOCUMENT = Path(__file__).parents[2] / "data" / "documents" / "pandoc.docx"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
LINKS = "<a href=/apples>a</a> <a href=/pears>p</a> <a href=/plums>p</a>"
APPLES = html("<main><h1>Apples</h1><p>Apples are red, and they are picked in autumn.</p></main>")
PEARS = html("<main><h1>Pears</h1><p>Pears are green, and soft if they are ripe.</p></main>")
PLUMS = html("<main><h1>Plums</h1><p>Plums are blue, and have a stone.</p></main>")


LOST = "000009-0001-1"
"""The name of a batch whose objects do not exist."""


def fruit() -> dict[str, tuple[str, bytes] | int | str]:
    """Return a site about fruit, with four pages."""
    root = html(f"<main><h1>Fruit</h1><p>All about fruit of the garden.</p>{LINKS}</main>")
    return {"/": root, "/apples": APPLES, "/pears": PEARS, "/plums": PLUMS}


@dataclass
class Indexed:
    """A deployment with a site, which is crawled and indexed."""

    stack: Deployment
    server: MediaSite
    service: Serverless
    crawls: list[CrawlId] = field(default_factory=list)

    def crawl(self, **settings: object) -> CrawlId:
        """Crawl the site; its message for index_site waits in the queue."""
        name = f"msg_{len(self.crawls)}"
        body = {"url": self.server.url, "settings": QUICK | settings}
        answer = self.stack.load("webhook").handler(webhook(body, id_=name), self.service.context)
        started = json.loads(answer["body"])
        crawl = {"tenant": "default", "site": started["site"], "crawl": started["crawl"]}
        self.service.signals.outputs.clear()
        assert self.service.run(crawl)["status"] == "completed"
        self.crawls.append(CrawlId(**crawl))
        return self.crawls[-1]

    @property
    def site(self) -> SiteId:
        return SiteId(tenant="default", site=self.crawls[-1].site)

    def messages(self) -> list[dict[str, Any]]:
        """Take the messages that wait for index_site."""
        return self.stack.messages(self.stack.index)

    def deliver(self, record: dict[str, Any], *, remaining: int = 900_000) -> bool:
        """Invoke the function, as a new process; return whether the message is done."""
        module = self.stack.load("index_site")
        answer = module.handler({"Records": [record]}, Context(remaining=remaining))
        if answer == {"batchItemFailures": [{"itemIdentifier": record["messageId"]}]}:
            return False
        assert answer == {"batchItemFailures": []}
        return True

    def index(self) -> None:
        """Process all messages that wait."""
        for record in self.messages():
            assert self.deliver(record)

    def ask(self, path: str, method: str = "GET", *, of: str = "results", **query: str) -> Response:
        """Send a request to the API."""
        return ask_api(self.stack.load(of).handler, method, path, query=query)

    def found(self, question: str, **query: str) -> list[str]:
        """Return the paths of the pages that a search finds."""
        answer = self.ask(f"/v1/sites/{self.site.site}/search", q=question, **query)
        assert answer.status == 200, answer.text
        return [one["url"].removeprefix(self.server.url) for one in answer.body["passages"]]

    def change(self, crawl: CrawlId, path: str, text: str) -> None:
        """Change the text of a page in the results of a crawl. Its stored response cannot be read any more."""
        key = f"tenants/default/sites/{crawl.site}/crawls/{crawl.crawl}/exports/pages.jsonl.gz"
        s3 = self.stack.clients.s3
        body = s3.get_object(Bucket=self.stack.bucket, Key=key)["Body"].read()
        pages = [json.loads(line) for line in gzip.decompress(body).splitlines()]
        (page,) = [page for page in pages if page["url"] == self.server.url + path]
        page |= {"text": text, "text_hash": text and page["text_hash"], "batch": LOST}
        lines = "".join(f"{json.dumps(page)}\n" for page in pages)
        s3.put_object(Bucket=self.stack.bucket, Key=key, Body=gzip.compress(lines.encode()))

    def chunks(self, crawl: CrawlId) -> list[dict[str, Any]]:
        """Return the exported passages, without what differs between crawls."""
        key = f"tenants/default/sites/{crawl.site}/crawls/{crawl.crawl}/exports/chunks.jsonl.gz"
        body = self.stack.clients.s3.get_object(Bucket=self.stack.bucket, Key=key)["Body"].read()
        return comparable(body, self.server.url)


def comparable(body: bytes, url: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in gzip.decompress(body).splitlines()]
    return [{"path": one["url"].removeprefix(url)} | {name: one[name] for name in KEPT} for one in lines]


KEPT = ("title", "heading_path", "text", "characters", "position")


class Ticking:
    """`ports.clock.Clock`: each look at it takes 7 seconds; after a batch there are two."""

    def __init__(self) -> None:
        self._now = 1_000.0

    def now(self) -> float:
        self._now += 7.0
        return self._now


@pytest.fixture
def fruits(stack: Deployment) -> Iterator[Indexed]:
    """A deployment whose index has words only."""
    with MediaSite(fruit()) as server:
        yield Indexed(stack, server, Serverless(stack))


@pytest.fixture
def models() -> Iterator[AwsModels]:
    with served_models() as served:
        yield served


@pytest.fixture
def meaningful(stack: Deployment, models: AwsModels) -> Iterator[Indexed]:
    """A deployment whose index has vectors, too."""
    variables = environment(embedding_model=MODEL, embedding_dimensions=DIMENSIONS, vector_bucket=BUCKET)
    stack.environment |= variables | models.environment
    with environment_of(models.environment), MediaSite(fruit()) as server:
        yield Indexed(stack, server, Serverless(stack))


def passage_ids(one: Indexed) -> set[str]:
    """Return the ids of the stored passages, as a new process reads them."""
    cloud = one.stack.load("results").cloud
    return {passage.id for _, passage in cloud.passages.all(one.site)}


def test_a_crawl_is_indexed_as_on_one_machine(fruits: Indexed, tmp_path: Path) -> None:
    crawl = fruits.crawl()
    early = fruits.ask(f"/v1/sites/{crawl.site}/search", q="pears")
    assert early.status == 409
    assert "is not built yet" in early.body["detail"]
    fruits.index()
    shown = fruits.ask(f"/v1/sites/{crawl.site}/index").body
    assert (shown["status"], shown["crawl"], shown["message"]) == ("current", crawl.crawl, "")
    assert fruits.found("when are apples picked")[0] == "apples"
    done = crawl_inline(fruits.server.url, tmp_path)
    store = LocalStore(tmp_path)
    index_local_crawl(store, done.row)
    expected = comparable((done.exports / "chunks.jsonl.gz").read_bytes(), fruits.server.url)
    store.close()
    assert {one["path"] for one in expected} == {"", "apples", "pears", "plums"}
    assert fruits.chunks(crawl) == expected


@slow
def test_documents_are_indexed(fruits: Indexed) -> None:
    fruits.server.content["/guide.docx"] = (DOCX, DOCUMENT.read_bytes())
    fruits.server.content["/"] = html(f"<main><h1>Fruit</h1>{LINKS}<a href=/guide.docx>guide</a></main>")
    fruits.crawl(media={"include": ["documents"]})
    fruits.index()
    assert fruits.found("when does a pilot come aboard")[0] == "guide.docx"


def test_a_recrawl_embeds_only_what_has_changed(meaningful: Indexed, models: AwsModels) -> None:
    meaningful.crawl()
    meaningful.index()
    assert len(models.embedded) == 4
    assert meaningful.found("soft ripe", mode="vectors")[0] == "pears"
    models.embedded.clear()
    meaningful.server.content["/plums"] = html("<main><h1>Plums</h1><p>Plums are yellow sometimes.</p></main>")
    meaningful.server.content["/apples"] = 404
    meaningful.crawl()
    meaningful.index()
    assert [text for text in models.embedded if "yellow" not in text] == []
    assert len(models.embedded) == 1
    assert set(meaningful.found("fruit")) == {"", "pears", "plums"}
    assert models.ids() == passage_ids(meaningful)
    assert len(models.ids()) == 3


@slow
def test_what_indexing_costs_is_on_the_bill(meaningful: Indexed, models: AwsModels) -> None:
    crawl = meaningful.crawl()
    waves = meaningful.service.functions["finish_crawl"].cloud.waves
    before = waves.usage(crawl)
    meaningful.index()
    usage = waves.usage(crawl)
    assert usage.titan_tokens == TOKENS * len(models.embedded) == TOKENS * 4
    assert usage.vector_gigabytes == pytest.approx(128 / 1024**2, rel=1e-4)  # the least of a request
    assert usage.lambda_requests == before.lambda_requests + 1
    assert usage.lambda_gb_seconds > before.lambda_gb_seconds
    services = meaningful.ask(f"/v1/crawls/{crawl.crawl}", of="api").body["bill"]["services"]
    assert services["Bedrock"] == pytest.approx(TOKENS * 4 * 0.02e-6, abs=1e-6)
    assert services["S3 Vectors"] > 0


def test_a_message_that_is_delivered_twice_changes_nothing(meaningful: Indexed, models: AwsModels) -> None:
    crawl = meaningful.crawl()
    (record,) = meaningful.messages()
    assert meaningful.deliver(record)
    chunks, ids = meaningful.chunks(crawl), models.ids()
    assert meaningful.deliver(record)
    assert (meaningful.chunks(crawl), models.ids()) == (chunks, ids)
    assert len(models.embedded) == 4


class KilledError(BaseException):
    """The process was killed."""


STEPS = (
    *(("set_state", 1), ("commit", 1), ("put", 1), ("replace", 1), ("set_state", 2), ("commit", 2), ("delete", 1)),
    *(("set_state", 3), ("commit", 3)),
)
"""The steps of a change, in their order: operation, and which of its calls is meant."""


@slow
def test_a_process_that_is_killed_anywhere_is_continued(meaningful: Indexed, models: AwsModels) -> None:
    crawl = meaningful.crawl()
    (record,) = meaningful.messages()
    assert meaningful.deliver(record)
    for number, (step, time) in enumerate(STEPS):
        meaningful.change(crawl, "plums", f"Plums have colour {number}")
        module = meaningful.stack.load("index_site")
        ports = module.cloud.knowledge
        _kill(ports.vectors if step in ("put", "delete") else ports.passages, step, time)
        with pytest.raises(KilledError):
            module.messages.process({"Records": [record]}, Context(remaining=900_000))
        assert meaningful.deliver(record)
        assert models.ids() == passage_ids(meaningful), (step, time)
        assert len(models.ids()) == 4
        assert [one["text"] for one in meaningful.chunks(crawl) if one["path"] == "plums"] == [
            f"Plums have colour {number}"
        ]
    assert meaningful.found("colour", mode="vectors")[0] == "plums"


def _kill(store: Any, step: str, time: int) -> None:
    """Let a call of a step kill the process, before it has an effect."""
    original, calls = getattr(store, step), []

    def die(*given: Any, **more: Any) -> Any:
        calls.append(step)
        if len(calls) == time:
            raise KilledError
        return original(*given, **more)

    setattr(store, step, die)


@slow
def test_a_crawl_that_takes_longer_than_an_invocation_is_continued(
    meaningful: Indexed, models: AwsModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavecrawl.application.index_plan.IndexPlan.batches.__kwdefaults__", {"characters": 1})
    crawl = meaningful.crawl()
    (record,) = meaningful.messages()
    turns = 1
    while not meaningful.deliver(record, remaining=1_000):  # each invocation does one batch, which has one page
        turns += 1
    assert turns == 5  # four pages, and then the end
    assert len(models.embedded) == 4
    assert len(meaningful.chunks(crawl)) == 4


def test_a_crawl_that_exceeds_the_time_is_not_delivered_again_and_the_api_says_why(
    fruits: Indexed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavecrawl.application.index_plan.IndexPlan.batches.__kwdefaults__", {"characters": 1})
    crawl = fruits.crawl(knowledge={"max_seconds": 20})
    (record,) = fruits.messages()
    module = fruits.stack.load("index_site")
    module.cloud.clock = Ticking()
    assert module.handler({"Records": [record]}, Context(remaining=900_000)) == {"batchItemFailures": []}
    shown = fruits.ask(f"/v1/sites/{crawl.site}/index").body
    assert (shown["status"], shown["can_search"], shown["pages_done"]) == ("failed", True, 2)
    assert "is not built: indexing exceeded its time limit of 20 s" in shown["message"]
    assert fruits.ask(f"/v1/crawls/{crawl.crawl}/pages").status == 200  # the results stay
    assert fruits.ask(f"/v1/sites/{crawl.site}/search", q="fruit").body["index"] == shown


@slow
def test_a_failure_keeps_what_was_indexed_before_it(
    meaningful: Indexed, models: AwsModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wavecrawl.application.index_plan.IndexPlan.batches.__kwdefaults__", {"characters": 1})
    meaningful.crawl()
    (record,) = meaningful.messages()
    respond = AwsModels.respond

    def fail_later(self: AwsModels, path: str, body: dict[str, Any]) -> tuple[int, dict[str, str], dict[str, Any]]:
        if len(self.embedded) == 2 and not done:
            done.append(True)
            self.failures.append(403)
        return respond(self, path, body)

    done: list[bool] = []
    monkeypatch.setattr(AwsModels, "respond", fail_later)
    assert not meaningful.deliver(record)
    assert len(passage_ids(meaningful)) == 2
    assert meaningful.deliver(record)
    assert len(models.embedded) == 4  # no page was embedded twice
    assert models.ids() == passage_ids(meaningful)


def test_a_deleted_page_and_a_deleted_crawl_are_not_found(meaningful: Indexed, models: AwsModels) -> None:
    crawl = meaningful.crawl()
    meaningful.index()
    listed = meaningful.ask(f"/v1/crawls/{crawl.crawl}/pages").body["pages"]
    key = next(one["key"] for one in listed if one["url"].endswith("/pears"))
    assert meaningful.ask(f"/v1/crawls/{crawl.crawl}/pages/{key}", "DELETE").status == 204
    meaningful.index()
    assert "pears" not in meaningful.found("soft ripe pears")
    assert models.ids() == passage_ids(meaningful)
    assert meaningful.ask(f"/v1/crawls/{crawl.crawl}", "DELETE", of="api").status == 204
    meaningful.index()
    assert models.ids() == passage_ids(meaningful) == set()


@slow
def test_a_crawl_is_forgotten_as_another_process_has_indexed_it(fruits: Indexed) -> None:
    first = fruits.stack.load("index_site")
    crawl = fruits.crawl()
    (record,) = fruits.messages()
    assert first.handler({"Records": [record]}, Context(remaining=900_000)) == {"batchItemFailures": []}
    fruits.change(crawl, "plums", "Plums are yellow sometimes.")
    fruits.change(crawl, "apples", "")
    key = f"tenants/default/sites/{crawl.site}/crawls/{crawl.crawl}/exports/pages.jsonl.gz"
    page = {"key": "new", "url": f"{fruits.server.url}new", "state": "fetched", "title": "", "text": "A new page."}
    page["batch"] = LOST
    body = fruits.stack.clients.s3.get_object(Bucket=fruits.stack.bucket, Key=key)["Body"].read()
    body += gzip.compress(json.dumps(page).encode() + b"\n")
    fruits.stack.clients.s3.put_object(Bucket=fruits.stack.bucket, Key=key, Body=body)
    assert fruits.deliver(record)  # by another process
    assert fruits.found("new page")[0] == "new"
    SqsIndexing(fruits.stack.clients.sqs, fruits.stack.index).forget_crawl(crawl)
    (removal,) = fruits.messages()
    assert first.handler({"Records": [removal]}, Context(remaining=900_000)) == {"batchItemFailures": []}
    assert passage_ids(fruits) == set()


def test_only_one_process_can_change_the_index_of_a_site(stack: Deployment, tmp_path: Path) -> None:
    cloud, site = stack.load("index_site").cloud, SiteId(tenant="t", site="s")
    first, second = (S3Passages(cloud.bucket, tmp_path / name, most_bytes=0) for name in ("first", "second"))
    state = IndexState(space=None, rules="1", is_open=False)
    first.set_state(site, state)
    second.set_state(site, IndexState(space=None, rules="2", is_open=False))
    first.commit(site)
    with pytest.raises(StoreBusyError, match="changed by another process"):
        second.commit(site)
    assert second.state(site) == state


@slow
def test_a_full_index_takes_no_more_pages(fruits: Indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    crawl = fruits.crawl()
    (record,) = fruits.messages()
    assert fruits.deliver(record)
    fruits.change(crawl, "plums", "Plums are yellow sometimes.")
    fruits.change(crawl, "apples", "")  # as if it had no text any more
    monkeypatch.setattr(S3Passages, "size", lambda *_: 10**12)
    assert fruits.deliver(record)
    assert fruits.found("yellow") == []
    assert "apples" not in fruits.found("apples are red")  # pages that are gone are still removed


@slow
def test_a_crawl_is_not_indexed_if_its_settings_or_the_deployment_say_so(fruits: Indexed) -> None:
    fruits.crawl(knowledge={"enabled": False})
    assert fruits.messages() == []
    fruits.stack.environment["WAVECRAWL_INDEX_QUEUE_URL"] = ""
    finish = fruits.stack.load("finish_crawl")
    crawl = fruits.crawls[-1]
    task = {"crawl": {"tenant": crawl.tenant, "site": crawl.site, "crawl": crawl.crawl}}
    assert finish.handler(task, fruits.service.context)["status"] == "completed"
    assert fruits.ask(f"/v1/sites/{crawl.site}/search", q="fruit").status == 404


@slow
def test_a_crawl_that_was_deleted_meanwhile_is_not_indexed(fruits: Indexed) -> None:
    crawl = fruits.crawl()
    (record,) = fruits.messages()
    assert fruits.ask(f"/v1/crawls/{crawl.crawl}", "DELETE", of="api").status == 204
    assert fruits.deliver(record)
    fruits.index()
    assert passage_ids(fruits) == set()


@slow
def test_a_crawl_whose_results_cannot_be_read_does_not_hold_up_the_next_one(fruits: Indexed) -> None:
    crawl = fruits.crawl()
    (record,) = fruits.messages()
    key = f"tenants/default/sites/{crawl.site}/crawls/{crawl.crawl}/exports/pages.jsonl.gz"
    fruits.stack.clients.s3.put_object(Bucket=fruits.stack.bucket, Key=key, Body=b"no gzip")
    assert fruits.deliver(record)
    fruits.stack.clients.s3.delete_object(Bucket=fruits.stack.bucket, Key=key)
    assert fruits.deliver(record)
    assert passage_ids(fruits) == set()


def test_the_sample_event_names_a_crawl(stack: Deployment) -> None:
    """There is no such crawl, so there is nothing to index."""
    assert stack.load("index_site").handler(event("index_site"), Context()) == {"batchItemFailures": []}


def test_messages_of_one_tenant_wait_for_each_other(stack: Deployment) -> None:
    indexing = SqsIndexing(stack.clients.sqs, stack.index)
    first, second = (CrawlId(tenant="t", site="s", crawl=name) for name in ("1", "2"))
    for crawl in (first, second, second):  # a repeat is a message of its own
        indexing.index(crawl)
    indexing.index(CrawlId(tenant="u", site="s", crawl="3"))

    def receive() -> list[str]:
        answer = stack.clients.sqs.receive_message(QueueUrl=stack.index, MaxNumberOfMessages=1)
        handles.extend(one["ReceiptHandle"] for one in answer.get("Messages", []))
        return [json.loads(one["Body"])["crawl"]["crawl"] for one in answer.get("Messages", [])]

    handles: list[str] = []
    assert [receive() for _ in range(3)] == [["1"], ["3"], []]
    other_site = CrawlId(tenant="t", site="other", crawl="4")
    indexing.index(other_site)
    assert receive() == []  # the tenant's message is being processed
    indexing.repeat(handles[0], seconds=0)
    assert receive() == ["1"]
    stack.clients.sqs.delete_message(QueueUrl=stack.index, ReceiptHandle=handles[-1])
    assert receive() == ["2"]
