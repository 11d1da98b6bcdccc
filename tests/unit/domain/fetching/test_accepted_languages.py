"""Accept-Language as a setting (RFC 9110 section 12.5.4)."""

import pytest

from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.fetching.accepted_languages import first_language
from wavecrawl.errors import InvalidSettingsError


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("", ""),
        ("de", "de"),
        ("*", ""),
        ("de-CH, de;q=0.8", "de-CH"),
        ("*,fr-FR;q=1.000", "fr-FR"),
        ("abcdefgh-x-1, de-1996, it", "it"),
        ("zh-Hant-TW;q=1.,en; q=0.123", "zh-Hant-TW"),
    ],
)
def test_lists_of_languages_are_accepted(text: str, first: str) -> None:
    assert CrawlSettings(accept_language=text).validated().accept_language == text
    assert first_language(text) == first


@pytest.mark.parametrize(
    "text", ["de\r\nX: y", " de", "de,", "de;q=2", "de;q=0.1234", "de_CH", "d", "ü", "de;x=1", ", ".join(["de"] * 60)]
)
def test_everything_else_is_refused(text: str) -> None:
    with pytest.raises(InvalidSettingsError, match="accept_language must be languages such as"):
        CrawlSettings(accept_language=text).validated()
