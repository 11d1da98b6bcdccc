"""Every face of the results shows the same figures: docs/figures.md defines them."""
# ruff: noqa: S608 - the queries are put together from constants

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs
from msgspec.structs import replace
from openpyxl import load_workbook
from tests.adapters.analytics.results_service import ResultsService
from tests.support.asking import request
from tests.support.crawling import ALL_FILES, SILENT, Done, crawl_inline, table
from tests.support.five_crawls import FIVE, five_crawls

from wavecrawl.adapters.analytics.sql import LocalSql
from wavecrawl.adapters.embedded import measure_reports
from wavecrawl.adapters.embedded.measure_reports import MeasureReport, MeasureReporter
from wavecrawl.adapters.spreadsheets.workbook import write_workbook
from wavecrawl.api.metrics import live_metrics
from wavecrawl.api.middleware.wrong_keys import WrongKeys
from wavecrawl.application.worker_ports import WorkerPorts
from wavecrawl.cli.console import out
from wavecrawl.cli.summary import print_summary
from wavecrawl.domain.crawl.job import BatchKind
from wavecrawl.domain.crawl.measures import Measures, measures_of
from wavecrawl.domain.crawl.record import PageRecord
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.tenants.role import Role

READ = ("fetched", "unchanged")
ERRORS = ("forbidden", "not_found", "http_error", "failed")


@dataclass(frozen=True, kw_only=True)
class Faces:
    """A crawl, and what its faces show."""

    done: Done
    service: ResultsService
    folder: Path
    measured: Measures
    prometheus: str
    console: str

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        return table(self.done.exports / "pages.csv")

    @cached_property
    def ledger(self) -> list[dict[str, str]]:
        return table(self.done.exports / "ledger.csv")

    @cached_property
    def workbook(self) -> list[dict[str, Any]]:
        path = write_workbook(self.done.exports, self.folder / "workbooks")
        head, *rows = load_workbook(path)["Pages"].iter_rows(values_only=True)
        return [dict(zip(map(str, head), row, strict=True)) for row in rows]

    @cached_property
    def statistics(self) -> Any:
        return self.get("statistics")

    @cached_property
    def detail(self) -> Any:
        return self.get("")

    @cached_property
    def report(self) -> str:
        return (self.done.exports / "report.html").read_text(encoding="utf-8")

    @cached_property
    def graph(self) -> Any:
        return json.loads((self.done.exports / "graph.json").read_bytes())

    def get(self, path: str, **query: str) -> Any:
        """Get a resource of the crawl from the API."""
        crawl = self.done.row.id.crawl
        found = self.service.ask("GET", f"/v1/crawls/{crawl}/{path}".rstrip("/"), query=query)
        assert found.status == 200, found.text
        return found.body

    def sql(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query; `{crawl}` is the condition that selects the crawl."""
        condition = f"crawl = '{self.done.row.id.crawl}'"
        with LocalSql(self.folder / "tables", lambda: ()).run(query.replace("{crawl}", condition)) as found:
            return [tuple(row) for row in found.rows]

    def tile(self, noun: str) -> int:
        """Return a number in the report's tiles."""
        (found,) = re.findall(rf'<div class="tile"><b>([\d,]+)</b><(?:a|span)[^>]*>{noun}s?</', self.report)
        return int(found.replace(",", ""))

    def metric(self, name: str) -> int:
        """Return the sum of a metric's samples."""
        found = re.findall(rf"^wavecrawl_{name}(?:{{[^}}]*}})? (\S+)$", self.prometheus, re.MULTILINE)
        return int(sum(map(float, found)))

    def bar(self, label: str) -> int:
        """Return a number of the report's bar charts."""
        found = re.search(rf"{label}</[^>]+>.*?([\d,]+)</", self.report)
        return int(found[1].replace(",", "")) if found else 0


@dataclass(kw_only=True)
class Watched:
    """Collects what the workers of a crawl measure."""

    measured: Measures = field(default_factory=Measures)
    reports: list[MeasureReport] = field(default_factory=list)

    def ports(self, ports: WorkerPorts) -> WorkerPorts:
        """Return the ports of a worker that is watched."""
        return structs.replace(ports, measure=self._measure)

    def _measure(self, record: PageRecord, processing: float) -> None:
        kind = BatchKind.RENDER if record.rendered or record.screenshot else BatchKind.FETCH
        self.measured += measures_of(record, kind, processing=processing)


def faces(url: str, folder: Path, settings: CrawlSettings = ALL_FILES, **more: Any) -> Faces:
    """Crawl a site with all files of results, and look at it in every way."""
    settings = structs.replace(settings, files_at_once=ALL_FILES.files_at_once)
    watched = Watched()
    reports: list[MeasureReport] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(measure_reports, "_write", reports.append)
        reporter = MeasureReporter()
        watchers = replace(SILENT, on_progress=reporter.on_progress)
        done = crawl_inline(url, folder, settings, replace_ports=watched.ports, watchers=watchers, **more)
        service = ResultsService(folder)
        reports.append(MeasureReport(host="site", measures=watched.measured))
        reporter.end(done.summary)
        lines: list[str] = []
        patch.setattr(out, "print", lambda text: lines.append(str(text)))
        print_summary(done.summary, done.exports)
    for one in reports:
        service.store.measures.add(done.row.id, msgspec.json.encode(one))
    event = request("GET", "/metrics", key=service.key(role=Role.ADMIN))
    event["rawPath"] = "/metrics"
    answer = live_metrics(service.store, WrongKeys(), by_crawl=True)(event)
    assert isinstance(answer, dict)
    return Faces(
        done=done,
        service=service,
        folder=folder,
        measured=watched.measured,
        prometheus=str(answer["body"]),
        console=lines[0],
    )


@pytest.fixture(name="crawls", scope="module")
def _crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Faces]]:
    folder = tmp_path_factory.mktemp("figures")
    found = five_crawls(faces, lambda name: folder / name)
    yield found
    for one in found.values():
        one.service.close()


