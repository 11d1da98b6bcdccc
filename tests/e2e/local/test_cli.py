"""The command line: whole commands, and real crawls of loopback sites."""

import csv
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import duckdb
import pytest
from msgspec.structs import replace
from tests.support.campaign import slow
from tests.support.hits import hits
from tests.support.page_memories import move_back
from tests.support.patience import eventually
from tests.support.paused_site import PausedSite
from tests.support.plain_site import plain_site
from typer.testing import CliRunner, Result
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from wavecrawl.adapters.embedded.lock import serve_lock
from wavecrawl.application.finish_crawl import finish_crawl
from wavecrawl.bootstrap.store import LocalStore
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.cli.metrics import crawl_metrics
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Page, Robots, Site
from wavecrawl.demo.patterns import page
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.pages.plain_text import plain_text
from wavecrawl.ports.analytics import CrawlSummary, CrawlTiming
from wavecrawl.version import __version__

QUICK = ["--interval", "0", "--no-adapt", "--set", "retry_base=0", "--workers", "1"]
HANG = 120  # seconds until a process counts as hung


@pytest.fixture(name="demo", scope="module")
def a_crawled_demo_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SiteServer, Path]]:
    data = tmp_path_factory.mktemp("demo")
    with SiteServer(demo_site()) as server:
        printed = run("crawl", server.url, "--data", str(data), "--json", "--index", *QUICK)
        assert printed.exit_code == Exit.OK, printed.output
        yield server, data


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def names(result: Result) -> list[str]:
    """Return the names in the first column of a table."""
    return re.findall(r"^(\w+(?: \w+)*)  ", result.stdout, flags=re.MULTILINE)


def json_of(result: Result) -> dict[str, Any]:
    assert result.exit_code == Exit.OK, result.output
    printed: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return printed


def exports(data: Path) -> Path:
    """Return the folder of the first crawl: IDs begin with the time of the start."""
    return min(data.glob("tenants/*/sites/*/crawls/*/exports"))


def test_the_version_is_shown() -> None:
    assert run("--version").stdout.strip() == f"wavecrawl {__version__}"
    assert run("-V").stdout.strip() == f"wavecrawl {__version__}"


def test_every_command_explains_itself() -> None:
    for command in ("crawl", "resume", "list", "show", "export", "compare"):
        result = run(command, "--help")
        assert result.exit_code == Exit.OK
        assert "Usage" in result.stdout


def test_the_help_of_crawl_names_defaults() -> None:
    printed = " ".join(run("crawl", "--help").output.replace("│", " ").split())
    assert "Maximum number of pages with state fetched or unchanged. [default: (1000)]" in printed
    assert "between the starts of two requests to one host. 0: no delay, unless the host is" in printed


def test_a_crawl_has_every_export(demo: tuple[SiteServer, Path]) -> None:
    assert run("export", "--data", str(demo[1])).exit_code == Exit.OK
    names = {path.name for path in exports(demo[1]).iterdir()}
    assert names == {
        "pages.parquet", "pages.csv", "pages.jsonl.gz", "edges.parquet", "ledger.csv", "graph.json", "issues.csv",
        "graph.bin.gz", "issues.jsonl.gz", "orphans.csv", "blockers.csv", "sitemap.xml", "sitemap.xml.gz", "llms.txt",
        "summary.json", "duplicates.csv", "report.html", "crawl.wacz", "compact_edges.parquet", "urls.parquet",
        "suppressed.csv", "chunks.jsonl.gz", "sitemap_entries.parquet",
    }  # fmt: skip


def test_all_forms_of_the_pages_agree(demo: tuple[SiteServer, Path]) -> None:
    folder = exports(demo[1])
    lines = [json.loads(line) for line in gzip.decompress((folder / "pages.jsonl.gz").read_bytes()).splitlines()]
    with (folder / "pages.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    parquet = (
        duckdb.connect().execute("SELECT url, depth FROM read_parquet(?)", [str(folder / "pages.parquet")]).fetchall()
    )
    assert [row["url"] for row in rows] == [line["url"] for line in lines] == [url for url, _ in parquet]
    assert [int(row["depth"]) for row in rows] == [line["depth"] for line in lines] == [depth for _, depth in parquet]
    home = lines[0]
    assert (home["depth"], home["title"], home["status"]) == (0, "Instruments that read the tide", 200)
    assert home["full_title"] == "Instruments that read the tide | Tideline Instruments"


