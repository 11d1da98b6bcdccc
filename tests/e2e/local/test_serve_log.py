"""The log of `wavecrawl serve`: lines of JSON about events of crawls, URLs and requests."""

import json
import subprocess
from pathlib import Path
from typing import Any

from tests.support.patience import HANG
from tests.support.plain_site import plain_site
from tests.support.serving import PROGRAM, Served

from wavecrawl.demo.server import SiteServer


def lines_of(data: Path, log: Path, *crawls: dict[str, Any]) -> list[dict[str, Any]]:
    """Serve a folder, run crawls one after the other, stop; return the lines of JSON in the log."""
    command = [*PROGRAM, "--data", str(data), "--port", "0", "--allow-address", "127.0.0.0/8", "--access-log"]
    with (
        log.open("w") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as process,
    ):
        assert process.stdout is not None
        said = dict(process.stdout.readline().split() for _ in range(3))
        service = Served(process=process, url=said["listening"], key=said["key"], dashboard=said["dashboard"])
        for crawl in crawls:
            service.wait_for(service.ask("POST", "/v1/crawls", crawl).json()["crawl"])
        process.terminate()
        process.wait(timeout=HANG)
    return [json.loads(line) for line in log.read_text().splitlines() if line.startswith("{")]


def test_events_urls_and_requests_have_lines(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=3, body_bytes=500, links_per_page=2)) as site:
        settings = {"polite": {"interval": 0.0}, "log_urls": 1.0}
        none = {"url": site.url, "settings": settings | {"log_urls": 0.0, "max_pages": 1}}
        two = {"url": site.url, "settings": settings | {"max_pages": 2}}
        lines = lines_of(tmp_path / "data", tmp_path / "log", two, none)
    assert all({"level", "message", "timestamp", "service"} <= line.keys() for line in lines)
    events = [line for line in lines if line["message"] == "crawl event"]
    first, second = dict.fromkeys(line["crawl"] for line in events)
    own = [line["event"] for line in events if line["crawl"] == first]
    assert (own[0], own[-1], set(own[1:-1])) == ("crawl.started", "crawl.completed", {"crawl.progress"})
    all_urls = [line for line in lines if line["message"] == "url"]
    urls = [line for line in all_urls if line["state"] != "skipped"]
    assert [(line["crawl"], line["reason"]) for line in all_urls if line not in urls] == [(first, "max_pages")]
    assert {line["crawl"] for line in urls} == {first} != {second}
    assert sorted(line["url"] for line in urls if line["state"] == "fetched") == sorted({line["url"] for line in urls})
    assert len(urls) == 2
    assert all(line["status"] == 200 and line["processing_seconds"] > 0 for line in urls)
    requests = [line for line in lines if line["message"] == "request"]
    assert ("POST", "/v1/crawls", 202) in {(line["method"], line["path"], line["status"]) for line in requests}
