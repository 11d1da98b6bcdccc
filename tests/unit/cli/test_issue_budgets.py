"""Budgets of issues: `--fail-on` and `--junit`."""

import gzip
from pathlib import Path

import pytest
from lxml import etree
from tests.support.campaign import slow
from tests.support.crawling import QUICK, crawl_inline
from typer.testing import CliRunner

from wavecrawl.cli.issue_budgets import checked_budgets, issue_budget, unchecked_urls, write_junit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.model import Link, Page, Site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.checks.settings import CheckSettings
from wavecrawl.domain.crawl.settings import CrawlSettings, Discovery
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.domain.graph.orphans import why_no_orphans
from wavecrawl.domain.media.settings import MediaGroup, MediaSettings
from wavecrawl.errors import InvalidInputError

CHECKING = CrawlSettings(checks=CheckSettings(external=True, resources=True))
ISSUES = {"broken_link": 2, "redirect_loop": 1, "orphan": 5}


@pytest.mark.parametrize(
    ("text", "found", "exceeded"),
    [
        ("broken_link:1", 2, True),
        ("broken_link:2", 2, False),
        ("error:2", 3, True),
        ("warning:5", 5, False),
        ("notice:0", 0, False),
        ("unread_url:3", 4, True),
        ("unread_url:4", 4, False),
    ],
)
def test_issues_of_a_kind_or_severity_are_counted(text: str, found: int, exceeded: bool) -> None:  # noqa: FBT001 - a case
    (checked,) = checked_budgets([issue_budget(text)], ISSUES, CHECKING, unread=4)
    assert (checked.found, checked.exceeded) == (found, exceeded)
    assert str(checked) == f"{found} {text.replace(':', ', ')} allowed"


def test_severities_of_the_settings_count() -> None:
    issues = IssueSettings(as_error=(IssueName.ORPHAN,), as_notice=(IssueName.BROKEN_LINK,))
    settings = CrawlSettings(issues=issues)
    budgets = [issue_budget("error:0"), issue_budget("warning:0"), issue_budget("notice:0")]
    assert [one.found for one in checked_budgets(budgets, ISSUES, settings, unread=0)] == [1 + 5, 0, 2]


def test_a_budget_of_a_check_that_is_off_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"--fail-on orphan: issues\.off turns this check off"):
        issue_budget("orphan:0").kinds(CrawlSettings(issues=IssueSettings(off=(IssueName.ORPHAN,))))


@pytest.mark.parametrize(
    ("kind", "option", "others"),
    [
        ("broken_external_link", "--check-external (setting checks.external)", CheckSettings(resources=True)),
        ("moved_external_link", "--check-external (setting checks.external)", CheckSettings(resources=True)),
        ("broken_image", "--check-resources (setting checks.resources)", CheckSettings(external=True)),
        ("broken_script", "--check-resources (setting checks.resources)", CheckSettings(external=True)),
        ("broken_resource", "--check-resources (setting checks.resources)", CheckSettings(external=True)),
        ("broken_stylesheet", "--check-resources (setting checks.resources)", CheckSettings(external=True)),
    ],
)
def test_a_budget_of_a_check_that_is_not_made_is_refused(kind: str, option: str, others: CheckSettings) -> None:
    budget = issue_budget(f"{kind}:0")
    with pytest.raises(InvalidInputError) as raised:
        budget.kinds(CrawlSettings(checks=others))
    assert str(raised.value) == f"--fail-on {kind}: only a crawl with {option} finds such issues"
    assert budget.kinds(CHECKING) == {kind}


def test_a_crawl_that_stores_images_can_have_a_budget_of_broken_ones() -> None:
    settings = CrawlSettings(media=MediaSettings(include=(MediaGroup.IMAGES,)))
    assert issue_budget("broken_image:0").kinds(settings) == {"broken_image"}


def test_the_command_refuses_a_check_that_is_not_made_before_it_crawls(tmp_path: Path) -> None:
    data = tmp_path / "data"
    command = ["crawl", "http://127.0.0.1:9/", "--data", str(data), "--fail-on", "broken_external_link:0"]
    ran = CliRunner().invoke(app, command)
    assert ran.exit_code == 2
    assert "only a crawl with --check-external" in ran.stderr
    assert not data.exists()