def test_the_issues_of_the_demo_site_are_found(demo: tuple[SiteServer, Path]) -> None:
    with (exports(demo[1]) / "issues.csv").open(encoding="utf-8-sig", newline="") as file:
        details = {
            (row["kind"], row["url"].removeprefix(demo[0].origin)): row["detail"].replace(demo[0].origin, "")
            for row in csv.DictReader(file)
        }
    chain = "/trouble/chain-0 -> /trouble/chain-1 -> /trouble/chain-2 -> /about"
    assert details["redirect_chain", "/trouble/chain-0"] == f"3 redirects: {chain}, linked from /trouble/"
    assert {
        ("broken_link", "/trouble/missing"),
        ("broken_link", "/products/discontinued"),
        ("redirect_loop", "/trouble/loop-0"),
        ("redirect_chain", "/trouble/chain-0"),
        ("redirect_in_sitemap", "/offers"),
        ("error_in_sitemap", "/products/discontinued"),
        ("noindex_in_sitemap", "/landing/old"),
        ("orphan", "/spring-sale"),
        ("duplicate_title", "/blog/"),
    } <= details.keys()


def test_the_warc_passes_warcio_check_and_holds_what_was_served(demo: tuple[SiteServer, Path]) -> None:
    files = sorted(demo[1].glob("tenants/*/sites/*/crawls/*/warc/*.warc.gz"))
    assert files
    bodies: dict[str, bytes] = {}
    for path in files:
        checker = Checker(type("Arguments", (), {"inputs": [str(path)], "verbose": False, "quiet": True})())
        assert not checker.process_all()
        with path.open("rb") as file:
            for record in ArchiveIterator(file):
                if record.rec_type == "response" and record.http_headers.get_statuscode() == "200":
                    bodies[record.rec_headers.get_header("WARC-Target-URI")] = record.content_stream().read()
    assert b"<title>About us | Tideline Instruments</title>" in bodies[f"{demo[0].origin}/about"]
    assert bodies[f"{demo[0].origin}/files/float-gauge.csv"] == b"depth,litres\n0,0\n"


def test_show_explains_why_a_page_was_crawled_or_not(demo: tuple[SiteServer, Path]) -> None:
    server, data = demo
    copy = run("show", f"{server.origin}/products/float-gauge-print", "--data", str(data))
    assert f"duplicate of {server.origin}/products/float-gauge (similarity 1.000)" in " ".join(copy.stdout.split())
    home = run("show", server.url, "--data", str(data))
    assert home.exit_code == Exit.OK
    assert names(home) == [
        "crawl", "URL", "state", "status", "size", "title", "description", "links", "indexable", "linked from", "depth",
        "found by", "tries",
    ]  # fmt: skip
    assert names(copy)[5:] == [
        "title", "description", "links", "canonical", "indexable", "duplicate of", "linked from", "depth", "found by",
        "first found on", "tries",
    ]  # fmt: skip
    denied = json_of(run("show", f"{server.origin}/internal/wiki", "--data", str(data), "--json"))
    assert (denied["ledger"]["state"], denied["ledger"]["reason"]) == ("robots_denied", "robots_rule")
    assert denied["linked_from"][0]["url"] == f"{server.origin}/about"
    unseen = run("show", f"{server.origin}/never", "--data", str(data))
    assert unseen.exit_code == Exit.NOT_FOUND
    assert "no crawled page links to it" in unseen.stdout.replace("\n", " ")
    asset = run("show", f"{server.origin}/files/radar-gauge.pdf", "--data", str(data))
    assert "named like a file" in asset.stdout.replace("\n", " ")


def test_list_names_the_crawls(demo: tuple[SiteServer, Path]) -> None:
    server, data = demo
    assert server.url in run("list", "--data", str(data)).stdout
    assert json_of(run("list", "--data", str(data), "--json"))["status"] == "completed"


def test_exports_are_copied(demo: tuple[SiteServer, Path], tmp_path: Path) -> None:
    result = run("export", "csv", "--to", str(tmp_path / "out"), "--data", str(demo[1]))
    assert result.exit_code == Exit.OK
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "pages.csv",
        "ledger.csv",
        "suppressed.csv",
        "blockers.csv",
        "duplicates.csv",
        "issues.csv",
        "orphans.csv",
    }
    again = run("export", "csv", "--to", str(tmp_path / "out"), "--data", str(demo[1]))
    assert (again.exit_code, again.stdout) == (Exit.OK, result.stdout)
    warc = run("export", "warc", "--data", str(demo[1])).stdout.split()
    assert all(name.endswith(".warc.gz") for name in warc)


