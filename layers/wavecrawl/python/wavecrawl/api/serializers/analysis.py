"""Link graph, statistics and comparison as models of the API."""

from collections.abc import Mapping

from msgspec.structs import asdict

from wavecrawl.api.serializers import same_fields
from wavecrawl.api_models.analysis import (
    CheckCount,
    CrawlDiff,
    CrawlStatistics,
    CrawlTiming,
    Graph,
    GraphNode,
    IssueGroup,
    MediaCount,
    Notice,
    Objective,
    ReachedLimit,
    TextChange,
)
from wavecrawl.domain.crawl.reached_limits import reached_limits
from wavecrawl.domain.graph.issue_kinds import reported_kinds
from wavecrawl.domain.graph.issue_settings import IssueSettings
from wavecrawl.domain.pages.text_diff import DiffLimits, text_diff
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.results import ChangedText, DiffCounts, GraphPiece


def graph_model(piece: GraphPiece, *, as_of_wave: int | None) -> Graph:
    """Return a part of the link graph."""
    return Graph(
        nodes=[GraphNode(**asdict(node)) for node in piece.nodes],
        links=list(piece.links),
        redirects=list(piece.redirects),
        truncated=piece.truncated,
        as_of_wave=as_of_wave,
    )


def statistics_model(summary: CrawlSummary, *, as_of_wave: int | None) -> CrawlStatistics:
    """Return the statistics of a crawl."""
    notices = [Notice(**asdict(notice)) for notice in summary.notices]
    objectives = [Objective(**asdict(one)) for one in summary.objectives]
    limits = [ReachedLimit(**asdict(one)) for one in reached_limits(summary.reasons)]
    media = {kind: MediaCount(**asdict(counts)) for kind, counts in summary.media.items()}
    checks = {kind: CheckCount(**asdict(counts)) for kind, counts in summary.checks.items()}
    converted = {"notices": notices, "objectives": objectives, "limits": limits, "media": media, "checks": checks}
    converted |= {"timing": CrawlTiming(**asdict(summary.timing))}
    fields = same_fields(CrawlStatistics, summary) | converted
    return CrawlStatistics(**fields, as_of_wave=as_of_wave)


def issue_groups(counts: Mapping[str, int], settings: IssueSettings) -> list[IssueGroup]:
    """Return the kinds that have issues, given the number of issues per kind."""
    return [
        IssueGroup(**same_fields(IssueGroup, kind), kind=kind.name, issues=counts[kind.name])
        for kind in reported_kinds(settings).values()
        if counts.get(kind.name)
    ]


def text_change_model(texts: ChangedText, limits: DiffLimits) -> TextChange:
    """Return what changed in a text."""
    found = text_diff(texts.before, texts.now, limits)
    return TextChange(
        key=texts.key,
        url=texts.url,
        diff=found.text,
        added=found.added,
        removed=found.removed,
        truncated=found.truncated,
    )


def diff_model(base: str, crawl: str, counts: DiffCounts) -> CrawlDiff:
    """Return the number of differences."""
    return CrawlDiff(base=base, crawl=crawl, **asdict(counts), differences=[], next_cursor=None)
