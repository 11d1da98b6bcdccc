"""The rules against traps: they learn from fetched pages, and decide which found URLs are suppressed."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from msgspec import Struct

from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.focus.risks import Risks
from wavecrawl.domain.traps import calendar
from wavecrawl.domain.traps.alike import AlikeRule, folder_of
from wavecrawl.domain.traps.calendar import CalendarRule
from wavecrawl.domain.traps.copies import CopyRule
from wavecrawl.domain.traps.evidence import PageEvidence
from wavecrawl.domain.traps.families import Families, Family
from wavecrawl.domain.traps.forms import is_special
from wavecrawl.domain.traps.json_responses import JsonRule, names_json
from wavecrawl.domain.traps.missing import MissingPages
from wavecrawl.domain.traps.pagination import PaginationRule, series_of
from wavecrawl.domain.traps.parameters import ParameterRule
from wavecrawl.domain.traps.segments import repeated, repetition
from wavecrawl.domain.traps.session import KIND as SESSION
from wavecrawl.domain.traps.session import SessionRule
from wavecrawl.domain.traps.settings import TrapSettings
from wavecrawl.domain.traps.template import TemplateRule
from wavecrawl.domain.traps.tokens import places_of_tokens
from wavecrawl.domain.urls.templates import parameter_names, template_of

_OF_SPECIAL_URLS = ("calendar ", "pagination ", "parameter ", SESSION)  # families whose URLs `is_special` knows


class Rule(Protocol):
    """A rule against one kind of trap."""

    @property
    def reason(self) -> Reason:
        """Why its URLs are suppressed."""
        ...

    def learn(self, page: PageEvidence, families: Families, *, ancestors: tuple[str, ...]) -> None:
        """Learn a fetched page; `ancestors` are the pages through which it was found, its parent first."""
        ...

    def keys(self, url: str, *, parent: str) -> Sequence[str]:
        """Return the families that a URL that was found on `parent` belongs to."""
        ...


class GradualRule(Rule, Protocol):
    """A rule whose families start with few URLs in a wave."""

    def missing(self, family: Family) -> int:
        """Return how many further pages with nothing new close a family."""
        ...


class Suppression(Struct, frozen=True, kw_only=True, gc=False):
    """Why a URL is suppressed."""

    reason: Reason
    evidence: str  # one line with the figures, and up to three URLs it was compared with


class TrapRules:
    """All enabled rules, in fixed order, over one state."""

    def __init__(self, settings: TrapSettings, families: Families) -> None:
        self._families = families
        self._segments = settings.segments
        template = TemplateRule(settings.template)
        json = JsonRule(settings.repeated_json)
        self._session = SessionRule(settings.session)
        optional: tuple[tuple[GradualRule, bool], ...] = (
            (self._session, settings.session.enabled),
            (CalendarRule(settings.calendar), settings.calendar.enabled),
            (PaginationRule(settings.pagination), settings.pagination.enabled),
            (ParameterRule(settings.parameters), settings.parameters.enabled),
            (json, settings.repeated_json.enabled),
        )
        enabled = [rule for rule, is_enabled in optional if is_enabled]
        self._copies = CopyRule(settings.template, families)
        alike = AlikeRule(settings.template, families)
        copies = (self._copies, alike) if settings.template.enabled else ()
        self._alike = alike
        # The template rule records what the other rules need, so it is last.
        self._always_learning: tuple[Rule, ...] = (*copies, template)
        self._learning: tuple[Rule, ...] = (*enabled, *self._always_learning)
        self._judging: tuple[Rule, ...] = (*enabled, *copies, *((template,) if settings.template.enabled else ()))
        self.missing = MissingPages(families)
        self._first_urls = settings.first_urls
        self._gradual: tuple[GradualRule, ...] = (*enabled, *copies) if settings.first_urls else ()
        self._gradual_json = tuple(rule for rule in self._gradual if rule is json)
        self._of_any_form = tuple(rule for rule in self._gradual if rule in (json, self._copies, alike))
        self._closed = len(families.closed)
        self._counted = 0  # closed families when `_against_any_form` was computed
        self._against_any_form = False  # whether any of them has URLs of any form
        self._places: frozenset[str] = frozenset()
        self._places_of = 0  # closed families when `_places` was computed

    def learn(self, page: PageEvidence, *, ancestors: tuple[str, ...]) -> None:
        """Learn a fetched page."""
        rules = self._learning if page.is_json or page.is_special else self._always_learning
        for rule in rules:
            rule.learn(page, self._families, ancestors=ancestors)

    def suppression(self, url: str, *, parent: str, but: Reason = Reason.NONE) -> Suppression | None:
        """Return why a URL that was found on `parent` is suppressed; None if it is not.

        `but`: the reason of a rule that is not asked.
        """
        if self._segments.enabled:
            evidence = repetition(url, most=self._segments.repeats, parent=parent)
            if evidence:
                return Suppression(reason=Reason.TRAP_SEGMENTS, evidence=evidence)
        if not self.has_evidence_of(url):
            return None
        for rule in self._judging:
            if rule.reason is but:
                continue
            for key in rule.keys(url, parent=parent):
                evidence = self._families.closed.get(key, "")
                if evidence:
                    return Suppression(reason=rule.reason, evidence=evidence)
        return None

    def is_copy(self, url: str) -> bool:
        """Return whether a page has the text of an earlier one."""
        return self._copies.is_copy(url)

    def would_be_copy(self, page: PageEvidence, *, parent: str) -> bool:
        """Return whether a page that was found on `parent`, and is not learned yet, has the text of an earlier one."""
        return bool(self._copies.original_of(page, parent=parent))

    def session_places(self) -> frozenset[str]:
        """Return the places of tokens whose pages were the same with other tokens."""
        closed = self._families.closed
        if len(closed) != self._places_of:
            self._places_of = len(closed)
            self._places = frozenset(key.removeprefix(SESSION) for key in closed if key.startswith(SESSION))
        return self._places

    def limits(self, url: str, *, parent: str) -> Iterator[tuple[str, int]]:
        """Yield the families of a URL that may be traps, each with the number of its URLs that a wave may have.

        These are a few, or fewer if the rule needs fewer to close the family, and as many more as were tried before
        and were not pages with nothing new. A known page under another token is limited further: pages that there was
        nothing to compare with do not count for it.
        """
        for rule, family in self._limited(url, parent):
            few = min(self._first_urls, rule.missing(family))
            new = family.tried - family.fruitless
            yield family.key, max(1, few + max(0, new))
            if rule is self._session and self._session.is_known(url, self._families):
                yield f"again {family.key}", max(1, few + max(0, new - family.alone))

    def count(self, url: str, *, parent: str) -> None:
        """Count a URL that was tried, with whatever result."""
        for _, family in self._limited(url, parent):
            self._families.use(family.key).tried += 1

    def _limited(self, url: str, parent: str) -> Iterator[tuple[GradualRule, Family]]:
        """Yield the families of a URL that may be traps, with their rules. With evidence, a family has no limit.

        What is not suppressed then is no part of the trap.
        """
        for rule in self._gradual if is_special(url) else self._of_any_form:
            for key in rule.keys(url, parent=parent):
                family = self._families.get(key)
                if family is None:
                    if rule is self._alike or (rule in self._gradual_json and not names_json(url)):
                        continue
                    family = Family(key=key)
                if rule is self._alike and not family.fruitless:
                    continue
                if not family.evidence:
                    yield rule, family

    def has_evidence_of(self, url: str) -> bool:
        """Return whether pages can be evidence against a URL, by its form. Nearly all URLs have none."""
        closed = self._families.closed
        if len(closed) != self._counted:
            self._counted = len(closed)
            self._against_any_form = any(not key.startswith(_OF_SPECIAL_URLS) for key in closed)
        return bool(closed) and (self._against_any_form or is_special(url))

    def has_new_evidence(self) -> bool:
        """Return whether pages became evidence against further URLs since the last call."""
        before, self._closed = self._closed, len(self._families.closed)
        return self._closed > before


def are_kin(parent: str, url: str) -> bool:
    """Return whether a page and a URL have the same template or folder, or are views of calendars.

    Some rules suppress a URL only if it is found on such a page. A link on another page still adds it to the crawl.
    """
    if template_of(parent) == template_of(url) or folder_of(parent) == folder_of(url):
        return True
    return is_special(url) and calendar.is_view(url) and calendar.is_view(parent)


def risks_of(url: str, families: Families) -> Risks:
    """Return the risks of a URL: by its form, and by the fetched pages of its template."""
    trap = _risk_of_form(url, families) if is_special(url) else 0.0
    segments = url.partition("?")[0].split("/")[3:]
    if len(segments) > len(set(segments)):
        trap = max(trap, 0.5 * (repeated(segments)[1] - 1))
    family = families.get(template_of(url))
    if family is None:
        return Risks(trap=min(1.0, trap))
    if family.empty > 1:
        trap += 0.25
    return Risks(trap=min(1.0, trap), duplication=family.alike / max(1, family.pages))


def _risk_of_form(url: str, families: Families) -> float:
    """Return the risk of a URL with a date, a page number, a token or parameters."""
    if calendar.is_view(url):
        return 0.5
    series = series_of(url)
    if series:
        family = families.get(f"pagination {series}")
        return 0.25 if family is not None and family.empty else 0.0
    if places_of_tokens(url):
        return 0.75
    query = url.partition("?")[2]
    return min(1.0, 0.25 * len(parameter_names(query))) if query else 0.0