def test_main_texts_are_exported_as_markdown(demo: tuple[SiteServer, Path], tmp_path: Path) -> None:
    result = run("export", "markdown", "--to", str(tmp_path / "out"), "--data", str(demo[1]))
    assert result.stdout.split() == [str(tmp_path / "out" / "markdown"), str(tmp_path / "out" / "pages.md")]
    with gzip.open(exports(demo[1]) / "pages.jsonl.gz") as file:
        pages = [page for page in map(json.loads, file) if page["text"] and not page["duplicate_of"]]
        file.seek(0)
        repeated = [page["url"] for page in map(json.loads, file) if page["text"] and page["duplicate_of"]]
    assert (len(pages) > 10, len(repeated)) == (True, 1)
    remedy = "A crawl with --set duplicates.same=0.99 keeps pages with nearly the same text"
    said = "note: 1 page is left out, as its text is the same or nearly the same as that of another page"
    assert said in " ".join(result.stderr.split())
    assert remedy in " ".join(result.stderr.split())
    assert [sha256(page["text"].encode()).hexdigest() for page in pages] == [page["text_hash"] for page in pages]
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "out" / "markdown").iterdir()}
    assert len(files) == len(pages)
    first = next(text for name, text in files.items() if name.startswith("index-"))
    assert first.startswith(f'---\nurl: "{pages[0]["url"]}"\ntitle: "')
    assert plain_text(first.partition("\n---\n\n")[2]).rstrip("\n") == pages[0]["text"]
    together = (tmp_path / "out" / "pages.md").read_text(encoding="utf-8")
    assert len(together) == sum(len(text) + 1 for text in files.values())
    assert all(text in together for text in files.values())


def test_lines_of_pages_get_their_main_text_as_markdown(demo: tuple[SiteServer, Path], tmp_path: Path) -> None:
    result = run("export", "jsonl", "--markdown", "--to", str(tmp_path / "out"), "--data", str(demo[1]))
    assert result.exit_code == Exit.OK
    assert sorted(Path(name).name for name in result.stdout.split()) == ["issues.jsonl.gz", "pages.jsonl.gz"]
    with (
        gzip.open(exports(demo[1]) / "pages.jsonl.gz") as plain,
        gzip.open(tmp_path / "out" / "pages.jsonl.gz") as file,
    ):
        pages, lines = list(map(json.loads, plain)), list(map(json.loads, file))
    written = [line.pop("markdown") for line in lines]
    assert lines == pages
    assert [plain_text(markdown) for markdown in written] == [page["text"] for page in pages]
    assert any(markdown.startswith("# ") for markdown in written)
    for refused in (("csv", "--markdown", "--to", str(tmp_path / "out")), ("jsonl", "--markdown")):
        assert run("export", *refused, "--data", str(demo[1])).exit_code == Exit.BAD_INPUT


def test_markdown_is_written_beside_the_results(demo: tuple[SiteServer, Path]) -> None:
    result = run("export", "markdown", "--data", str(demo[1]))
    assert result.stdout.split()[1] == str(exports(demo[1]).parent / "pages.md")


def test_results_can_be_rebuilt(demo: tuple[SiteServer, Path]) -> None:
    folder = exports(demo[1])
    before = (folder / "pages.csv").read_bytes()
    (folder / "pages.csv").write_text("spoilt", encoding="utf-8")
    chunks = (folder / "chunks.jsonl.gz").read_bytes()
    assert run("export", "csv", "--rebuild", "--data", str(demo[1])).exit_code == Exit.OK
    assert (exports(demo[1]) / "chunks.jsonl.gz").read_bytes() == chunks
    assert (folder / "pages.csv").read_bytes() == before


def test_compare_says_where_two_crawls_differ(demo: tuple[SiteServer, Path], tmp_path: Path) -> None:
    server, data = demo
    assert run("compare", str(exports(data)), str(exports(data)), "--edges").exit_code == Exit.OK
    printed = json_of(run("crawl", server.url, "--data", str(tmp_path), "--max-depth", "1", "--json", *QUICK))
    result = run("compare", str(exports(data)), printed["results"])
    assert result.exit_code == Exit.NEGATIVE
    assert "only in the first" in result.stdout
    assert run("compare", str(exports(data)), printed["results"], "-q").stdout == ""


def test_compare_takes_the_ids_of_crawls(demo: tuple[SiteServer, Path]) -> None:
    _, data = demo
    crawl = exports(data).parent.name
    same = run("compare", crawl, str(exports(data)), "--data", str(data))
    assert (same.exit_code, same.stdout) == (Exit.OK, "the two crawls agree\n")
    unknown = run("compare", crawl, "20990101-000000-000000", "--data", str(data))
    assert unknown.exit_code == Exit.NOT_FOUND
    assert f"no crawl '20990101-000000-000000' in {data}; there are: {crawl}" in " ".join(unknown.output.split())


@pytest.fixture(name="changed", scope="module")
def a_site_that_changed_between_two_crawls(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, list[str]]:
    data = tmp_path_factory.mktemp("changed")
    old = (page("/", "/stays", "/goes"), page("/stays"), page("/goes"))
    new = (page("/", "/stays", "/goes", *(f"/n{n}" for n in range(25))), page("/stays"), Page(path="/goes", status=410))
    crawls = []
    with SiteServer(Site(pages=old)) as server:
        url, port = server.url, server.port
        crawls.append(json_of(run("crawl", url, "--data", str(data), "--json", *QUICK))["crawl"])
        early = run("diff", "--data", str(data))
        assert (early.exit_code, "nothing to compare with" in early.output) == (Exit.NOT_FOUND, True)
    with SiteServer(Site(pages=(*new, *(page(f"/n{n}") for n in range(25)))), port=port):
        crawls.append(json_of(run("crawl", url, "--data", str(data), "--json", *QUICK))["crawl"])
    with SiteServer(Site(pages=old)) as other:
        crawls.append(json_of(run("crawl", other.url, "--data", str(data), "--json", *QUICK))["crawl"])
    return data, url, crawls


