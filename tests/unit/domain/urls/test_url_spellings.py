import duckdb
import pytest

from wavecrawl.adapters.analytics import spellings as in_sql
from wavecrawl.domain.urls.spellings import are_spellings, ends_in_slash, key_of_page, other_spelling
from wavecrawl.domain.urls.url import Identity

URLS = [
    ("https://example.com/", False),
    ("https://example.com:8080/", False),
    ("https://example.com/?a=1/", False),
    ("https://example.com/x", False),
    ("https://example.com/x?next=/a/", False),
    ("https://example.com/x/", True),
    ("https://example.com/x/?a=1", True),
    ("https://example.com/x/y/", True),
    ("https://example.com//", True),
]


@pytest.mark.parametrize(("url", "slash"), URLS)
def test_a_path_ends_in_a_slash_or_not(url: str, *, slash: bool) -> None:
    assert ends_in_slash(url) is slash
    assert duckdb.connect().execute(f"SELECT {in_sql.ends_in_slash('$1')}", [url]).fetchone() == (slash,)


@pytest.mark.parametrize("digit", "0123456789abcdef")
def test_the_other_spelling_of_the_other_spelling_is_the_first(digit: str) -> None:
    key = "0" * 31 + digit
    other = other_spelling(key)
    assert other != key == other_spelling(other)
    assert are_spellings(key, other)
    assert duckdb.connect().execute(f"SELECT {in_sql.other_key('$1')}", [key]).fetchone() == (other,)


def test_keys_are_spellings_of_one_path_or_not() -> None:
    key = Identity().page_url("https://example.com/x").key
    assert not are_spellings(key, key)
    assert not are_spellings(key, "")
    assert not are_spellings(key, Identity().page_url("https://example.com/y/").key)


def test_both_spellings_have_the_key_of_the_page_in_common() -> None:
    one, other = (Identity().page_url(f"https://example.com/x{end}") for end in ("", "/"))
    assert key_of_page(one.key, one.url) == key_of_page(other.key, other.url) == one.key
