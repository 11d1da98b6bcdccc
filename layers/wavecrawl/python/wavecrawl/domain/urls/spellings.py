"""The two spellings of a path: `/x` and `/x/`.

They are two URLs (RFC 3986, section 6.2.3), so each has a url key of its own. The keys differ in their last bit alone:
the key of one spelling follows from that of the other, also in SQL, and a page of a site that was crawled before the
slash belonged to the identity is found under one of both (ADR 2).
"""

from typing import Final

SHARED: Final = 31
"""The number of hex digits that the url keys of both spellings share."""

DIGITS: Final = "0123456789abcdef"
OTHER_DIGITS: Final = "1032547698badcfe"
"""The last digit of the key of the other spelling, for each of DIGITS."""

_OTHER = dict(zip(DIGITS, OTHER_DIGITS, strict=True))


def other_spelling(key: str) -> str:
    """Return the url key of the other spelling of a URL: with a slash at the end of its path, or without."""
    return key[:-1] + _OTHER.get(key[-1:], "")


def are_spellings(key: str, other: str) -> bool:
    """Return whether two url keys are those of the two spellings of a path."""
    return key[:SHARED] == other[:SHARED] and other == other_spelling(key)


def ends_in_slash(url: str) -> bool:
    """Return whether the path of a fetch URL ends in a slash and has a spelling without it. That of a root has not."""
    if not url.endswith("/") and "/?" not in url:
        return False  # most URLs; the rest is slower
    address = url.partition("?")[0]
    return address.endswith("/") and address.find("/", address.find("//") + 2) < len(address) - 1


def key_of_page(key: str, url: str) -> str:
    """Return the url key that both spellings of a URL have in common: that of the spelling without the slash."""
    return other_spelling(key) if ends_in_slash(url) else key