def test_diff_lists_the_changes_of_a_site(changed: tuple[Path, str, list[str]]) -> None:
    data, url, (first, second, _) = changed
    printed = run("diff", first, second, "--data", str(data))
    assert printed.exit_code == Exit.OK
    lines = printed.stdout.splitlines()
    assert lines[0] == f"{first} to {second}, {url}: 3 pages, then 27; 25 new links, 0 removed"
    assert lines[1:3] == ["new pages: 25", f"  {url}n0  (not tried / fetched 200)"]
    assert lines[22:25] == [
        "  ... and 5 more: --kind new",
        "removed pages: 1",
        f"  {url}goes  (fetched 200 / not_found 410)",
    ]
    assert f"  {url}goes on {url}  (not broken / not_found 410)" in lines
    assert run("diff", first, "--data", str(data)).stdout == printed.stdout  # the default is the site's newest crawl
    whole = run("diff", first, second, "--kind", "new", "--data", str(data)).stdout.splitlines()
    assert (whole[1], len(whole), whole[-1]) == ("new pages: 25", 27, f"  {url}n9  (not tried / fetched 200)")


@slow
def test_diff_says_that_a_crawl_stopped_at_a_limit(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(page("/", "/a", "/b"), page("/a"), page("/b")))) as server:
        for options in ([], ["--max-pages", "2"]):
            assert run("crawl", server.url, "--data", str(tmp_path), "-q", *options, *QUICK).exit_code == Exit.OK
        printed = run("diff", "--data", str(tmp_path))
        written = run("diff", "--data", str(tmp_path), "--to", str(tmp_path / "diff"))
    assert "3 pages, then 2; 0 new links, 0 removed\nno other differences in what both crawls read" in printed.stdout
    note = "note: the later crawl stopped at a limit (max_pages): URLs that it did not read are left out"
    assert note in " ".join(printed.stderr.split())
    assert note in " ".join(written.stderr.split())
    assert (tmp_path / "diff" / "diff.csv").read_text("utf-8-sig").splitlines() == ["kind,url,value,related,before,now"]


def test_diff_prints_lines_for_programs(changed: tuple[Path, str, list[str]]) -> None:
    data, url, (first, second, _) = changed
    counts, *rows = map(json.loads, run("diff", first, second, "--json", "--data", str(data)).stdout.splitlines())
    assert (counts["base"], counts["crawl"], counts["kinds"]["new"], counts["pages_now"]) == (first, second, 25, 27)
    assert len(rows) == sum(counts["kinds"].values())
    assert rows[25]["url"] == f"{url}goes"


@slow
def test_diff_shows_and_writes_changed_texts(changed: tuple[Path, str, list[str]], tmp_path: Path) -> None:
    data, url, (first, second, _) = changed
    printed = run("diff", first, second, "--text", "--lines", "3", "--data", str(data)).stdout.splitlines()
    assert printed[:2] == [f"--- {url}\t{first}", f"+++ {url}\t{second}"]
    assert printed[2].startswith("@@ -")
    assert printed[-1] == "... (more)"
    written = run("diff", first, second, "--to", str(tmp_path / "new"), "--data", str(data))
    assert written.exit_code == Exit.OK
    found = json.loads((tmp_path / "new" / "diff.json").read_text(encoding="utf-8"))
    assert len(found["differences"]) == sum(found["kinds"].values())
    with (tmp_path / "new" / "diff.csv").open(encoding="utf-8-sig", newline="") as file:
        table = list(csv.DictReader(file))
    expected = [
        {"value": value.get("name", ""), **{name: row[name] for name in ("kind", "url", "related")}}
        | {name: value.get(name, row[name]) for name in ("before", "now")}
        for row in found["differences"]
        for value in row["values"] or [{}]
    ]
    assert table == expected
    assert (tmp_path / "new" / "text.diff").read_text(encoding="utf-8").splitlines()[:2] == printed[:2]
    (tmp_path / "file").touch()
    assert run("diff", first, second, "--to", str(tmp_path / "file"), "--data", str(data)).exit_code == Exit.BAD_INPUT


def test_focus_terms_without_best_first_are_noted(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=1)) as server:
        start = ("crawl", server.url, "--data", str(tmp_path), "--focus", "event loop", "--no-results", *QUICK)
        assert "focus terms do not change the order" in run(*start).output
        assert "focus terms" not in run(*start, "--strategy", "best_first").output


