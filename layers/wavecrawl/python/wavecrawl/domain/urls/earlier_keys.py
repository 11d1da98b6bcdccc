"""The url keys of earlier versions, for which `?q=a+b` and `?q=a%20b` were two pages (ADR 2).

The key of a URL with `%20` is what it was. That of a URL with `+` in its query is another one now. It cannot be derived
from the earlier key, as it is a hash, but from the fetch URL, which is stored beside it. The parameters that the
settings ignored are found by trying: with the right ones, the earlier key results.
"""

from collections.abc import Callable, Iterator
from itertools import chain, combinations, islice
from typing import Final

from wavecrawl.domain.media.kinds import media_key
from wavecrawl.domain.urls.parameters import sorted_query
from wavecrawl.domain.urls.spellings import other_spelling
from wavecrawl.domain.urls.url import as_spaces, key_of_identity, normalized_parts

_MOST_TRIES: Final = 256
"""Sets of ignored parameters that are tried: all for URLs with up to eight parameters."""


def _media_of_other(key: str) -> str:
    return media_key(other_spelling(key))


_FORMS: Final[tuple[Callable[[str], str], ...]] = (str, other_spelling, media_key, _media_of_other)
"""What is a key of a URL, given that of its page without a slash at the end: of the page, or of the file there."""


def present_key(key: str, url: str) -> str:
    """Return the url key that a stored URL has now. `key`: that under which it is stored, by any version."""
    query = url.partition("?")[2]
    if "+" not in query:
        return key
    for earlier, present in _keys(url, query):
        for form in _FORMS:
            if key == form(earlier):
                return form(present)
    return key


def earlier_key(key: str, url: str) -> str:
    """Return the url key that earlier versions gave a page whose URL has `+` for each space; "" if it has none.

    `key` and `url`: those of the page now.
    """
    query = url.partition("?")[2]
    if "+" not in query and "%20" not in query:
        return ""
    for earlier, present in _keys(url, query.replace("%20", "+")):
        for form in _FORMS:
            if key == form(present):
                return form(earlier)
    return ""


def _keys(url: str, query: str) -> Iterator[tuple[str, str]]:
    """Yield the earlier and the present key of a URL without a slash at the end, for each set of ignored parameters."""
    address, query = normalized_parts(url.partition("?")[0], query)
    parameters = [(one.partition("=")[0], one) for one in query.split("&")]
    names = dict.fromkeys(name for name, _ in parameters)
    sets = chain.from_iterable(combinations(names, number) for number in range(len(names) + 1))
    for ignored in islice(sets, _MOST_TRIES):
        kept = "&".join(one for name, one in parameters if name not in ignored)
        yield key_of_identity(address, sorted_query(kept)), key_of_identity(address, sorted_query(as_spaces(kept)))
