"""Many crawls of several tenants at once, with few workers: all of them complete, and little is sent twice."""

import io
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.e2e.cloud.test_fairness import tenant_of
from tests.support.campaign import CAMPAIGN
from tests.support.cloud import Service
from tests.support.plain_site import plain_site

from wavecrawl.demo.server import SiteServer

ROOT = Path(__file__).parents[3]
SITES = 10 if CAMPAIGN else 2
"""Sites, each on an address of its own. Every tenant crawls all of them, so three crawls share each site's pace."""
TENANTS = ("one", "two", "three")
PAGES = 120 if CAMPAIGN else 60
WORKERS = 4
MOST_MESSAGES = 1.3
"""Messages sent for each batch."""


@pytest.fixture
def sent(own_service: Service, tmp_path: Path) -> Path:
    """Let the functions that send batches note each message in a file, which is returned."""
    functions, notes = own_service.deployment.client("lambda"), tmp_path / "sent"
    notes.touch()
    for name in ("run_wave", "fetch_batch"):
        function = own_service.deployment.function(name)
        known = functions.get_function_configuration(FunctionName=function)["Environment"]["Variables"]
        functions.update_function_code(FunctionName=function, ZipFile=_with_notes(name))
        functions.update_function_configuration(
            FunctionName=function,
            Handler="sent_messages.handler",
            Environment={"Variables": {**known, "WAVECRAWL_TEST_SENT": str(notes)}},
        )
    return notes


@pytest.fixture
def sites() -> Iterator[list[SiteServer]]:
    site = plain_site(pages=PAGES, body_bytes=2_000, links_per_page=20)
    with ExitStack() as stack:
        yield [stack.enter_context(SiteServer(site, host=f"127.0.3.{number}")) for number in range(1, SITES + 1)]


def _with_notes(name: str) -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        archive.write(ROOT / "functions" / name / "handler.py", "handler.py")
        archive.write(ROOT / "tests" / "support" / "sent_messages.py", "sent_messages.py")
    return memory.getvalue()


def test_many_crawls_at_once_complete_with_few_messages(
    own_service: Service, sent: Path, sites: list[SiteServer]
) -> None:
    own_service.deployment.set_fetch_concurrency(WORKERS)
    tenants = [tenant_of(own_service, name, "pro") for name in TENANTS]
    started = [(tenant, tenant.api("POST", "/v1/crawls", {"url": site.url})) for site in sites for tenant in tenants]
    ended = [tenant.wait_for(crawl["crawl"]) for tenant, crawl in started]

    assert len(ended) == len(TENANTS) * SITES
    assert [(crawl["status"], crawl["error"]) for crawl in ended] == [("completed", None)] * len(ended)
    assert [crawl["counters"]["fetched"] for crawl in ended] == [PAGES] * len(ended)
    messages = Counter(sent.read_text(encoding="ascii").splitlines())
    batches = sum(crawl["counters"]["batches"] for crawl in ended)
    print(f"{len(ended)} crawls: {batches} batches, {messages.total()} messages")  # noqa: T201 - figures of the campaign
    assert len(messages) == batches
    assert messages.total() <= MOST_MESSAGES * batches, messages.most_common(10)
