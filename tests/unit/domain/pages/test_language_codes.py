"""Values of hreflang: the examples of Google's documentation, of BCP 47 and common mistakes."""

import pytest

from wavecrawl.domain.pages.language_codes import hreflang_problem


@pytest.mark.parametrize("code", ["x-default", "de", "en-gb", "de-es", "zh-hans", "zh-hant-tw", "sr-latn-rs", "haw"])
def test_valid_codes(code: str) -> None:
    assert hreflang_problem(code) == ""


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("en-uk", "uk is no region of ISO 3166-1"),
        ("en-eu", "eu is no region"),
        ("es-419", "419 is no region"),
        ("be-xx", "xx is no region"),
        ("jp", "jp is no language of ISO 639-1"),
        ("us", "us is no language"),
        ("cn-zh", "cn is no language"),
        ("en_us", "not a language, optionally with a script and a region"),
        ("english", "not a language"),
        ("en-us-gb", "not a language"),
        ("x-", "not a language"),
    ],
)
def test_what_is_wrong_with_a_code_is_named(code: str, problem: str) -> None:
    assert problem in hreflang_problem(code)