@pytest.fixture(name="crawl", params=FIVE)
def _crawl(request: pytest.FixtureRequest, crawls: Mapping[str, Faces]) -> Faces:
    return crawls[request.param]


def same(**figures: object) -> None:
    """Assert that all faces show the same. Each argument is a face."""
    assert len(figures) > 1
    assert {name: str(value) for name, value in figures.items()} == dict.fromkeys(
        figures, str(next(iter(figures.values())))
    )


def count(rows: Sequence[Mapping[str, Any]], column: str, values: Sequence[str]) -> int:
    return sum(row[column] in values for row in rows)


def test_the_pages_that_were_read(crawl: Faces) -> None:
    same(
        summary=crawl.done.summary.pages,
        console=int(re.findall(r"([\d,]+) page", crawl.console)[0]),
        report=crawl.tile("page"),
        csv=count(crawl.rows, "state", READ),
        workbook=count(crawl.workbook, "State", READ),
        statistics=crawl.statistics["pages"],
        counters=crawl.detail["counters"]["fetched"],
        outcome=crawl.detail["outcome"]["pages"],
        sql=crawl.sql("SELECT pages FROM crawls WHERE {crawl}")[0][0],
        metrics=crawl.metric("pages_fetched_total"),
    )


def test_the_urls_that_are_known(crawl: Faces) -> None:
    same(
        summary=crawl.done.summary.urls,
        console=int(re.findall(r"([\d,]+) discovered URL", crawl.console)[0]),
        report=crawl.tile("known URL"),
        ledger=len(crawl.ledger),
        statistics=crawl.statistics["urls"],
        api=crawl.get("urls", limit="1")["total"],
        sql=crawl.sql("SELECT count(*) FROM current_urls WHERE {crawl}")[0][0],
    )


