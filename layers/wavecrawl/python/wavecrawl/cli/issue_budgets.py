"""Budgets of issues (`--fail-on`): how many issues of a kind or severity a crawl may have, for checks in CI."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
from isal import igzip

from wavecrawl.domain.graph.issue import IssueName, Severity
from wavecrawl.domain.graph.issue_kinds import ISSUE_KINDS
from wavecrawl.domain.pages.control_characters import without_controls
from wavecrawl.errors import InvalidInputError

_MOST_NAMED = 100  # issues of a failed check


@dataclass(frozen=True, slots=True, kw_only=True)
class IssueBudget:
    """The number of issues that a crawl may have, of one kind, or of all kinds of a severity."""

    name: str  # as given, such as "broken_link" or "error"
    kinds: frozenset[IssueName]
    allowed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedBudget:
    """A budget and the number of issues that count towards it."""

    budget: IssueBudget
    found: int

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
    if name in set(IssueName):
        kinds = frozenset({IssueName(name)})
    elif name in set(Severity):
        kinds = frozenset(kind.name for kind in ISSUE_KINDS.values() if kind.severity == name)
    else:
        known = ", ".join([*Severity, *IssueName])
        raise InvalidInputError(f"--fail-on {text}: {name!r} is no severity and no kind of issue; name one of {known}")
    if not (number.isascii() and number.isdigit()):
        raise InvalidInputError(f"--fail-on {text}: add the number of issues that are allowed, such as {name}:0")
    return IssueBudget(name=name, kinds=kinds, allowed=int(number))


def checked_budgets(budgets: Sequence[IssueBudget], issues: Mapping[str, int]) -> list[CheckedBudget]:
    """Return the budgets with the issues of a crawl, which are given as the number per kind."""
    return [CheckedBudget(budget=one, found=sum(issues.get(kind, 0) for kind in one.kinds)) for one in budgets]


def write_junit(checked: Sequence[CheckedBudget], path: Path, *, site: str, results: Path) -> None:
    """Write the checks as JUnit XML, one test case per budget; a failure names the first 100 issues.

    Raise InvalidInputError if the file cannot be written.
    """
    failures = str(sum(one.exceeded for one in checked))
    suite = ET.Element("testsuite", name=f"wavecrawl {site}", tests=str(len(checked)), failures=failures)
    for one in checked:
        case = ET.SubElement(suite, "testcase", classname="wavecrawl.issues", name=one.budget.name)
        if one.exceeded:
            failure = ET.SubElement(case, "failure", message=str(one))
            failure.text = "\n".join(islice(_lines(one.budget, results / "issues.jsonl.gz"), _MOST_NAMED))
    try:
        ET.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)
    except OSError as error:
        raise InvalidInputError(f"--junit {path} cannot be written: {error.strerror or error}") from error


def _lines(budget: IssueBudget, path: Path) -> Iterator[str]:
    decoder = msgspec.json.Decoder(_Issue)
    with igzip.open(path) as lines:  # type: ignore[no-untyped-call]  # isal types its C part only
        for line in lines:
            issue = decoder.decode(line)
            if issue.kind in budget.kinds:
                parts = (issue.kind.value, issue.url, issue.related, issue.detail)
                yield without_controls(" | ".join(part for part in parts if part))
