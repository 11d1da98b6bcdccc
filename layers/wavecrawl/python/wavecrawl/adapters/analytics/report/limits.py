"""What limits kept a crawl from reading, and which setting to change."""

from wavecrawl.adapters.analytics.report.markup import counted
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.ports.analytics import CrawlSummary

_CAUSES = {
    Reason.MAX_PAGES: ("the crawl reached its limit of pages", "Raise --max-pages (setting max_pages)."),
    Reason.MAX_DEPTH: ("they are deeper than the limit of depth", "Raise --max-depth (setting max_depth)."),
    Reason.BUDGET: ("the crawl reached its budget", "Raise the setting budget_usd."),
    Reason.TIME_LIMIT: ("the crawl reached its limit of time", "Raise --max-seconds (setting max_seconds)."),
    Reason.MAX_TRIES: ("the crawl reached its limit of requests", "Raise --max-tries (setting max_tries)."),
    Reason.FRONTIER_CAP: ("more URLs were waiting than the limit", "Raise --max-frontier (setting max_frontier)."),
    Reason.CANCELLED: ("the crawl was cancelled", "Resume it to read them."),
    Reason.MAX_ASSETS: ("the crawl reached its limit of media", "Raise the setting media.max_assets."),
}


def limits_banner(summary: CrawlSummary) -> str:
    """Return a banner that names each limit that cut the crawl; "" if none did."""
    lines = [
        f"<li><strong>{counted(summary.reasons[reason], 'known URL', 'known URLs')} unread:</strong> {cause}. "
        f"{advice}</li>"
        for reason, (cause, advice) in _CAUSES.items()
        if summary.reasons.get(reason)
    ]
    if not lines:
        return ""
    return (
        '<div class="banner" role="note" aria-label="Limits"><p>This crawl did not read the whole site.</p>'
        f"<ul>{''.join(lines)}</ul></div>"
    )
