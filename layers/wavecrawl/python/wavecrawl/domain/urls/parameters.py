"""Which parameters of a URL are requested, and which decide its identity."""

import re
from collections.abc import Callable, Iterable
from urllib.parse import unquote, unquote_plus

from msgspec import Struct

from wavecrawl.domain.urls.limits import IGNORED_PARAMETERS, SESSION_PARAMETERS, TRACKING_PARAMETERS

# 16 or more characters of hex, base64 or base64url. Some servers append their own name after a dot or "!".
# The token itself has letters: a number identifies a page.
_TOKEN = re.compile(r"(?=[^.!]*[A-Za-z])[0-9A-Za-z+/_,-]{16,}={0,2}(?:[.!][\w.!-]*)?", re.ASCII)
# Such as "news-of-november-2026", "InternationalNews" and "INTERNATIONALNEWS".
_WORDS = re.compile(r"[A-Z]?[a-z]+(?:[A-Z][a-z]{2,}|[-_][a-z0-9]+)*|[A-Z]+", re.ASCII)


class ParameterRules(Struct, frozen=True, kw_only=True):
    """The parameters that do not change a page. Case is ignored, and a final `*` matches any text.

    A struct, as it is hashed for each link.
    """

    tracking: tuple[str, ...] = TRACKING_PARAMETERS  # removed
    sessions: tuple[str, ...] = SESSION_PARAMETERS  # removed if the value looks like a session token
    ignored: tuple[str, ...] = IGNORED_PARAMETERS  # requested, but not part of the identity

    def requested(self, parameter: str) -> bool:
        """Return whether a parameter, as `name=value`, stays in the URL that is requested."""
        name, _, value = parameter.partition("=")
        folded = unquote_plus(name).lower()
        if _matches(folded, self.tracking):
            return False
        return not (_matches(folded, self.sessions) and is_session_token(unquote(value)))

    def identifying(self, parameter: str) -> bool:
        """Return whether a requested parameter is part of the identity."""
        return not _matches(unquote_plus(parameter.partition("=")[0]).lower(), self.ignored)


def is_session_token(value: str) -> bool:
    """Return whether a value looks like the token of a session, and not like words or a number.

    The rules against traps suppress numbers that are sessions, if the pages show it (`domain.traps.session`).
    """
    return _TOKEN.fullmatch(value) is not None and _WORDS.fullmatch(value) is None


def kept_query(query: str, keeps: Callable[[str], bool]) -> str:
    """Return a query with the parameters that `keeps` accepts. Empty ones stay, as in `a=1&&b`."""
    return "&".join(part for part in query.split("&") if not part or keeps(part))


def kept_path(path: str, keeps: Callable[[str], bool]) -> str:
    """Return a path with the parameters after `;` that `keeps` accepts, such as `;jsessionid=...`."""
    head, *parameters = path.split(";")
    return ";".join([head, *(one for one in parameters if "/" in one or keeps(one))])


def sorted_query(query: str) -> str:
    """Return a query with its parameters sorted by name, without empty ones.

    Parameters with the same name keep their order.
    """
    return "&".join(sorted(filter(None, query.split("&")), key=_name)) if "&" in query else query


def _name(parameter: str) -> str:
    return parameter.partition("=")[0]


def _matches(name: str, patterns: Iterable[str]) -> bool:
    for pattern in patterns:
        wanted = pattern.lower()
        if name == wanted or (wanted.endswith("*") and name.startswith(wanted[:-1])):
            return True
    return False
