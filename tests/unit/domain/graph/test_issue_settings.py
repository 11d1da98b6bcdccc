import pytest

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS, issue_settings_of, reported_kinds
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.errors import InvalidSettingsError


def test_settings_change_which_kinds_are_reported_and_how_severe_they_are() -> None:
    checks = IssueSettings(
        off=(IssueName.ORPHAN,), as_error=(IssueName.SLOW_PAGE,), as_warning=(IssueName.BROKEN_LINK,),
        as_notice=(IssueName.REDIRECT_LOOP,),
    )  # fmt: skip
    kinds = reported_kinds(checks)
    assert set(IssueName) - set(kinds) == {IssueName.ORPHAN}
    assert {name: kind.severity for name, kind in kinds.items() if kind.severity != ISSUE_KINDS[name].severity} == {
        IssueName.SLOW_PAGE: Severity.ERROR,
        IssueName.BROKEN_LINK: Severity.WARNING,
        IssueName.REDIRECT_LOOP: Severity.NOTICE,
    }
    severities = [kind.severity for kind in kinds.values()]
    assert severities == sorted(severities, key=[*Severity].index)


def test_a_crawl_of_an_earlier_version_has_the_default_checks() -> None:
    assert issue_settings_of({"max_pages": 5}) == IssueSettings()
    assert issue_settings_of({"issues": {"off": ["orphan"], "max_title": 70}}) == IssueSettings(
        off=(IssueName.ORPHAN,), max_title=70
    )


@pytest.mark.parametrize(
    ("checks", "problem"),
    [
        (
            IssueSettings(as_error=(IssueName.ORPHAN,), as_notice=(IssueName.ORPHAN,)),
            "issues gives 'orphan' several severities",
        ),
        (IssueSettings(min_title=61), "issues.min_title must not be greater than issues.max_title: 61 and 60"),
        (IssueSettings(max_description=20), "issues.min_description must not be greater than issues.max_description"),
        (IssueSettings(max_clicks=-1), "issues.max_clicks must be between 0 and 10,000: -1"),
    ],
)
def test_contradicting_settings_are_refused(checks: IssueSettings, problem: str) -> None:
    with pytest.raises(InvalidSettingsError) as raised:
        CrawlSettings(issues=checks).validated()
    assert problem in str(raised.value)


def test_without_an_upper_limit_the_lower_one_is_free() -> None:
    checks = IssueSettings(min_title=100, max_title=0)
    assert CrawlSettings(issues=checks).validated().issues == checks
