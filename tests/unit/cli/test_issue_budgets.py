"""Budgets of issues: `--fail-on` and `--junit`."""

from pathlib import Path

import pytest
from lxml import etree
from tests.support.crawling import QUICK, crawl_inline
from typer.testing import CliRunner

from wavecrawl.cli.issue_budgets import checked_budgets, issue_budget, write_junit
from wavecrawl.cli.main import app
from wavecrawl.demo.demo_site import demo_site
from wavecrawl.demo.server import SiteServer
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.errors import InvalidInputError

ISSUES = {"broken_link": 2, "redirect_loop": 1, "orphan": 5}


@pytest.mark.parametrize(
    ("text", "found", "exceeded"),
    [
        ("broken_link:1", 2, True),
        ("broken_link:2", 2, False),
        ("error:2", 3, True),
        ("warning:5", 5, False),
        ("notice:0", 0, False),
    ],
)
def test_issues_of_a_kind_or_severity_are_counted(text: str, found: int, exceeded: bool) -> None:  # noqa: FBT001 - a case
    (checked,) = checked_budgets([issue_budget(text)], ISSUES, IssueSettings())
    assert (checked.found, checked.exceeded) == (found, exceeded)
    assert str(checked) == f"{found} {text.replace(':', ', ')} allowed"


def test_severities_of_the_settings_count() -> None:
    checks = IssueSettings(as_error=(IssueName.ORPHAN,), as_notice=(IssueName.BROKEN_LINK,))
    budgets = [issue_budget("error:0"), issue_budget("warning:0"), issue_budget("notice:0")]
    assert [one.found for one in checked_budgets(budgets, ISSUES, checks)] == [1 + 5, 0, 2]


def test_a_budget_of_a_check_that_is_off_is_refused() -> None:
    with pytest.raises(InvalidInputError, match=r"--fail-on orphan: issues\.off turns this check off"):
        issue_budget("orphan:0").kinds(IssueSettings(off=(IssueName.ORPHAN,)))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("broken", "'broken' is no severity and no kind of issue; name one of error, warning, notice, broken_link"),
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
    write_junit(checked_budgets(budgets, done.summary.issues, QUICK.issues), path, site="demo", results=done.exports)
    suite = etree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    broken, errors = suite.findall("testcase")
    assert (errors.get("name"), list(errors)) == ("error", [])
    (failure,) = broken
    number = done.summary.issues["broken_link"]
    assert failure.get("message") == f"{number} broken_link, 0 allowed"
    lines = (failure.text or "").splitlines()
    assert len(lines) == number
    assert f"broken_link | {server.origin}/trouble/missing | {server.origin}/trouble/ | not_found 404: missing" in lines
    with pytest.raises(InvalidInputError, match="cannot be written: No such file"):
        write_junit([], tmp_path / "none" / "x.xml", site="demo", results=done.exports)


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
