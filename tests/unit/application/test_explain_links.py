"""Why a URL is not in a crawl, if pages link to it."""

from wavecrawl.application.explain_url import Explanation
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.ports.results import LinkSource


def unknown(*linked_from: LinkSource, would_be: Reason = Reason.NONE) -> Explanation:
    return Explanation(
        url="https://example.com/x", key="k", ledger=None, would_be=would_be, record=None, linked_from=linked_from
    )


def test_a_url_that_pages_link_to_is_not_said_to_have_no_links() -> None:
    source = LinkSource(url="https://example.com/", text="X")
    assert unknown(source).because == "pages link to it, but the crawl has not followed these links"
    assert unknown().because == "no crawled page links to it, and no sitemap lists it"


def test_the_settings_that_exclude_a_url_come_first() -> None:
    source = LinkSource(url="https://example.com/", text="X")
    assert "links" not in unknown(source, would_be=Reason.EXCLUDED).because
