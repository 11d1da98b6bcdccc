"""`wavecrawl export xlsx`: the results in a spreadsheet."""

import csv
import json
import re
from pathlib import Path

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet
from tests.support.crawling import QUICK, Done, crawl_inline
from typer.testing import CliRunner

from wavecrawl.adapters.spreadsheets.inlinks import write_inlinks
from wavecrawl.adapters.spreadsheets.workbook import write_workbook
from wavecrawl.cli.console import Exit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.errors import NotFoundError

HOSTILE = '=HYPERLINK("http://bad.example","x")'

BIDI = "\u202e\u200f"


@pytest.fixture(name="done", scope="module")
def a_crawl(tmp_path_factory: pytest.TempPathFactory) -> tuple[Done, Path, str]:
    root = tmp_path_factory.mktemp("workbook")
    with SiteServer(demo_site()) as server:
        return crawl_inline(server.url, root, QUICK), root, server.origin


def sheet(path: Path, name: str) -> Worksheet:
    found = load_workbook(path)[name]
    assert isinstance(found, Worksheet)
    return found


def table(path: Path, name: str) -> list[dict[str, object]]:
    head, *rows = sheet(path, name).iter_rows(values_only=True)
    return [dict(zip(map(str, head), row, strict=True)) for row in rows]


def test_a_workbook_has_the_pages_and_a_sheet_for_each_kind_of_issue(
    done: tuple[Done, Path, str], tmp_path: Path
) -> None:
    crawl, root, origin = done
    ran = CliRunner().invoke(app, ["export", "xlsx", "--data", str(root), "--to", str(tmp_path)])
    path = tmp_path / f"{origin.removeprefix('http://').replace(':', '-')}-{crawl.row.id.crawl}.xlsx"
    assert (ran.exit_code, ran.stdout.strip()) == (0, str(path))
    pages = table(path, "Pages")
    assert [page["URL"] for page in pages] == [page["url"] for page in crawl.pages()]
    home = pages[0]
    assert (home["Status"], home["Depth"], home["Title length"]) == (200, 0, len(str(home["Title"])))
    assert home["H1"]
    summary = json.loads((crawl.exports / "summary.json").read_text(encoding="utf-8"))
    names = load_workbook(path, read_only=True).sheetnames
    assert len(names) == 2 + len(summary["issues"])
    broken = {row["Broken URL"]: row for row in table(path, "Broken link")}
    missing = broken[f"{origin}/trouble/missing"]
    assert (missing["Status"], missing["Linked from"], missing["Link text"]) == (404, f"{origin}/trouble/", "missing")
    counts = {row[0].value: row[1].value for row in sheet(path, "Overview").iter_rows()}
    assert (counts["Site"], counts["Crawl ID"]) == (f"{origin}/", crawl.row.id.crawl)
    assert re.fullmatch(r"20\d\d-\d\d-\d\d \d\d:\d\d UTC", str(counts["Finished"]))
    assert (counts["Pages"], counts["Links to pages that cannot be read"]) == (summary["pages"], len(broken))


def test_a_workbook_is_replaced_on_request_only_once_it_was_edited(
    done: tuple[Done, Path, str], tmp_path: Path
) -> None:
    _, root, _ = done
    command = ["export", "xlsx", "--data", str(root), "--to", str(tmp_path)]
    first = CliRunner().invoke(app, command)
    path = Path(first.stdout.strip())
    written = path.read_bytes()
    assert (CliRunner().invoke(app, command).exit_code, path.read_bytes() == written) == (Exit.OK, True)
    book = load_workbook(path)
    book["Overview"]["A1"] = "Checked"
    book.save(path)
    edited = path.read_bytes()
    refused = CliRunner().invoke(app, command)
    assert (refused.exit_code, path.read_bytes() == edited) == (Exit.CONFLICT, True)
    said = f"error: {path} exists with another content; name another folder with --to, or replace with --overwrite"
    assert said in " ".join(refused.stderr.split())
    assert (CliRunner().invoke(app, [*command, "--overwrite"]).exit_code, path.read_bytes() == written) == (0, True)
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