def test_the_urls_with_errors(crawl: Faces) -> None:
    requested = {row["url"] for row in crawl.rows}
    unreachable = [row for row in crawl.ledger if row["state"] == "failed" and row["url"] not in requested]
    assert [row["reason"] for row in unreachable] == (["connect"] if "list" in str(crawl.folder) else [])
    same(
        summary=sum(crawl.done.summary.states.get(state, 0) for state in ERRORS),
        csv=count(crawl.rows, "state", ERRORS) + len(unreachable),
        workbook=count(crawl.workbook, "State", ERRORS) + len(unreachable),
        ledger=count(crawl.ledger, "state", ERRORS),
        counters=crawl.detail["counters"]["faults"],
        progress=crawl.get("summary")["faults"],
        api=sum(crawl.get("urls", state=state, limit="1")["total"] for state in ERRORS),
        pages=sum(crawl.get("pages", state=state, limit="1")["total"] for state in ERRORS) + len(unreachable),
        sql=crawl.sql(f"SELECT count(*) FROM current_urls WHERE {{crawl}} AND state IN {ERRORS}")[0][0],
        metrics=crawl.metric("pages_failed_total"),
    )


@pytest.mark.parametrize("state", ["robots_denied", "skipped", "redirected", "pending", "unchanged"])
def test_the_urls_in_a_state(crawl: Faces, state: str) -> None:
    same(
        summary=crawl.done.summary.states.get(state, 0),
        statistics=crawl.statistics["states"].get(state, 0),
        ledger=count(crawl.ledger, "state", [state]),
        api=crawl.get("urls", state=state, limit="1")["total"],
        sql=crawl.sql(f"SELECT count(*) FROM current_urls WHERE {{crawl}} AND state = '{state}'")[0][0],
        **({"metrics": crawl.metric("robots_denials_total")} if state == "robots_denied" else {}),
        **({"metrics": crawl.metric("pages_unchanged_total")} if state == "unchanged" else {}),
        **({"progress": crawl.get("summary")["pending"]} if state == "pending" else {}),
    )


def test_the_statuses(crawl: Faces) -> None:
    statuses = Counter(row["status"] or "no answer" for row in crawl.rows)
    assert crawl.done.summary.statuses == crawl.statistics["statuses"] == statuses
    assert Counter(str(row["Status"] or "no answer") for row in crawl.workbook) == statuses
    found = crawl.sql("SELECT coalesce(status::VARCHAR, 'no answer'), count(*) FROM pages WHERE {crawl} GROUP BY 1")
    assert dict(found) == statuses
    listed = {name: crawl.get("pages", status=name, limit="1")["total"] for name in statuses if name != "no answer"}
    assert listed == {name: number for name, number in statuses.items() if name != "no answer"}
    assert "304" not in statuses


def test_the_facts_of_each_page(crawl: Faces) -> None:
    csv_rows = {row["url"]: (row["status"], row["state"], row["bytes"], row["revalidated"]) for row in crawl.rows}
    pages = crawl.get("pages", limit="1000")["pages"]
    lines = crawl.done.pages()
    for rows in (pages, lines):
        assert {
            row["url"]: ("" if row["status"] is None else str(row["status"]), row["state"], str(row["bytes"]),
                         str(row["revalidated"]).lower())
            for row in rows
        } == csv_rows  # fmt: skip
    found = crawl.sql("SELECT url, status, state, bytes, revalidated FROM pages WHERE {crawl}")
    assert {url: ("" if a is None else str(a), b, str(c), str(d).lower()) for url, a, b, c, d in found} == csv_rows
    shown = {row["URL"]: (str(row["Status"] or ""), row["State"], str(row["Bytes"])) for row in crawl.workbook}
    assert shown == {url: facts[:3] for url, facts in csv_rows.items()}