def test_a_crawl_with_too_many_issues_fails(tmp_path: Path) -> None:
    data = ["--data", str(tmp_path / "data"), "--max-pages", "60", *QUICK]
    with SiteServer(demo_site()) as server:
        ran = run("crawl", server.url, *data, "--fail-on", "broken_link:0", "--junit", str(tmp_path / "checks.xml"))
        passed = run("crawl", server.url, *data, "--fail-on", "broken_link:1000")
    assert ran.exit_code == Exit.NEGATIVE
    assert "too many issues: " in ran.output
    assert f"broken_link | {server.origin}/" in ran.output
    assert f"all: {exports(tmp_path / 'data') / 'issues.csv'}" in ran.output
    assert (tmp_path / "checks.xml").is_file()
    assert passed.exit_code == Exit.OK


@slow
def test_a_crawl_that_misses_an_objective_fails_if_that_is_enforced(tmp_path: Path) -> None:
    pages = (page("/", "/lost", title="One"), Page(path="/lost", status=404))
    limit = ("--set", "objectives.discard_rate=0.4", "--data", str(tmp_path), *QUICK)
    with SiteServer(Site(pages=pages)) as server:
        missed = run("crawl", server.url, *limit, "--enforce", "--metrics", str(tmp_path / "metrics"))
        assert (missed.exit_code, "missed its objectives: discard_rate" in missed.output) == (Exit.NEGATIVE, True)
        assert "discard rate missed (0.5, target 0.4)" in " ".join(missed.output.split())
        assert 'objective="discard_rate"} 0.5' in (tmp_path / "metrics").read_text(encoding="utf-8")
        assert run("crawl", server.url, *limit).exit_code == Exit.OK
        with closing(LocalStore(tmp_path)) as store:
            last = next(iter(store.crawls.newest_first()))
            move_back(tmp_path, last.id, seconds=100.0)  # clocks may differ by a second
        without = run("crawl", server.url, *limit, "--enforce", "--no-results")
        assert without.exit_code == Exit.BAD_INPUT
        met = ("--set", "objectives.staleness=1", "--set", "objectives.discard_rate=0.5", "--data", str(tmp_path))
        found = json_of(run("crawl", server.url, *met, *QUICK, "--enforce", "--json"))["objectives"]
        assert {one["name"]: one["met"] for one in found if one["target"]} == {"staleness": True, "discard_rate": True}
        assert {one["name"]: one["value"] for one in found}["change_yield"] == 0


def test_diff_says_what_it_cannot_compare(changed: tuple[Path, str, list[str]]) -> None:
    data, _, (first, _, other) = changed
    newest = run("diff", "--data", str(data))  # the first crawl of its site
    assert (newest.exit_code, "nothing to compare with" in newest.output) == (Exit.NOT_FOUND, True)
    sites = run("diff", first, other, "--data", str(data))
    assert (sites.exit_code, f"crawl {other} of http" in " ".join(sites.output.split())) == (Exit.BAD_INPUT, True)
    assert run("diff", "nope", "--data", str(data)).exit_code == Exit.NOT_FOUND
    same = run("diff", first, first, "--data", str(data))
    assert same.exit_code == Exit.NOT_FOUND


def test_control_characters_of_pages_do_not_reach_the_terminal(tmp_path: Path) -> None:
    home = Page(path="/", title="One\x1b[2J [bold]\x9b31m", text=("Before.",))
    with SiteServer(Site(pages=(home,))) as server:
        run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK)
        url, port = server.url, server.port
    with SiteServer(Site(pages=(replace(home, text=("After.\x1b]0;title\x07",)),)), port=port):
        run("crawl", url, "--data", str(tmp_path), "--json", *QUICK)
    shown = run("show", url, "--data", str(tmp_path)).stdout
    assert "One\ufffd[2J [bold]\ufffd31m" in shown
    changed = run("diff", "--text", "--data", str(tmp_path)).stdout
    assert "+After.\ufffd]0;title\ufffd" in changed


def test_diff_of_an_unchanged_site_is_short(tmp_path: Path) -> None:
    with SiteServer(Site(pages=(page("/", title="One"),))) as server:
        for _ in range(2):
            json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK))
    assert run("diff", "--data", str(tmp_path)).stdout.splitlines()[1:] == ["nothing else differs"]


def test_a_second_crawl_asks_only_what_changed(tmp_path: Path) -> None:
    page = Page(path="/", title="One", text=("Something to read.",), etag='"1"')
    with SiteServer(Site(pages=(page,))) as server:
        first = json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK))
        second = json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK))
    assert (first["states"], second["states"]) == ({"fetched": 1}, {"unchanged": 1})
    assert second["pages"] == 1


@slow
def test_an_unchanged_page_whose_old_crawl_was_deleted_is_read_again(tmp_path: Path) -> None:
    page = Page(path="/", title="One", text=("Something to read.",), etag='"1"')
    with SiteServer(Site(pages=(page,))) as server:
        run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK)
        shutil.rmtree(tmp_path / "tenants")
        second = json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK))
    assert second["states"] == {"fetched": 1}