def test_a_check_whose_urls_were_not_requested_is_skipped(tmp_path: Path) -> None:
    rows = ["link,blocked_address", "link,blocked_address", "link,max_checks", "image,max_checks", "script,", "link,"]
    rows += ["file,max_checks"]
    (tmp_path / "checks.csv").write_text("\ufeff" + "\n".join(["kind,reason", *rows]) + "\n", encoding="utf-8")
    (tmp_path / "issues.jsonl.gz").write_bytes(gzip.compress(b""))
    names = (
        "broken_external_link:0",
        "broken_image:0",
        "broken_script:0",
        "moved_external_link:0",
        "error:9",
        "notice:9",
        "broken_link:0",
    )
    checked = checked_budgets(
        [issue_budget(one) for one in names],
        {"moved_external_link": 1},
        CHECKING,
        unread=0,
        unchecked=unchecked_urls(tmp_path),
    )
    private = "2 URLs were not checked: the addresses of their hosts are not public (--allow-address ADDRESS)"
    cut = "URL was not checked: the limit was reached (--set checks.max_urls=NUMBER)"
    links = f"{private}; 1 {cut}"
    errors = f"{private}; {cut.replace('URL was', '3 URLs were')}"
    assert [one.unchecked for one in checked] == [links, f"1 {cut}", "", links, errors, links, f"1 {cut}"]
    path = tmp_path / "checks.xml"
    write_junit(checked, path, site="demo", results=tmp_path, unread=0)
    suite = etree.parse(path).getroot()
    assert (suite.get("failures"), suite.get("skipped")) == ("1", "2")
    skipped = {case.get("name"): case[0].get("message") for case in suite.findall("testcase[skipped]")}
    assert skipped == {"broken_external_link": links, "broken_image": f"1 {cut}"}


def test_a_budget_of_orphans_is_skipped_if_none_can_be_found(tmp_path: Path) -> None:
    (tmp_path / "issues.jsonl.gz").write_bytes(gzip.compress(b""))
    budgets = [issue_budget("orphan:0"), issue_budget("warning:0")]
    checked = checked_budgets(budgets, {}, QUICK, unread=0, no_orphans="No sitemap found")
    assert [one.unchecked for one in checked] == ["No sitemap found", ""]
    write_junit(checked, tmp_path / "checks.xml", site="demo", results=tmp_path, unread=0)
    (skipped,) = etree.parse(tmp_path / "checks.xml").getroot().findall("testcase[@name='orphan']/skipped")
    assert skipped.get("message") == "No sitemap found"


def test_orphans_that_are_inconclusive_do_not_count(tmp_path: Path) -> None:
    why = why_no_orphans({"inconclusive": 2}, "No link from any of the 9 pages read; 3 pages not read (max_pages)")
    budgets = [issue_budget("orphan:0"), issue_budget("warning:1")]
    orphans, warnings = checked_budgets(budgets, {"orphan": 2, "redirect_chain": 1}, QUICK, unread=3, no_orphans=why)
    assert (orphans.found, orphans.exceeded, warnings.found, warnings.exceeded) == (0, False, 1, False)
    assert orphans.unchecked.startswith("2 orphans are inconclusive. No link from any of the 9 pages read; 3 pages")
    write_junit([orphans], tmp_path / "checks.xml", site="s", results=tmp_path, unread=3)
    (skipped,) = etree.parse(tmp_path / "checks.xml").getroot().findall("testcase[@name='orphan']/skipped")
    assert skipped.get("message") == orphans.unchecked


@pytest.mark.parametrize("discovery", [Discovery.LINKS_ONLY, Discovery.LIST])
def test_a_budget_of_orphans_is_refused_if_the_crawl_reads_no_sitemaps(discovery: Discovery) -> None:
    why = f"a crawl with discovery {discovery.value} reads no sitemaps, so it finds no orphans"
    with pytest.raises(InvalidInputError, match=f"--fail-on orphan: {why}"):
        issue_budget("orphan:0").kinds(CrawlSettings(discovery=discovery))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("broken", "'broken' is no severity and no kind of issue; name one of error, warning, notice, unread_url"),
        ("broken_link", "add the number of issues that are allowed, such as broken_link:0"),
        ("error:-1", "such as error:0"),
        ("error:x", "such as error:0"),
    ],
)
def test_what_is_wrong_with_a_budget_is_named(text: str, problem: str) -> None:
    with pytest.raises(InvalidInputError) as raised:
        issue_budget(text)
    assert problem in str(raised.value)