def test_all_links_are_listed_with_the_status_of_their_target(done: tuple[Done, Path, str], tmp_path: Path) -> None:
    crawl, root, origin = done
    ran = CliRunner().invoke(app, ["export", "inlinks", "--data", str(root), "--to", str(tmp_path)])
    assert (ran.exit_code, ran.stdout.strip()) == (0, str(tmp_path / "inlinks.csv"))
    with (tmp_path / "inlinks.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(crawl.edges())
    assert [row["target"] for row in rows] == sorted(row["target"] for row in rows)
    (missing,) = (row for row in rows if row["target"] == f"{origin}/trouble/missing")
    shown = (missing["source"], missing["target_status"], missing["target_state"], missing["link_text"])
    assert shown == (f"{origin}/trouble/", "404", "not_found", "missing")
    assert [path.name for path in tmp_path.iterdir()] == ["inlinks.csv"]


def test_texts_of_a_site_are_no_formulas_and_reorder_nothing(tmp_path: Path) -> None:
    site = Site(pages=(Page(path="/", title=f"{HOSTILE}{BIDI}", text=("Text.",)),))
    with SiteServer(site) as server:
        done = crawl_inline(server.url, tmp_path, QUICK)
    pages = sheet(write_workbook(done.exports, tmp_path / "out"), "Pages")
    (column,) = (cell.column for cell in pages[1] if cell.value == "Title")
    cell = pages.cell(row=2, column=column)
    assert (cell.value, cell.data_type) == (f"{HOSTILE}\ufffd", "s")
    report = (done.exports / "report.html").read_text(encoding="utf-8")
    assert "HYPERLINK" in report
    assert not set(report) & set(BIDI)
    assert done.pages()[0]["title"] == f"{HOSTILE}{BIDI}", "the data keep what the site sent"


def test_a_page_that_is_not_modified_keeps_the_status_of_its_content(tmp_path: Path) -> None:
    home = Page(path="/", title="Home", text=("Text.",), links=(Link(to="/next"),), etag='"1"')
    site = Site(pages=(home, Page(path="/next", title="Next", text=("More.",), etag='"2"')))
    with SiteServer(site) as server:
        crawl_inline(server.url, tmp_path, QUICK)
        done = crawl_inline(server.url, tmp_path, QUICK)
    assert [(page["state"], page["status"], page["revalidated"]) for page in done.pages()] == [
        ("unchanged", 200, True)
    ] * 2
    with (done.exports / "pages.csv").open(encoding="utf-8-sig", newline="") as file:
        row, _ = csv.DictReader(file)
    names = ("state", "status", "reason", "detail", "revalidated")
    assert [row[name] for name in names] == ["unchanged", "200", "", "", "true"]
    shown, _ = table(write_workbook(done.exports, tmp_path / "out"), "Pages")
    titles = ("State", "Status", "Reason", "Details", "Not modified")
    assert [shown[title] for title in titles] == ["unchanged", 200, None, None, "yes"]
    with write_inlinks(done.exports, tmp_path / "out").open(encoding="utf-8-sig", newline="") as file:
        assert {link["target_status"] for link in csv.DictReader(file)} == {"200"}


def test_each_kind_of_issue_has_a_file_that_excel_reads(done: tuple[Done, Path, str], tmp_path: Path) -> None:
    crawl, root, origin = done
    (tmp_path / "issues").mkdir()
    solved = next(kind for kind in IssueName if kind not in crawl.summary.issues)
    for name in (solved, "notes"):  # of an earlier export, and of the user
        (tmp_path / "issues" / f"{name}.csv").touch()
    command = ["export", "issues", "--data", str(root), "--to", str(tmp_path)]
    refused = CliRunner().invoke(app, command)
    assert (refused.exit_code, f"{solved}.csv exists with another content" in refused.stderr) == (Exit.CONFLICT, True)
    ran = CliRunner().invoke(app, [*command, "--overwrite"])
    assert ran.exit_code == 0
    (tmp_path / "issues" / "notes.csv").unlink()
    files = {path.stem: path for path in (tmp_path / "issues").iterdir()}
    assert set(files) == set(crawl.summary.issues)
    assert {str(path) for path in files.values()} < set(ran.stdout.split())
    assert all(path.read_bytes().startswith(b"\xef\xbb\xbf") for path in files.values())
    with files["broken_link"].open(encoding="utf-8-sig", newline="") as file:
        (missing,) = (row for row in csv.DictReader(file) if row["broken_url"] == f"{origin}/trouble/missing")
    shown = (missing["status"], missing["linked_from"], missing["link_text"])
    assert shown == ("404", f"{origin}/trouble/", "missing")
    for name, number in crawl.summary.issues.items():
        with files[name].open(encoding="utf-8-sig", newline="") as file:
            assert len(list(csv.reader(file))) == number + 1


def test_the_table_of_pages_begins_with_what_people_read_and_ends_with_hashes(
    done: tuple[Done, Path, str], tmp_path: Path
) -> None:
    crawl, _, origin = done
    data = (crawl.exports / "pages.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbfurl,status,state,reason,indexable,not_indexable,full_title,title_length,desc")
    rows = list(csv.DictReader(data.decode("utf-8-sig").splitlines()))
    assert list(rows[0])[8:14] == ["description", "description_length", "h1", "depth", "in_links", "out_links"]
    assert list(rows[0])[-3:] == ["text_hash", "simhash", "key"]
    why = {row["url"].removeprefix(origin): (row["indexable"], row["not_indexable"]) for row in rows}
    assert (why["/"], why["/trouble/missing"]) == (("true", ""), ("false", "not_found"))
    assert {cause for _, cause in why.values()} >= {"redirected", "noindex", "canonical_elsewhere", "not_html"}
    assert [row["url"] for row in rows if len(row["pagerank"]) > 10 or len(row["elapsed"]) > 8] == []
    pages = table(write_workbook(crawl.exports, tmp_path), "Pages")
    shown = ["URL", "Status", "State", "Reason", "Indexable", "Why not", "Title", "Title length", "Description"]
    assert list(pages[0])[: len(shown)] == shown


def test_a_missing_file_is_named_and_nothing_is_left(done: tuple[Done, Path, str], tmp_path: Path) -> None:
    (tmp_path / "exports").mkdir()
    with pytest.raises(NotFoundError, match=r"no pages\.parquet, edges\.parquet, issues\.jsonl\.gz, summary\.json"):
        write_workbook(tmp_path / "exports", tmp_path / "out")
    (tmp_path / "damaged").mkdir()
    for name in ("pages.parquet", "edges.parquet", "issues.jsonl.gz", "summary.json"):
        (tmp_path / "damaged" / name).write_bytes((done[0].exports / name).read_bytes())
    (tmp_path / "damaged" / "summary.json").write_text("{}", encoding="utf-8")
    with pytest.raises(KeyError):
        write_workbook(tmp_path / "damaged", tmp_path / "out")
    assert list((tmp_path / "out").iterdir()) == []
