"""URLs that are longer than `max_url_length`: they are kept cut, with the hash of the whole, and never requested.

A cut URL ends with a fragment, which no other URL of a crawl has: `https://site.example/a...#cut:5012:<hash>`.
"""

import re
from hashlib import blake2b
from string import punctuation
from urllib.parse import quote

_SCHEME = re.compile(r"https?:", re.IGNORECASE)
_KEPT = punctuation.replace("#", "")  # a fragment marks a URL that is cut
_CUT = re.compile(r"#cut:(\d+):([0-9a-f]{32})\Z")


def cut_url(url: str, *, most: int, key: str = "") -> str:
    """Return a URL without a fragment, or of a longer one than `most` characters its beginning, its length and hash.

    `key`: its url key, as the hash; "" = the hash of the URL itself.
    """
    if len(url) <= most:
        return url
    hash_ = key or blake2b(url.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return f"{url[:most]}#cut:{len(url)}:{hash_}"


def invalid_url(reference: str, base: str, *, most: int) -> str:
    """Return a reference that is no URL in the form in which a crawl keeps it: absolute, on one line, in ASCII.

    `base`: the page's URL, whose scheme a reference such as `//host` has. Only references that name a host can be
    invalid, so the rest of `base` does not matter.
    """
    absolute = reference if _SCHEME.match(reference) else f"{base.partition(':')[0]}:{reference}"
    return cut_url(quote(absolute, safe=_KEPT, errors="replace"), most=most)


def is_cut(url: str) -> bool:
    """Return whether a URL of a crawl is cut."""
    return "#" in url


def key_of_cut(url: str) -> str:
    """Return the url key of a cut URL, "" if the URL is not cut."""
    found = _CUT.search(url)
    return found[2] if found else ""


def evidence_of_cut(url: str) -> str:
    """Return how long a URL is, as one line, "" if it is not cut."""
    found = _CUT.search(url)
    return f"it has {int(found[1]):,} characters, of which {found.start():,} are kept" if found else ""
