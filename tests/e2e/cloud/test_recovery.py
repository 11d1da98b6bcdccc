"""Crawls with faults: each completes with the same results as a crawl without faults."""

import io
import json
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.e2e.cloud.test_same_crawl import CONTACT
from tests.support.campaign import CAMPAIGN
from tests.support.cloud import Service
from tests.support.comparing import TRIES, fingerprint, out_of_time
from tests.support.crawling import crawl_inline, on_loopback, with_changes
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

ROOT = Path(__file__).parents[3]
LEASE = 10.0  # seconds; this and the other times are much shorter than in a deployment
HIDDEN = 60  # seconds; the visibility timeout of messages: much longer than the lease, even if a worker starts late
WAVE_TIMEOUT = 12  # seconds
SETTINGS = {
    "retry_base": 0.0,
    "polite": {"interval": 0.0, "adapt": False, "cooldown": 1.0, "in_flight": 4},
}
HERE = with_changes(on_loopback(SETTINGS, contact=CONTACT), {"waves.lease": LEASE})
CHANCES = {
    "killed after claim": 50,
    "killed after fetch": 50,
    "killed after archive write": 15,
    "killed after completion": 15,
    "planner killed after snapshot": 3,
    "message lost": 15,
    "message twice": 15,
    "table throttled": 150,
    "bucket failing": 40,
}
"""Faults, and the minimum number of chances of each in a crawl of the site."""
AFTER_THE_RECORD = frozenset(CHANCES) - {
    "killed after claim",
    "killed after fetch",
    "table throttled",
    "bucket failing",
}
"""Faults that strike after the records of a batch were stored, or do not affect them."""
CRAWLS = 30 if CAMPAIGN else len(CHANCES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breakable:
    """The service with fault points, and their plan."""

    service: Service
    plan: Path

    def arm(self, faults: dict[str, int]) -> None:
        """Replace the plan: each fault strikes after a number of chances."""
        for old in self.plan.iterdir():
            old.unlink()
        for kind, wait in faults.items():
            (self.plan / kind).write_text(str(wait), encoding="ascii")

    def struck(self) -> set[str]:
        """Return the faults that struck."""
        return {path.name.removesuffix(".struck") for path in self.plan.glob("*.struck")}

    def set_wave_timeout(self, seconds: int) -> None:
        """Change the state machine's timeout of a wave."""
        machine = self.service.deployment.outputs["StateMachineArn"]
        states = self.service.deployment.client("stepfunctions")
        definition = json.loads(states.describe_state_machine(stateMachineArn=machine)["definition"])
        for name in ("BfsWave", "OrphanWave"):
            definition["States"][name]["TimeoutSeconds"] = seconds
        states.update_state_machine(stateMachineArn=machine, definition=json.dumps(definition))


@pytest.fixture(scope="module")
def breakable(own_service: Service, tmp_path_factory: pytest.TempPathFactory) -> Breakable:
    """Add fault points to the functions that crawl, and shorten all waiting times."""
    plan = tmp_path_factory.mktemp("faults")
    deployment = own_service.deployment
    functions, queues = deployment.client("lambda"), deployment.client("sqs")
    deployment.set_fetch_concurrency(4)
    for name in ("run_wave", "fetch_batch"):
        function = f"wavecrawl-{name.replace('_', '-')}"
        known = functions.get_function_configuration(FunctionName=function)["Environment"]["Variables"]
        functions.update_function_code(FunctionName=function, ZipFile=_with_faults(name))
        functions.update_function_configuration(
            FunctionName=function,
            Handler="faults.handler",
            Environment={"Variables": {**known, "WAVECRAWL_TEST_FAULTS": str(plan)}},
        )
    webhook = "wavecrawl-webhook"
    before = functions.get_function_configuration(FunctionName=webhook)["Environment"]["Variables"]
    functions.update_function_configuration(
        FunctionName=webhook, Environment={"Variables": {**before, "WAVECRAWL_LEASE": f"{LEASE:g}"}}
    )
    queue = deployment.outputs["FetchQueueUrl"]
    queues.set_queue_attributes(QueueUrl=queue, Attributes={"VisibilityTimeout": str(HIDDEN)})
    made = Breakable(service=own_service, plan=plan)
    made.set_wave_timeout(WAVE_TIMEOUT)
    return made


def _with_faults(name: str) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.write(ROOT / "functions" / name / "handler.py", "handler.py")
        archive.write(ROOT / "tests" / "support" / "faults.py", "faults.py")
    return memory.getvalue()


def site_server() -> SiteServer:
    return SiteServer(plain_site(pages=60, body_bytes=1_500, links_per_page=18))


@pytest.fixture
def server() -> Iterator[SiteServer]:
    """Serve the site at a new origin, so that no earlier crawl is remembered."""
    with site_server() as running:
        yield running


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with site_server() as running:
        done = crawl_inline(running.url, tmp_path_factory.mktemp("undisturbed"), HERE)
        return fingerprint(done.exports, running.origin, without=TRIES)


def plans() -> list[dict[str, int]]:
    """Return one plan per crawl: each kind in turn at a random moment. Every third crawl has a second fault."""
    rng = Random(7)
    kinds = sorted(CHANCES)
    made = []
    for number in range(CRAWLS):
        chosen = {kinds[number % len(kinds)], *([rng.choice(kinds)] if number % 3 == 2 else [])}
        made.append({kind: rng.randrange(CHANCES[kind]) for kind in sorted(chosen)})
    return made


@pytest.mark.parametrize("faults", plans(), ids=lambda plan: ", ".join(f"{kind} {wait}" for kind, wait in plan.items()))
def test_a_crawl_with_faults_equals_the_undisturbed_one(
    breakable: Breakable, server: SiteServer, undisturbed: dict[str, Any], tmp_path: Path, faults: dict[str, int]
) -> None:
    breakable.arm(faults)
    crawl = breakable.service.start(server.url, SETTINGS)
    shown = breakable.service.wait_for(crawl)
    assert (shown["status"], shown["error"]) == ("completed", None)
    assert breakable.struck() == set(faults), "a planned fault did not strike"

    exports = breakable.service.download(crawl, tmp_path)
    theirs = fingerprint(exports, server.origin, without=TRIES)
    assert undisturbed.keys() == theirs.keys()
    for name, content in undisturbed.items():
        assert theirs[name] == content, f"{name} differs"

    twice = fetched_again(server) - out_of_time(exports, server.origin)
    print(f"faults: {faults}; pages fetched again: {sum(twice.values())}")  # noqa: T201 - figures of the campaign
    assert max(twice.values(), default=0) <= len(faults), "a page was fetched again more often than faults struck"
    if AFTER_THE_RECORD.issuperset(faults):
        assert not twice, "pages whose records were stored were fetched again"


def fetched_again(server: SiteServer) -> Counter[str]:
    """Return the number of repeated fetches of each page."""
    served = Counter(one.path for one in server.log if one.method == "GET" and one.path.endswith((".html", "/")))
    return Counter({path: count - 1 for path, count in served.items() if count > 1})


@pytest.mark.timeout(900)
def test_only_the_page_that_kills_every_worker_fails(breakable: Breakable, server: SiteServer, tmp_path: Path) -> None:
    """The message of its batch returns at the end of each lease. No time-out of the wave is needed."""
    deployment = breakable.service.deployment
    breakable.arm({})
    (breakable.plan / "poison").write_text("/level-2/item-9.html", encoding="ascii")
    breakable.set_wave_timeout(900)
    crawl = breakable.service.start(server.url, SETTINGS)
    assert breakable.service.wait_for(crawl)["status"] == "completed"
    breakable.set_wave_timeout(WAVE_TIMEOUT)
    (breakable.plan / "poison").unlink()

    breakable.service.download(crawl, tmp_path)
    summary = json.loads((tmp_path / "summary.json").read_text(encoding="utf-8"))
    assert (summary["reasons"]["poison"], summary["states"]["failed"]) == (1, 1)
    ledger = (tmp_path / "ledger.csv").read_text(encoding="utf-8").splitlines()
    assert len(ledger) == 61
    assert any("/level-2/item-9.html" in line and "failed" in line and "poison" in line for line in ledger)
    assert dead_letters(deployment.client("sqs"), deployment.outputs["FetchDlqUrl"]) == 0


def dead_letters(sqs: Any, queue: str) -> int:
    """Return the number of messages in a queue."""
    names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    attributes = sqs.get_queue_attributes(QueueUrl=queue, AttributeNames=list(names))["Attributes"]
    return sum(int(attributes[name]) for name in names)