def test_the_summary_is_printed_for_people(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=5, body_bytes=400)) as server:
        result = run("crawl", server.url, "--data", str(tmp_path), *QUICK)
    assert result.exit_code == Exit.OK
    assert "5 pages of 5 discovered URLs" in result.stdout
    assert "report.html" in result.stdout


def test_a_crawl_that_ends_with_urls_for_which_there_was_no_room_says_so(tmp_path: Path) -> None:
    site = Site(pages=(page("/", *(f"/{n}" for n in range(30))), *(page(f"/{n}") for n in range(30))))
    limits = "--max-frontier", "5", "--max-pages", "11"
    with SiteServer(site) as server:
        result = run("crawl", server.url, "--data", str(tmp_path), *limits, *QUICK)
        shown = run("show", f"{server.url}29", "--data", str(tmp_path))
    assert result.exit_code == Exit.OK
    message = "20 URLs were never crawled, as more than 5 URLs were waiting (reason frontier_cap)"
    assert message in " ".join(result.stdout.split())
    assert "more URLs were waiting than --max-frontier allows" in " ".join(shown.stdout.split())
    summary = json.loads((exports(tmp_path) / "summary.json").read_bytes())
    assert summary["notices"] == [{"subject": "max_frontier", "message": message}]
    assert summary["stopped"] == "max_pages"
    assert message in (exports(tmp_path) / "report.html").read_text(encoding="utf-8")


def test_the_numbers_are_written_for_prometheus(tmp_path: Path) -> None:
    file = tmp_path / "collector" / "site.prom"
    site = Site(pages=(page("/", "/a", "/gone"), page("/a"), Page(path="/gone", status=410)))
    with SiteServer(site) as server:
        result = run("crawl", server.url, "--data", str(tmp_path), "--metrics", str(file), "--quiet", *QUICK)
        label = f'site="{server.url}"'
    assert result.exit_code == Exit.OK
    lines = file.read_text().splitlines()
    assert f"wavecrawl_crawl_pages{{{label}}} 2" in lines
    assert f'wavecrawl_crawl_urls{{{label},state="not_found"}} 1' in lines
    assert f'wavecrawl_crawl_answers{{{label},status="410"}} 1' in lines
    assert f'wavecrawl_crawl_issues{{{label},kind="broken_link"}} 1' in lines
    sample = re.compile(r'wavecrawl_[a-z_]+\{([a-z]+="[^"]*",?)+\} [0-9.e+-]+')
    kinds = re.compile(r"# (HELP wavecrawl_[a-z_]+ .+|TYPE wavecrawl_[a-z_]+ gauge)")
    assert all(sample.fullmatch(line) or kinds.fullmatch(line) for line in lines)
    assert list(file.parent.iterdir()) == [file]


def test_labels_for_prometheus_are_escaped() -> None:
    summary = CrawlSummary(
        crawl="c",
        site="s",
        root_url='http://example.com/"\\\n',
        status="completed",
        stopped="",
        version="0",
        pages=1,
        urls=1,
        edges=0,
        max_depth=0,
        bytes=1,
        timing=CrawlTiming(
            started_at=datetime.fromtimestamp(1, tz=UTC),
            finished_at=datetime.fromtimestamp(2, tz=UTC),
            seconds=1.0,
            pages_per_second=1.0,
            median_page_seconds=1.0,
            p95_page_seconds=1.0,
        ),
    )
    assert 'wavecrawl_crawl_pages{site="http://example.com/\\"\\\\\\n"} 1\n' in crawl_metrics(summary)


def test_metrics_that_cannot_be_had_are_an_error(tmp_path: Path) -> None:
    nothing = run("crawl", "http://127.0.0.1:9/", "--data", str(tmp_path), "--metrics", "m.prom", "--no-results")
    assert (nothing.exit_code, "leave out --no-results" in nothing.output) == (Exit.BAD_INPUT, True)
    (tmp_path / "file").touch()
    with SiteServer(plain_site(pages=1)) as server:
        bad = run("crawl", server.url, "--data", str(tmp_path), "--metrics", str(tmp_path / "file" / "m.prom"), *QUICK)
    assert bad.exit_code == Exit.BAD_INPUT
    assert "cannot be written" in bad.output
    assert "1 page of 1 discovered URL, 0 links" in bad.output


def test_without_results_only_the_records_are_kept_until_they_are_asked_for(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=5, body_bytes=400)) as server:
        printed = json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", "--no-results", *QUICK))
    assert printed["pages"] == 5
    assert run("export", "csv", "--data", str(tmp_path)).exit_code == Exit.NOT_FOUND
    assert run("export", "csv", "--rebuild", "--data", str(tmp_path)).exit_code == Exit.OK


