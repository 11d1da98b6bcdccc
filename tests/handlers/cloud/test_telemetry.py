"""The decorator stack: the logs, traces and metrics of every invocation."""

import json
import os
import re
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from io import StringIO
from typing import Any

import pytest

from wavecrawl.application.run_wave import WaveResult
from wavecrawl.cloud.metrics import measure_crawl, measure_wave
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.errors import PermanentError
from wavecrawl.ports.analytics import CrawlSummary, CrawlTiming
from wavecrawl.telemetry import about, count, instrumented, logger, seconds
from wavecrawl.telemetry.xray import XRayDaemon

TRACE = "Root=1-581cf771-a006649127e371903a2de979;Parent=70de5b6f19ff9a0b;Sampled={}"
ID = CrawlId(tenant="t", site="s", crawl="c1")


def test_crawl_and_wave_stand_in_every_line_of_one_invocation_only(context: Any, logged: StringIO) -> None:
    @instrumented
    def handler(event: dict[str, Any], _: object) -> None:
        if event:
            about(ID, wave=3)
        logger.info("here")

    handler({"named": True}, context)
    handler({}, context)
    first, second = map(json.loads, logged.getvalue().splitlines())
    assert (first["crawl"], first["wave"], first["function_request_id"]) == ("t/s/c1", 3, context.aws_request_id)
    assert "crawl" not in second


def test_what_one_thread_is_about_does_not_stand_in_the_lines_of_another(logged: StringIO) -> None:
    with ThreadPoolExecutor(1) as other:
        other.submit(about, ID).result()
        logger.info("here")
        other.submit(logger.info, "there").result()
    here, there = map(json.loads, logged.getvalue().splitlines())
    assert "crawl" not in here
    assert there["crawl"] == "t/s/c1"


def test_an_error_keeps_its_name_and_is_counted(context: Any, capsys: pytest.CaptureFixture[str]) -> None:
    class SpecialError(PermanentError):
        """An unusual error."""

    @instrumented
    def handler(_: dict[str, Any], __: object) -> None:
        raise SpecialError("why")

    with pytest.raises(SpecialError, match="why"):
        handler({}, context)
    assert '"Failed":[1.0]' in capsys.readouterr().out