def test_the_links_in_and_out_of_each_page(crawl: Faces) -> None:
    expected = {row["url"]: (int(row["in_links"]), int(row["out_links"])) for row in crawl.rows}
    pages = {page["url"]: page for page in crawl.get("pages", limit="1000")["pages"]}
    assert {url: (page["in_links"], page["out_links"]) for url, page in pages.items()} == expected
    found = crawl.sql("SELECT url, in_links, out_links FROM link_counts WHERE {crawl}")
    assert {url: counts for url, *counts in found} == {url: list(counts) for url, counts in expected.items()}
    assert {row["URL"]: (row["Links in"], row["Links out"]) for row in crawl.workbook} == expected
    nodes = [node["url"] for node in crawl.graph["nodes"]]
    assert Counter(nodes[target] for _, target in crawl.graph["links"]) == {
        url: inward for url, (inward, _) in expected.items() if inward
    }
    for url, page in pages.items():
        detail = crawl.get(f"pages/{page['key']}")
        linking = {
            link["url"] for link in detail["linked_from"]["shown"] if link["kind"] not in ("redirect", "canonical")
        } - {url}
        shown = detail["linked_from"]
        assert (len(linking), detail["links"]["pages"]) == (shown["pages"], expected[url][1])
        if page["state"] != "redirected":  # links to such a URL count for the page that it leads to
            assert shown["pages"] == expected[url][0]
        assert (shown["total"], detail["links"]["total"]) == (len(shown["shown"]), len(detail["links"]["shown"]))


def test_the_links_between_pages(crawl: Faces) -> None:
    same(
        summary=crawl.done.summary.edges,
        statistics=crawl.statistics["edges"],
        console=int(re.findall(r"([\d,]+) link", crawl.console)[0]),
        report=int(re.findall(r"<b>([\d,]+)</b><span>links? between pages", crawl.report)[0]),
        csv=sum(int(row["out_links"]) for row in crawl.rows),
        sql=crawl.sql("SELECT count(*) FROM page_links WHERE {crawl}")[0][0],
    )


def test_the_urls_that_were_requested(crawl: Faces) -> None:
    same(
        csv=len(crawl.rows),
        workbook=len(crawl.workbook),
        api=crawl.get("pages", limit="1")["total"],
        graph=len(crawl.graph["nodes"]),
        sql=crawl.sql("SELECT count(*) FROM pages WHERE {crawl}")[0][0],
        statuses=sum(crawl.done.summary.statuses.values()),
    )


def test_the_duplicates(crawl: Faces) -> None:
    found = crawl.done.summary.duplicates
    listed = table(crawl.done.exports / "duplicates.csv")
    same(
        summary=found.get("exact", 0) + found.get("near", 0),
        csv=sum(bool(row["duplicate_of"]) for row in crawl.rows),
        file=sum(row["kind"] != "review" for row in listed),
        api=sum(crawl.get("duplicates", kind=kind, limit="1")["total"] for kind in ("exact", "near")),
        pages=crawl.get("pages", duplicate="true", limit="1")["total"],
        workbook=sum(bool(row["Duplicate of"]) for row in crawl.workbook),
    )
    same(summary=found.get("review", 0), file=sum(row["kind"] == "review" for row in listed))
    assert crawl.metric("duplicates") == sum(found.values())


def test_the_orphans(crawl: Faces) -> None:
    listed = table(crawl.done.exports / "orphans.csv")
    same(
        summary=sum((crawl.done.summary.orphans or {}).values()),
        statistics=sum((crawl.statistics["orphans"] or {}).values()),
        file=len(listed),
        api=crawl.get("orphans", limit="1")["total"] or 0,  # null: no sitemap shows any
    )
    requested = {row["url"] for row in crawl.rows}
    same(
        file=sum(row["url"] in requested for row in listed),  # sitemap pages that were not read are inconclusive
        csv=sum(bool(row["orphan"]) for row in crawl.rows),
        sql=crawl.sql("SELECT count(*) FROM orphans WHERE {crawl}")[0][0],
    )


def test_the_issues(crawl: Faces) -> None:
    listed = Counter(row["kind"] for row in table(crawl.done.exports / "issues.csv"))
    assert crawl.done.summary.issues == crawl.statistics["issues"] == listed
    assert crawl.tile("issue") == crawl.get("issues", limit="1")["total"] == listed.total()
    kinds = {row["kind"]: row["issues"] for row in crawl.get("issues", limit="1")["kinds"]}
    assert kinds == listed