def test_checks_are_written_as_junit_with_the_issues(tmp_path: Path) -> None:
    with SiteServer(demo_site()) as server:
        done = crawl_inline(server.url, tmp_path / "data", QUICK)
    budgets = [issue_budget("broken_link:0"), issue_budget("error:1000")]
    path = tmp_path / "checks.xml"
    checked = checked_budgets(budgets, done.summary.issues, QUICK, unread=0)
    write_junit(checked, path, site="demo", results=done.exports, unread=0)
    suite = etree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "0")
    complete, broken, errors = suite.findall("testcase")
    assert (complete.get("name"), list(complete)) == ("complete", [])
    assert (errors.get("name"), list(errors)) == ("error", [])
    (failure,) = broken
    number = done.summary.issues["broken_link"]
    assert failure.get("message") == f"{number} broken_link, 0 allowed"
    lines = (failure.text or "").splitlines()
    assert len(lines) == number
    assert (
        f'broken_link | {server.origin}/trouble/missing | {server.origin}/trouble/ | not_found 404, link text "missing"'
        in lines
    )
    with pytest.raises(InvalidInputError, match="cannot be written: No such file"):
        write_junit([], tmp_path / "none" / "x.xml", site="demo", results=done.exports, unread=0)


def test_a_crawl_that_fails_is_an_error_in_the_junit_file(tmp_path: Path) -> None:
    path = tmp_path / "checks.xml"
    with SiteServer(Site(pages=())) as gone:
        url = gone.url
    command = ["crawl", url, "--data", str(tmp_path / "data"), "-q", "--fail-on", "broken_link:0", "--junit", str(path)]
    assert CliRunner().invoke(app, command).exit_code == 6
    suite = etree.parse(path).getroot()
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["1", "0", "1", "0"]
    (error,) = suite.findall("testcase[@name='complete']/error")
    assert url in (error.get("message") or "")


@slow
def test_urls_that_were_not_checked_are_a_warning_also_with_quiet(tmp_path: Path) -> None:
    path = tmp_path / "checks.xml"
    with SiteServer(Site(pages=(Page(path="/", title="Home", links=(Link(to="http://10.0.0.1/x"),)),))) as server:
        command = ["crawl", server.url, "--data", str(tmp_path / "data"), "-q", "--workers", "1", "--check-external"]
        ran = CliRunner().invoke(app, [*command, "--fail-on", "broken_external_link:0", "--junit", str(path)])
    why = "1 URL was not checked: the addresses of their hosts are not public (--allow-address ADDRESS)"
    assert ran.exit_code == 0
    assert f"warning: broken_external_link issues may be missing: {why}" in " ".join(ran.stderr.split())
    (skipped,) = etree.parse(path).getroot().findall("testcase[@name='broken_external_link']/skipped")
    assert skipped.get("message") == why


@slow
def test_an_incomplete_crawl_is_a_warning_or_an_error(tmp_path: Path) -> None:
    path = tmp_path / "checks.xml"
    pages = (Page(path="/", title="Home", links=(Link(to="/a"), Link(to="/b"))), Page(path="/a"), Page(path="/b"))
    cut = ["--data", str(tmp_path / "data"), "--max-pages", "2", "-q", "--workers", "1", "--interval", "0"]
    with SiteServer(Site(pages=pages)) as server:
        command = ["crawl", server.url, *cut, "--fail-on"]
        warned = CliRunner().invoke(app, [*command, "broken_link:0", "--junit", str(path)])
        failed = CliRunner().invoke(app, [*command, "unread_url:0"])
    message = "the crawl is incomplete, so issues may be missing: 1 known URL was not read because of a limit"
    assert (warned.exit_code, failed.exit_code) == (0, 1)
    assert f"warning: {message}; --fail-on unread_url:0 makes this an error" in " ".join(warned.stderr.split())
    assert "error: too many unread URLs: 1 unread_url, 0 allowed" in " ".join(failed.stderr.split())
    suite = etree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "0", "1")
    (skipped,) = suite.findall("testcase/skipped")
    assert skipped.get("message") == message


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--fail-on", "error:0", "--no-results"], "--fail-on needs the results"),
        (["--junit", "x.xml"], "--junit needs checks"),
    ],
)
def test_options_that_exclude_each_other_are_refused(options: list[str], problem: str) -> None:
    ran = CliRunner().invoke(app, ["crawl", "http://127.0.0.1:9/", *options])
    assert ran.exit_code == 2
    assert problem in ran.stderr
