"""Link graph, statistics and comparison as models of the API."""

from dataclasses import asdict

from wavecrawl.api.serializers import same_fields
from wavecrawl.api_models.analysis import CrawlDiff, CrawlStatistics, Graph, GraphNode, Notice
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.results import DiffCounts, GraphPiece


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
    fields = same_fields(CrawlStatistics, summary) | {"notices": notices, "as_of_wave": as_of_wave}
    return CrawlStatistics(**fields)


def diff_model(base: str, crawl: str, counts: DiffCounts) -> CrawlDiff:
    """Return the number of differences."""
    return CrawlDiff(base=base, crawl=crawl, **asdict(counts), differences=[], next_cursor=None)