def test_the_bytes_that_were_transferred(crawl: Faces) -> None:
    same(
        summary=crawl.done.summary.bytes,
        statistics=crawl.statistics["bytes"],
        csv=sum(int(row["bytes"]) for row in crawl.rows if row["revalidated"] == "false"),
        sql=crawl.sql("SELECT bytes FROM crawls WHERE {crawl}")[0][0],
        counters=crawl.detail["counters"]["bytes"],
        metrics=crawl.metric("bytes_fetched_total"),
    )


def test_the_changes_since_the_crawl_before(crawls: Mapping[str, Faces]) -> None:
    crawl = crawls["recrawl"]
    outcome = crawl.detail["outcome"]
    by_change = dict(crawl.sql("SELECT change, count(*) FROM changes WHERE {crawl} GROUP BY 1"))
    assert (outcome["new"], outcome["changed"], outcome["gone"]) == (1, 1, 1)
    assert by_change == {"new": 1, "changed": 1, "gone": 1}
    assert "1 new page, 1 page with a changed main text, 1 page gone." in crawl.report
    (yield_,) = (one["value"] for one in crawl.statistics["objectives"] if one["name"] == "change_yield")
    assert yield_ == 1 / 8  # 8 pages were read before, and one of them has another text
    compared = crawl.get("diff", base=crawls["first"].done.row.id.crawl)
    assert compared["kinds"]["changed"] == 2  # of these, one has only another description
    events = crawl.service.store.event_log.after(crawl.done.row.id, -1, limit=100)
    ended = events[-1].data
    assert {name: ended[name] for name in ("new", "changed", "gone", "pages")} == {
        "new": 1, "changed": 1, "gone": 1, "pages": crawl.done.summary.pages,
    }  # fmt: skip


def test_an_unchanged_page_has_the_status_and_size_of_its_content(crawls: Mapping[str, Faces]) -> None:
    first, again = ({row["url"]: row for row in crawls[name].rows} for name in ("first", "recrawl"))
    revalidated = {url for url, row in again.items() if row["revalidated"] == "true"}
    assert len(revalidated) > 3
    assert {again[url]["status"] for url in revalidated} == {"200"}
    assert {url: again[url]["bytes"] for url in revalidated} == {url: first[url]["bytes"] for url in revalidated}


def test_a_url_of_an_address_that_is_not_allowed_is_not_denied_by_robots_txt(crawls: Mapping[str, Faces]) -> None:
    rows = {row["url"]: (row["state"], row["reason"]) for row in crawls["list"].ledger}
    assert rows["http://10.0.0.1/page"] == ("failed", "blocked_address")
    assert crawls["list"].done.summary.states["robots_denied"] == 1


def test_a_url_of_a_host_that_cannot_be_reached_says_so_and_is_not_denied(crawls: Mapping[str, Faces]) -> None:
    crawl = crawls["list"]
    (row,) = (row for row in crawl.ledger if row["reason"] == "connect")
    assert (row["state"], row["detail"][-18:], row["tries"]) == ("failed", "Connection refused", "0")
    explained = crawl.get("urls/explain", url=row["url"])
    assert explained["because"] == "its host cannot be reached: the host accepts no connection"
    assert (explained["found"]["state"], bool(explained["found"]["detail"])) == ("failed", True)
    (notice,) = (one for one in crawl.done.summary.notices if row["url"].startswith(one.subject))
    assert notice.message == (
        f"the host accepts no connection, so 1 URL was not requested: {explained['found']['detail']}"
    )
    (suppressed,) = (one for one in crawl.get("suppressions")["suppressions"] if one["reason"] == "connect")
    assert (suppressed["urls"], suppressed["examples"]) == (1, [row["url"]])


def test_urls_of_the_current_wave_are_pending(crawls: Mapping[str, Faces]) -> None:
    crawl = crawls["orphans"]
    entries = crawl.service.store.event_log.after(crawl.done.row.id, -1, limit=100)
    plans = [entry.data for entry in entries if "planned" in entry.data]
    assert len(plans) > 1
    assert [plan["pending"] for plan in plans[:2]] == [1, 11]
    assert all(int(str(plan["pending"])) >= int(str(plan["planned"])) for plan in plans)
