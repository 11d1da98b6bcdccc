"""Budgets of issues (`--fail-on`): how many issues of a kind or severity a crawl may have, for checks in CI."""

import csv
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Literal
from xml.etree import ElementTree as ET

import msgspec
from isal import igzip

from wavecrawl.domain.checks.checked_issues import CHECKED_ISSUES, CHECKED_KINDS
from wavecrawl.domain.checks.kinds import CheckKind
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.reached_limits import reached_limits
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.graph.completeness import WITHOUT_SITEMAPS
from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import reported_kinds
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.pages.control_characters import without_controls
from wavecrawl.errors import InvalidInputError

UNREAD: Final = "unread_url"
"""The name of a budget for known URLs that the crawl did not read, as it reached a limit."""

_MOST_NAMED = 100  # issues of a failed check
_UNCHECKED: Final = {
    Reason.BLOCKED_ADDRESS: "the addresses of their hosts are not public (--allow-address ADDRESS)",
    Reason.DENIED_HOST: "the operator does not allow requests to their hosts",
    Reason.MAX_REQUESTS: "the crawl reached its limit of requests (--set max_requests=NUMBER)",
    Reason.MAX_CHECKS: "the limit was reached (--set checks.max_urls=NUMBER)",
}
"""Why a crawl does not check URLs that it was to check."""

Unchecked = Mapping[CheckKind, Mapping[Reason, int]]
"""The number of URLs that were not checked, by kind and reason."""


class IssueBudget(msgspec.Struct, frozen=True, kw_only=True):
    """The number of issues that a crawl may have, of one kind, or of all kinds of a severity; or of unread URLs."""

    name: IssueName | Severity | Literal["unread_url"]
    allowed: int

    @property
    def check(self) -> CheckKind | None:
        """The kind of checked URLs that have the issues; None if the issues need no checks."""
        return next((kind for name, kind in CHECKED_ISSUES.items() if name == self.name), None)

    def kinds(self, settings: CrawlSettings) -> frozenset[IssueName]:
        """Return the kinds of issues that count in a crawl with these settings.

        Raise InvalidInputError if the settings turn off what the budget is for, or do not turn it on.
        """
        if self.name in settings.issues.off:
            raise InvalidInputError(f"--fail-on {self.name}: issues.off turns this check off; remove it there")
        stores = self.check is CheckKind.IMAGE and MediaGroup.IMAGES in settings.media.include
        if self.check is not None and not stores:
            what = "external" if self.check is CheckKind.LINK else "resources"
            if not getattr(settings.checks, what):
                raise InvalidInputError(
                    f"--fail-on {self.name}: only a crawl with --check-{what} (setting checks.{what}) finds such issues"
                )
        if self.name is IssueName.ORPHAN and settings.discovery in WITHOUT_SITEMAPS:
            raise InvalidInputError(
                f"--fail-on {self.name}: a crawl with discovery {settings.discovery.value} reads no sitemaps, so it "
                "finds no orphans"
            )
        reported = reported_kinds(settings.issues).values()
        return frozenset(kind.name for kind in reported if self.name in (kind.name, kind.severity))


class CheckedBudget(msgspec.Struct, frozen=True, kw_only=True):
    """A budget and the number of issues that count towards it."""

    budget: IssueBudget
    kinds: frozenset[IssueName]
    found: int
    unchecked: str = ""  # why issues may be missing, as URLs were not checked or no sitemap was read; "" = none are

    @property
    def exceeded(self) -> bool:
        """Whether there are more issues than allowed."""
        return self.found > self.budget.allowed

    def __str__(self) -> str:
        """Say how many issues there are."""
        return f"{self.found:,} {self.budget.name}, {self.budget.allowed:,} allowed"


class _Issue(msgspec.Struct):
    """The fields of a line of issues.jsonl.gz."""

    kind: IssueName
    url: str
    related: str | None = ""
    detail: str | None = ""


def issue_budget(text: str) -> IssueBudget:
    """Return the budget that `--fail-on` names: KIND:NUMBER or SEVERITY:NUMBER. Raise InvalidInputError."""
    name, _, number = text.partition(":")
    budgeted = next((one for one in (*Severity, *IssueName, UNREAD) if one == name), None)
    if budgeted is None:
        known = ", ".join([*Severity, UNREAD, *IssueName])
        raise InvalidInputError(f"--fail-on {text}: {name!r} is no severity and no kind of issue; name one of {known}")
    if not (number.isascii() and number.isdigit()):
        raise InvalidInputError(f"--fail-on {text}: add the number of issues that are allowed, such as {name}:0")
    return IssueBudget(name=budgeted, allowed=int(number))


def unread_urls(reasons: Mapping[str, int]) -> int:
    """Return the number of known URLs that a crawl did not read because of a limit, given its URLs per reason."""
    return sum(limit.urls for limit in reached_limits(reasons))