@slow
def test_how_large_a_package_may_be_is_an_option(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=5, body_bytes=400)) as server:
        json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", "--wacz-mb", "0", *QUICK))
    package = exports(tmp_path) / "crawl.wacz"
    assert not package.exists()
    assert run("export", "--data", str(tmp_path), "--rebuild").exit_code == Exit.OK
    assert package.exists()
    assert run("export", "--data", str(tmp_path), "--rebuild", "--wacz-mb", "0").exit_code == Exit.OK
    assert not package.exists()


def test_a_list_of_urls_is_crawled_and_nothing_else(tmp_path: Path) -> None:
    site = plain_site(pages=20, body_bytes=400)
    with SiteServer(site) as server:
        urls = tmp_path / "urls.txt"
        urls.write_text(f"# two pages\n{server.origin}{site.pages[3].path}\n\n{server.origin}{site.pages[7].path}\n")
        printed = json_of(
            run(
                "crawl",
                server.url,
                "--data",
                str(tmp_path),
                "--discovery",
                "list",
                "--urls",
                str(urls),
                "--json",
                "--no-results",
                *QUICK,
            )
        )
    assert printed["pages"] == 2


@pytest.mark.parametrize(
    ("discovery", "pages"), [("links_only", 111), ("sitemap_only", 15), ("sitemap_first", 115), ("links_first", 115)]
)
def test_each_way_of_discovery_finds_its_pages(tmp_path: Path, discovery: str, pages: int) -> None:
    with SiteServer(demo_site()) as server:
        way = ("--discovery", discovery, "--json", "--no-results")
        printed = json_of(run("crawl", server.url, "--data", str(tmp_path), *way, *QUICK))
    assert printed["pages"] == pages


def test_a_site_that_does_not_respond_fails_its_crawl_and_the_next_one_works(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=1)) as server:
        url, port = server.url, server.port
    data = ("--data", str(tmp_path))
    result = run("crawl", url, *data, *QUICK)
    printed = " ".join(result.output.split())
    assert result.exit_code == Exit.FAILED
    assert f"error: {url} cannot be crawled:" in printed
    assert "refused" in printed
    assert "Start another crawl when the server responds." in printed
    assert "robots" not in printed
    assert json_of(run("list", *data, "--json"))["status"] == "failed"
    with SiteServer(plain_site(pages=1), port=port):
        assert json_of(run("crawl", url, *data, "--json", "--no-results", *QUICK))["pages"] == 1


def test_an_address_that_is_not_public_fails_the_crawl(tmp_path: Path) -> None:
    result = run("crawl", "http://10.0.0.1/", "--data", str(tmp_path), *QUICK)
    printed = " ".join(result.output.split())
    assert result.exit_code == Exit.FAILED
    assert "error: http://10.0.0.1/ cannot be crawled: 10.0.0.1 is not on the public internet" in printed
    assert "--allow-address" in printed


@pytest.mark.parametrize("way", [["--discovery", "links_only"], ["--discovery", "sitemap_first"], []])
def test_a_root_that_robots_txt_denies_fails_the_crawl(tmp_path: Path, way: list[str]) -> None:
    with SiteServer(Site(pages=(page("/"),), robots=Robots(disallow=("/",)))) as server:
        result = run("crawl", server.url, "--data", str(tmp_path), *way, *QUICK)
        printed = " ".join(result.output.split())
        assert result.exit_code == Exit.FAILED
        assert f"error: {server.url} cannot be crawled: robots.txt denies it." in printed
        assert "--ignore-robots" in printed


def test_a_root_that_cannot_be_fetched_fails_the_crawl_without_robots_txt_too(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=1)) as server:
        url = server.url
    result = run("crawl", url, "--data", str(tmp_path), "--ignore-robots", "--max-retries", "0", *QUICK)
    assert result.exit_code == Exit.FAILED
    assert f"error: {url} cannot be crawled:" in " ".join(result.output.split())


def test_a_listed_url_that_cannot_be_fetched_does_not_fail_the_crawl(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=1)) as gone:
        pass
    with SiteServer(plain_site(pages=1)) as server:
        urls = tmp_path / "urls.txt"
        urls.write_text(f"{gone.url}\n{server.url}\n", encoding="utf-8")
        once = ("--set", "polite.max_robots_waits=0", "--allow-address", "127.0.0.1/32")
        listed = ("--discovery", "list", "--urls", str(urls), "--data", str(tmp_path), "--json")
        assert json_of(run("crawl", server.url, *listed, *once, *QUICK))["pages"] == 1
    denied = json_of(run("show", gone.url, "--data", str(tmp_path), "--json"))["ledger"]
    assert (denied["state"], denied["reason"]) == ("failed", "connect")
    assert "refused" in denied["detail"]


