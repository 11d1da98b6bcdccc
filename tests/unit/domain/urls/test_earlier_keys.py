"""Url keys of earlier versions, for which `+` and `%20` in queries were different."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wavecrawl.domain.media.kinds import media_key
from wavecrawl.domain.urls.earlier_keys import earlier_key, present_key
from wavecrawl.domain.urls.parameters import ParameterRules
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import Identity

SITE = "https://site.example"


def key(path: str) -> str:
    return Identity().page_url(SITE + path).key


def hashed(identity: str) -> str:
    """Return the hash of an identity, as all versions make it."""
    return blake2b(f"{SITE}{identity}".encode(), digest_size=16).hexdigest()


@pytest.mark.parametrize(
    ("url", "identity", "now"),
    [
        ("/s?q=a+b", "/s?q=a+b", "/s?q=a%20b"),
        ("/s?b=1&a=x+y", "/s?a=x+y&b=1", "/s?a=x%20y&b=1"),
        ("/s?q=a+b&ref=me", "/s?q=a+b", "/s?q=a%20b"),
        ("/s?q=%c3%bc+%7e", "/s?q=%C3%BC+~", "/s?q=%C3%BC%20~"),
        ("/%7ea?q=a+b", "/~a?q=a+b", "/~a?q=a%20b"),
        ("/?a+b", "/?a+b", "/?a%20b"),
    ],
)
def test_the_key_of_a_url_with_plus_signs_follows_from_its_url(url: str, identity: str, now: str) -> None:
    assert present_key(hashed(identity), SITE + url) == hashed(now) == key(url)
    assert present_key(key(url), SITE + url) == key(url)
    assert earlier_key(key(url), SITE + url) == hashed(identity)


def test_the_key_of_both_spellings_follows() -> None:
    earlier = other_spelling(hashed("/s?q=a+b"))
    assert present_key(earlier, f"{SITE}/s/?q=a+b") == key("/s/?q=a+b") == other_spelling(key("/s?q=a%20b"))
    assert earlier_key(key("/s/?q=a%20b"), f"{SITE}/s/?q=a%20b") == earlier


@pytest.mark.parametrize("path", ["/i.jpg?q=a+b", "/i/?q=a+b"])
def test_the_key_of_a_file_follows(path: str) -> None:
    earlier = hashed(path.replace("/?", "?"))
    earlier = media_key(other_spelling(earlier) if "/?" in path else earlier)
    assert present_key(earlier, SITE + path) == media_key(key(path)) != earlier
    assert earlier_key(media_key(key(path)), SITE + path) == earlier


def test_a_page_that_is_found_with_escapes_has_the_earlier_key_of_plus_signs() -> None:
    assert earlier_key(key("/s?q=a%20b"), f"{SITE}/s?q=a%20b") == hashed("/s?q=a+b")


@pytest.mark.parametrize("path", ["/", "/a+b", "/a%20b", "/s?q=a%2Bb", "/s?q=ab", "/a+b?q=c"])
def test_other_urls_have_the_keys_that_they_had(path: str) -> None:
    assert present_key(key(path), SITE + path) == key(path)
    assert earlier_key(key(path), SITE + path) == ""


@pytest.mark.parametrize("url", [f"{SITE}/s?q=a+b", "urn:x?a+b", "?+", ""])
def test_a_key_that_does_not_belong_to_its_url_stays(url: str) -> None:
    assert present_key("0" * 32, url) == "0" * 32
    assert earlier_key("0" * 32, url) == ""


_TEXT = st.text("ab+&=%;", max_size=8).map(lambda text: text.replace("%", "%20").replace(";", "%2B"))


@given(query=_TEXT, ignored=st.sets(st.sampled_from(["a", "b", "ab", ""])))
def test_any_query_of_any_rules_gets_the_key_that_it_has_now(query: str, ignored: set[str]) -> None:
    rules = Identity(parameters=ParameterRules(ignored=tuple(sorted(ignored))))
    page = rules.page_url(f"{SITE}/x?{query}")
    kept = [one for one in query.split("&") if one and one.partition("=")[0].replace("+", " ") not in ignored]
    earlier = hashed("/x?" + "&".join(sorted(kept, key=lambda one: one.partition("=")[0])))
    assert present_key(earlier, page.url) == page.key