def incomplete(unread: int) -> str:
    """Return the warning that a crawl is incomplete, "" if it left no known URL unread."""
    urls = counted(unread, "known URL was", "known URLs were")
    return f"the crawl is incomplete, so issues may be missing: {urls} not read because of a limit" if unread else ""


def unchecked_urls(results: Path) -> Unchecked:
    """Return how many URLs a crawl did not check because of a limit or their address, given its results."""
    found: dict[CheckKind, Counter[Reason]] = {}
    path = results / "checks.csv"
    if path.is_file():
        with path.open(encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                if row["reason"] in _UNCHECKED:
                    found.setdefault(CheckKind(row["kind"]), Counter())[Reason(row["reason"])] += 1
    return found


def checked_budgets(
    budgets: Sequence[IssueBudget],
    issues: Mapping[str, int],
    settings: CrawlSettings,
    *,
    unread: int,
    unchecked: Unchecked | None = None,
    no_orphans: str = "",
) -> list[CheckedBudget]:
    """Return the budgets with the issues of a crawl, which are given as the number per kind.

    `no_orphans`: why nothing definite is known of orphans, which then do not count; "" if it is.
    """
    unsure = frozenset((IssueName.ORPHAN,)) if no_orphans else frozenset()
    budgeted = [(one, one.kinds(settings) - unsure) for one in budgets]
    return [
        CheckedBudget(
            budget=one,
            kinds=kinds,
            found=unread if one.name == UNREAD else sum(issues.get(kind, 0) for kind in kinds),
            unchecked=no_orphans if one.name is IssueName.ORPHAN else _unchecked(kinds, unchecked or {}),
        )
        for one, kinds in budgeted
    ]


def _unchecked(kinds: frozenset[IssueName], unchecked: Unchecked) -> str:
    """Return how many URLs that can have issues of these kinds were not checked, and why; "" if all were."""
    checks = {CHECKED_KINDS[kind] for kind in kinds if kind in CHECKED_KINDS}
    numbers = sum((Counter(found) for kind, found in unchecked.items() if kind in checks), Counter[Reason]())
    parts = (
        f"{counted(numbers[one], 'URL was', 'URLs were')} not checked: {_UNCHECKED[one]}" for one in sorted(numbers)
    )
    return "; ".join(parts)


def write_junit(checked: Sequence[CheckedBudget], path: Path, *, site: str, results: Path, unread: int) -> None:
    """Write the checks as JUnit XML, one test case per budget; a failure names the first 100 issues.

    The test case of a kind is skipped if URLs were not checked and the others have no more issues than allowed. Another
    test case, `complete`, is skipped if the crawl left known URLs unread.
    Raise InvalidInputError if the file cannot be written.
    """
    warning = incomplete(unread)
    suite, complete = _suite(site)
    if warning:
        ET.SubElement(complete, "skipped", message=warning)
    for one in checked:
        case = ET.SubElement(suite, "testcase", classname="wavecrawl.issues", name=one.budget.name)
        if one.exceeded:
            failure = ET.SubElement(case, "failure", message=str(one))
            failure.text = "\n".join(first_issues(one, results, most=_MOST_NAMED))
        elif one.unchecked and (one.budget.check is not None or one.budget.name is IssueName.ORPHAN):
            ET.SubElement(case, "skipped", message=one.unchecked)
    _write(suite, path)


def write_failure(why: str, path: Path, *, site: str) -> None:
    """Write JUnit XML of a crawl that failed: the test case `complete` with an error. Raise InvalidInputError."""
    suite, complete = _suite(site)
    ET.SubElement(complete, "error", message=without_controls(why))
    _write(suite, path)


def first_issues(checked: CheckedBudget, results: Path, *, most: int) -> list[str]:
    """Return the first issues that count towards a budget, one line each."""
    return list(islice(_lines(checked.kinds, results / "issues.jsonl.gz"), most))


def _suite(site: str) -> tuple[ET.Element, ET.Element]:
    """Return a test suite and its test case `complete`."""
    suite = ET.Element("testsuite", name=f"wavecrawl {site}")
    return suite, ET.SubElement(suite, "testcase", classname="wavecrawl", name="complete")


def _write(suite: ET.Element, path: Path) -> None:
    counted = {"tests": "testcase", "failures": "testcase/failure", "errors": "testcase/error"}
    for name, found in (counted | {"skipped": "testcase/skipped"}).items():
        suite.set(name, str(len(suite.findall(found))))
    try:
        ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise InvalidInputError(f"--junit {path} cannot be written: {error.strerror or error}") from error


def _lines(kinds: frozenset[IssueName], path: Path) -> Iterator[str]:
    decoder = msgspec.json.Decoder(_Issue)
    with igzip.open(path) as lines:  # type: ignore[no-untyped-call]  # isal types its C part only
        for line in lines:
            issue = decoder.decode(line)
            if issue.kind in kinds:
                parts = (issue.kind.value, issue.url, issue.related, issue.detail)
                yield without_controls(" | ".join(part for part in parts if part))
