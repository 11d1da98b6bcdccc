"""Link graph, statistics and comparison as models of the API."""

from dataclasses import asdict

from wavecrawl.api_models.analysis import CrawlDiff, CrawlStatistics, Graph, GraphNode, Notice
from wavecrawl.ports.analytics import CrawlSummary
from wavecrawl.ports.results import DiffCounts, GraphPiece


def graph_model(piece: GraphPiece) -> Graph:
    """Return a part of the link graph."""
    return Graph(
        nodes=[GraphNode(**asdict(node)) for node in piece.nodes],
        links=list(piece.links),
        redirects=list(piece.redirects),
        truncated=piece.truncated,
    )


def statistics_model(summary: CrawlSummary) -> CrawlStatistics:
    """Return the statistics of a crawl."""
    same = {name: getattr(summary, name) for name in CrawlStatistics.model_fields if name != "notices"}
    return CrawlStatistics(**same, notices=[Notice(**asdict(notice)) for notice in summary.notices])


def diff_model(base: str, crawl: str, counts: DiffCounts) -> CrawlDiff:
    """Return the number of differences."""
    return CrawlDiff(base=base, crawl=crawl, **asdict(counts), differences=[], next_cursor=None)