def test_an_invocation_that_succeeds_counts_as_one_that_did_not_fail(
    context: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    assert instrumented(lambda event, _: event)({"a": 1}, context) == {"a": 1}
    assert '"Failed":[0.0]' in capsys.readouterr().out


IN_LAMBDA = """
import logging, os
logging.basicConfig(level=os.environ["AWS_LAMBDA_LOG_LEVEL"])  # as the runtime of Lambda does
from wavecrawl.telemetry import count, logger, metrics
for level in (10, 20, 30, 40):
    logger._logger.log(level, f"ours at {level}")
    logging.getLogger("botocore.parsers").log(level, f"theirs at {level}")
count("Counted")
metrics.flush_metrics()
"""


@pytest.mark.parametrize(
    ("level", "of_lambda", "written"),
    [
        ("DEBUG", "DEBUG", {10, 20, 30, 40}),
        ("INFO", "INFO", {20, 30, 40}),
        ("WARNING", "INFO", {30, 40}),
        ("ERROR", "INFO", {40}),
    ],
)
def test_the_logger_follows_the_setting_and_libraries_never_write_debug_lines(
    level: str, of_lambda: str, written: set[int]
) -> None:
    variables = {"POWERTOOLS_LOG_LEVEL": level, "AWS_LAMBDA_LOG_LEVEL": of_lambda}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", IN_LAMBDA],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert {int(one) for one in re.findall(r"ours at (\d+)", done.stdout)} == written
    assert {int(one) for one in re.findall(r"theirs at (\d+)", done.stderr)} == {20, 30, 40}
    assert '"Counted":[1.0]' in done.stdout


def traced(sampled: str) -> list[dict[str, Any]]:
    """Trace two nested blocks. Return what is sent to the daemon."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.settimeout(0.2)
        address = f"127.0.0.1:{daemon.getsockname()[1]}"
        provider = XRayDaemon({"_X_AMZN_TRACE_ID": TRACE.format(sampled), "AWS_XRAY_DAEMON_ADDRESS": address})
        with provider.in_subsegment("outer"), pytest.raises(ValueError, match="private"):  # noqa: PT012 - the order matters
            provider.put_annotation("crawl", "t/s/c1")
            with provider.in_subsegment("inner"):
                raise ValueError("private")
        found: list[dict[str, Any]] = []
        while True:
            try:
                header, document = daemon.recv(65_536).split(b"\n")
            except TimeoutError:
                return found
            assert json.loads(header) == {"format": "json", "version": 1}
            found.append(json.loads(document))


def test_subsegments_go_to_the_daemon() -> None:
    inner, outer = traced("1")
    assert (outer["type"], outer["name"], outer["parent_id"]) == ("subsegment", "outer", "70de5b6f19ff9a0b")
    assert outer["trace_id"] == inner["trace_id"] == "1-581cf771-a006649127e371903a2de979"
    assert outer["annotations"] == {"crawl": "t/s/c1"}
    assert inner["parent_id"] == outer["id"]
    assert len(inner["id"]) == 16
    assert outer["start_time"] <= inner["start_time"] <= inner["end_time"] <= outer["end_time"]


def test_a_failure_is_traced_by_its_name_alone() -> None:
    inner, outer = traced("1")
    assert inner["fault"] is True
    assert inner["cause"]["exceptions"][0]["type"] == "ValueError"
    assert "private" not in json.dumps([inner, outer])


def test_what_lambda_does_not_sample_is_not_sent() -> None:
    assert traced("0") == []


def test_without_a_daemon_nothing_is_sent() -> None:
    with XRayDaemon({}).in_subsegment("alone") as subsegment:
        subsegment.put_metadata("key", 1)
    assert subsegment.document["metadata"] == {"default": {"key": 1}}


def test_metrics_have_only_dimensions_of_functions(context: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Each value of a dimension is a metric that is billed: one per crawl would cost more than a small crawl."""

    @instrumented
    def handler(_: dict[str, Any], __: object) -> None:
        about(ID, wave=3)
        count("PagesFetched", 2)
        seconds("FetchDuration", 0.5)

    for _ in range(2):
        handler({}, context)
    written = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    groups = [group for line in written for group in line["_aws"]["CloudWatchMetrics"]]
    assert len(groups) >= 2
    dimensions = {name for group in groups for names in group["Dimensions"] for name in names}
    assert dimensions <= {"service", "function_name"}
    assert "service" in dimensions


@pytest.mark.parametrize("lost", [0, 4])
def test_pages_that_no_worker_could_fetch_are_counted_as_lost(
    context: Any, capsys: pytest.CaptureFixture[str], lost: int
) -> None:
    """The alarm lost-pages reads this metric. It is billed for each hour in which it is sent."""
    at = datetime.fromtimestamp(1, tz=UTC)
    speed = {"pages_per_second": 1.0, "median_page_seconds": 0.1, "p95_page_seconds": 0.1}
    summary = CrawlSummary(
        crawl="c1",
        site="s",
        root_url="https://example.com/",
        status="completed",
        stopped="",
        version="0",
        pages=1,
        urls=12,
        edges=0,
        max_depth=0,
        bytes=1,
        timing=CrawlTiming(started_at=at, finished_at=at, seconds=1.0, **speed),
        reasons={"out_of_scope": 7} | ({"poison": lost} if lost else {}),
    )

    @instrumented
    def handler(_: dict[str, Any], __: object) -> None:
        measure_crawl(summary)

    handler({}, context)
    written = capsys.readouterr().out
    assert '"CrawlsFinished":[1.0]' in written
    assert ("PagesLost" in written, '"PagesLost":[4.0]' in written) == (lost > 0, lost > 0)


@pytest.mark.parametrize("planning", [None, 0.0, 2.5])
def test_the_time_of_planning_is_reported_where_a_wave_is_planned(
    context: Any, capsys: pytest.CaptureFixture[str], planning: float | None
) -> None:
    planned = WaveResult(wave=1, batches=1, urls=1, stopped=Reason.NONE, planning=planning)
    instrumented(lambda _, __: measure_wave(planned))({}, context)
    written = capsys.readouterr().out
    assert '"UrlsPlanned":[1.0]' in written
    assert [f'"PlanningDuration":[{one}]' in written for one in (0.0, 2.5)] == [planning == 0.0, planning == 2.5]
    assert ("PlanningDuration" in written) == (planning is not None)


@pytest.mark.parametrize(("again", "failed"), [(False, True), (True, False)])
def test_urls_that_the_planner_ended_as_failed_are_counted_once(
    context: Any, capsys: pytest.CaptureFixture[str], *, again: bool, failed: bool
) -> None:
    planned = WaveResult(wave=1, batches=0, urls=0, stopped=Reason.NONE, unreached={"a": 2, "b": 1}, again=again)

    @instrumented
    def handler(_: dict[str, Any], __: object) -> None:
        measure_wave(planned)

    handler({}, context)
    assert ('"PagesFailed":[3.0]' in capsys.readouterr().out) == failed
