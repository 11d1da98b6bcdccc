"""The banner of the report that names the limits that cut the crawl."""

from wavecrawl.adapters.analytics.report.markup import html_text
from wavecrawl.domain.counts import counted
from wavecrawl.domain.crawl.reached_limits import reached_limits
from wavecrawl.ports.analytics import CrawlSummary


def limits_banner(summary: CrawlSummary) -> str:
    """Return a banner that names each limit that cut the crawl; "" if none did."""
    lines = [
        f"<li><strong>{counted(one.urls, 'known URL')} unread:</strong> {html_text(f'{one.cause}. {one.advice}')}</li>"
        for one in reached_limits(summary.reasons)
    ]
    if not lines:
        return ""
    return (
        '<div class="banner" role="note" aria-label="Limits"><p>This crawl did not read the whole site.</p>'
        f"<ul>{''.join(lines)}</ul></div>"
    )
