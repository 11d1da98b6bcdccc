"""The modules that a local crawl imports before its first request."""

import json
import subprocess
import sys
from pathlib import Path

from tests.support.patience import HANG

_STARTED = """
import json, sys
from pathlib import Path
import wavecrawl.cli.main, wavecrawl.cli.crawl, wavecrawl.bootstrap.local
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.events import CrawlEvent, EventKind
store = LocalStore(Path(sys.argv[1]))
store.events.publish(CrawlEvent(
    kind=EventKind.STARTED, crawl=CrawlId(tenant="t", site="s", crawl="c"), sequence=0, status="running",
    root_url="https://example.com/", pages=0, error="", at=0.0, data={},
))
sys.stdout.write(json.dumps(sorted(sys.modules)))
"""
_OF_RESULTS = ("duckdb", "wavecrawl.adapters.wacz", "wavecrawl.adapters.analytics")
_OF_THE_SERVICE = (
    "pydantic",
    "aws_lambda_powertools",
    "boto3",
    "cronsim",
    "standardwebhooks",
    "uvicorn",
    "wavecrawl.api",
    "wavecrawl.domain.webhooks.delivery",
    "wavecrawl.domain.sites.schedule",
    "wavecrawl.application.deliveries",
    "wavecrawl.adapters.embedded.deliveries",
    "wavecrawl.adapters.embedded.webhooks",
)


def test_a_crawl_starts_without_what_results_and_service_are_made_of(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", _STARTED, str(tmp_path)], capture_output=True, text=True, timeout=HANG, check=True
    )
    loaded = json.loads(ran.stdout)
    assert "wavecrawl.application.run_wave" in loaded
    heavy = (*_OF_RESULTS, *_OF_THE_SERVICE)
    assert [name for name in loaded if name.startswith(tuple(f"{one}." for one in heavy)) or name in heavy] == []
