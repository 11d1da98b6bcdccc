"""The figures that people see in the dashboard are those of summary.json (docs/figures.md)."""

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from playwright.sync_api import Browser
from tests.support.crawling import Done, crawl_inline
from tests.support.dashboard import Visitor, must_be_built, visitor
from tests.support.five_crawls import FIVE, five_crawls
from tests.support.serving import Served, served

from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS

ERRORS = ("forbidden", "not_found", "http_error", "failed")
ROWS = "section[aria-labelledby={}] li"
READ_ROWS = (
    """rows => rows.map(row => [row.firstElementChild.innerText.trim(), row.lastElementChild.innerText.trim()])"""
)
READ_FIGURES = """values => values.map(one => [one.previousElementSibling.innerText.trim(), one.innerText.trim()])"""


@pytest.fixture(name="crawls", scope="module")
def _crawls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, Mapping[str, Done]]]:
    """Return a service over one folder with all five crawls."""
    must_be_built()
    folder = tmp_path_factory.mktemp("figures")
    made = five_crawls(crawl_inline, lambda _: folder)
    with served(folder, "--requests-a-minute", "100000") as service:
        yield service, made


@pytest.fixture(name="person", scope="module")
def _person(crawls: tuple[Served, Mapping[str, Done]], desktop: Browser) -> Iterator[Visitor]:
    service, _ = crawls
    with visitor(desktop, f"{service.url}/#key={service.key}") as person:
        yield person


def opened(person: Visitor, done: Done, view: str = "") -> None:
    """Load a view of a crawl in the same window, so that nothing of another crawl is left in it."""
    person.page.evaluate("path => { location.hash = path }", f"#/crawls/{done.row.id.crawl}{view}")
    person.page.reload()


def shown_in(person: Visitor, section: str) -> dict[str, str]:
    """Return the rows of a card of the overview: label -> number."""
    rows = person.page.locator(ROWS.format(section))
    rows.first.wait_for()
    return dict(rows.evaluate_all(READ_ROWS))


@pytest.mark.parametrize("name", FIVE)
def test_the_overview_shows_the_figures_of_the_summary(
    crawls: tuple[Served, Mapping[str, Done]], person: Visitor, name: str
) -> None:
    done = crawls[1][name]
    summary = done.summary
    opened(person, done)
    states = shown_in(person, "states")
    assert states == {state.replace("_", " "): f"{number:,}" for state, number in summary.states.items()}
    issues = shown_in(person, "issues")
    assert issues == {ISSUE_KINDS[IssueName(kind)].title: f"{number:,}" for kind, number in summary.issues.items()}
    findings = shown_in(person, "findings")
    orphans = "unknown" if summary.orphans is None else str(sum(summary.orphans.values()))
    duplicates = summary.duplicates.get("exact", 0) + summary.duplicates.get("near", 0)
    assert (findings["Orphan pages"], findings["Duplicates"], findings["Similar pages to review"]) == (
        orphans,
        str(duplicates),
        str(summary.duplicates.get("review", 0)),
    )
    figures = dict(person.page.locator(".figure-value").evaluate_all(READ_FIGURES))
    errors = sum(summary.states.get(state, 0) for state in ERRORS)
    assert (figures["Pages"], figures["URLs with errors"]) == (str(summary.pages), str(errors))


@pytest.mark.parametrize("name", FIVE)
def test_the_lists_of_pages_and_urls_have_as_many_rows(
    crawls: tuple[Served, Mapping[str, Done]], person: Visitor, name: str
) -> None:
    done = crawls[1][name]
    requested = sum(done.summary.statuses.values())
    for query, rows in (("", requested), ("?list=urls", done.summary.urls)):
        opened(person, done, f"/pages{query}")
        text = f"{rows:,} row" if rows == 1 else f"{rows:,} rows"
        person.page.get_by_role("status").get_by_text(text, exact=True).wait_for()


@pytest.mark.parametrize("name", FIVE)
def test_the_view_of_issues_counts_each_kind(
    crawls: tuple[Served, Mapping[str, Done]], person: Visitor, name: str
) -> None:
    done = crawls[1][name]
    opened(person, done, "/issues")
    kinds = person.page.locator(".issue-kind")
    kinds.first.wait_for()
    read = "all => all.map(one => [one.querySelector('h2').innerText, one.querySelector('.issue-count').innerText])"
    found = dict(kinds.evaluate_all(read))
    assert found == {ISSUE_KINDS[IssueName(kind)].title: f"{n:,}" for kind, n in done.summary.issues.items()}
    by_severity: Counter[Severity] = Counter()
    for kind, number in done.summary.issues.items():
        by_severity[ISSUE_KINDS[IssueName(kind)].severity] += number
    buttons = person.page.get_by_role("group", name="Severity").get_by_role("button").all_inner_texts()
    assert [int(text.split()[0]) for text in buttons[1:]] == [by_severity[one] for one in Severity]
