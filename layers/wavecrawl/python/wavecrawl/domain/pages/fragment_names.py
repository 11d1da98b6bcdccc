"""The names that the fragment of a URL can mean (`#part`), as hashes: they are compared in tables."""

import re
from urllib.parse import quote, unquote
from zlib import crc32

_LONGEST = 500  # characters of a fragment; a longer one is not looked at
_ROUTES = ("/", "!")  # what follows the "#" of a route of a script
_UNENCODED = "!#$%&'()*+,/:;=?@[\\]^{|}~"  # and letters, digits, "_.-" (URL, fragment percent-encode set)
_BITS = 0x7FFFFFFF

is_plain = re.compile(r"(?![tT][oO][pP]$)[A-Za-z0-9._-]{1,500}").fullmatch
"""Whether a fragment means one name, as most do: to look at all rules takes longer."""


def name_hash(name: str) -> int:
    """Return the hash of a name that links can lead to: 31 bits, as Athena has no unsigned numbers."""
    return crc32(name.encode("utf-8", "replace")) & _BITS


def fragment_hashes(fragment: str) -> tuple[int, ...]:
    """Return the hashes of the names that a fragment can mean; () if it leads to no named part.

    A fragment as a URL has it is compared first, then percent-decoded (HTML, section 7.4.6.4, "find a potential
    indicated element"). `#` and `#top` lead to the top of any page. `#/` and `#!` are routes of scripts.
    """
    if is_plain(fragment):
        return (crc32(fragment.encode()) & _BITS,)
    if not fragment or fragment.startswith(_ROUTES) or len(fragment) > _LONGEST:
        return ()
    decoded = unquote(fragment)
    if decoded.lower() == "top":
        return ()
    names = (fragment, quote(fragment, safe=_UNENCODED), decoded)
    return tuple(dict.fromkeys(map(name_hash, names)))
