"""What may be added to the User-Agent (RFC 9110 section 10.1.5)."""

import pytest

from wavecrawl.adapters.http.user_agent import user_agent
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.errors import InvalidSettingsError
from wavecrawl.version import __version__


@pytest.mark.parametrize("suffix", ["", "audit/2.1", "a b/1 (a comment, with; signs)", "(+https://example.com/bot)"])
def test_products_and_comments_may_be_added(suffix: str) -> None:
    assert CrawlSettings(user_agent_suffix=suffix).validated().user_agent_suffix == suffix


@pytest.mark.parametrize("suffix", ["a\r\nX: y", " a", "a ", "a/", "a/1/2", "(open", "a)", "\u00fc", "a\tb", "x" * 201])
def test_everything_else_is_refused(suffix: str) -> None:
    with pytest.raises(InvalidSettingsError, match="user_agent_suffix must be products"):
        CrawlSettings(user_agent_suffix=suffix).validated()


def test_it_follows_the_contact() -> None:
    expected = f"wavecrawl/{__version__} (+https://example.com/) audit/2.1"
    assert user_agent("https://example.com/", "audit/2.1") == expected
    assert user_agent("", "audit/2.1") == f"wavecrawl/{__version__} audit/2.1"