@slow
def test_a_time_limit_ends_the_crawl_with_its_results(tmp_path: Path) -> None:
    with SiteServer(plain_site(pages=400, body_bytes=400), latency=0.05) as server:
        printed = json_of(
            run(
                "crawl",
                server.url,
                "--data",
                str(tmp_path),
                "--max-seconds",
                "4",
                "--json",
                "--in-flight",
                "1",
                *QUICK,
            )
        )
    assert printed["stopped"] == "time_limit"
    assert printed["pages"] < 400
    assert printed["reasons"]["time_limit"] > 0


def start_paused(server: PausedSite, data: Path) -> subprocess.Popen[str]:
    """Return the process of a crawl that waits for its thirtieth response until the server continues."""
    server.pause_at(30)
    command = [sys.executable, "-m", "wavecrawl.cli.main", "crawl", server.url, "--data", str(data)]
    process = subprocess.Popen([*command, "--interval", "0.02"], stderr=subprocess.PIPE, text=True)
    assert eventually(lambda: server.is_paused or process.poll() is not None)
    assert process.poll() is None
    return process


def statuses(data: Path) -> list[str]:
    """Return the statuses of a folder's crawls, from the table and from the JSON output."""
    listed = [json.loads(line) for line in run("list", "--data", str(data), "--json").stdout.splitlines()]
    table = run("list", "--data", str(data)).stdout
    assert [printed["status"] in table for printed in listed] == [True] * len(listed)
    return [printed["status"] for printed in listed]


def test_a_crawl_that_was_interrupted_can_be_ended_with_what_it_has(tmp_path: Path) -> None:
    with PausedSite(plain_site(pages=120, body_bytes=400)) as server:
        process = start_paused(server, tmp_path)
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=HANG)
        server.go_on()
        server.wait_for_disconnects()
        assert "wavecrawl cancel" in said
        refused = run("export", "csv", "--data", str(tmp_path))
        assert (refused.exit_code, "wavecrawl cancel" in refused.output) == (Exit.CONFLICT, True)
        served = [hits(server, page.path) for page in server.site.pages]
        printed = json_of(run("cancel", "--data", str(tmp_path), "--json", "--wacz-mb", "0"))
        assert [hits(server, page.path) for page in server.site.pages] == served
    assert (printed["status"], printed["stopped"]) == ("cancelled", "cancelled")
    assert 0 < printed["pages"] < 120
    assert printed["reasons"]["cancelled"] > 0
    assert not (exports(tmp_path) / "crawl.wacz").exists()
    assert run("export", "csv", "--data", str(tmp_path)).exit_code == Exit.OK
    again = run("cancel", "--data", str(tmp_path))
    assert (again.exit_code, "it has ended as cancelled" in again.output) == (Exit.CONFLICT, True)


def test_a_crawl_is_run_until_its_results_are_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def finishing(*arguments: Any, **named: Any) -> CrawlSummary | None:
        seen.extend(statuses(tmp_path))
        again = run("resume", "--data", str(tmp_path))
        assert (again.exit_code, "is being run by another process" in again.output) == (Exit.CONFLICT, True)
        return finish_crawl(*arguments, **named)

    monkeypatch.setattr("wavecrawl.bootstrap.local.finish_crawl", finishing)
    with SiteServer(Site(pages=(page("/"),))) as server:
        json_of(run("crawl", server.url, "--data", str(tmp_path), "--json", *QUICK))
    assert seen == ["running"]
    assert statuses(tmp_path) == ["completed"]


@slow
def test_a_crawl_that_another_process_runs_is_ended_by_that_one(tmp_path: Path) -> None:
    with PausedSite(plain_site(pages=120, body_bytes=400)) as server:
        process = start_paused(server, tmp_path)
        asked = run("cancel", "--data", str(tmp_path))
        assert (asked.exit_code, "the process that runs the crawl ends it" in asked.output) == (Exit.OK, True)
        server.go_on()
        process.communicate(timeout=HANG)
    assert process.returncode == Exit.OK
    assert statuses(tmp_path) == ["cancelled"]


def test_ctrl_c_stops_a_crawl_and_resume_continues_it(tmp_path: Path) -> None:
    site = plain_site(pages=120, body_bytes=400)
    with PausedSite(site) as server:
        process = start_paused(server, tmp_path)
        assert statuses(tmp_path) == ["running"]
        os.kill(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=HANG)
        server.go_on()
        assert process.returncode == Exit.INTERRUPTED
        assert statuses(tmp_path) == ["interrupted"]
        serving = serve_lock(tmp_path)
        assert statuses(tmp_path) == ["running"]  # the next `serve` of the folder resumes it
        serving.release()
        assert "wavecrawl resume" in said
        printed = json_of(run("resume", "--data", str(tmp_path), "--json"))
        assert printed["pages"] == 120
        assert all(hits(server, page.path) <= 2 for page in site.pages)
    assert statuses(tmp_path) == ["completed"]
    again = run("resume", "--data", str(tmp_path))
    assert again.exit_code == Exit.CONFLICT
    assert "only interrupted, failed and cancelled crawls can be resumed" in again.output
