"""Values that look like session tokens: long, made of letters and digits; or numbers where the name says session."""

import re
from collections.abc import Collection, Iterator

from wavecrawl.domain.urls.parameters import kept_path, kept_query, sorted_query

_TOKEN = re.compile(
    r"(?P<before>/\(S\(|[/=;])"  # /(S(...))/ is how ASP.NET writes the sessions of clients without cookies
    r"(?P<token>(?=[0-9a-zA-Z-]*\d[a-zA-Z-]*\d[a-zA-Z-]*\d)(?=[0-9a-zA-Z]*[a-zA-Z])"
    r"(?:[0-9a-zA-Z]{16,}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}))"
    r"(?=$|[/&;?.)])"
)
_NUMBER = re.compile(
    r"(?P<before>[?&;](?P<parameter>\w*sess[\w.-]*|\w*sid|asp\.net_sessionid|cftoken|cfid)="
    r"|/(?P<segment>session(?:id)?|sid|phpsessid|jsessionid)[/=-])"
    r"(?P<token>\d{6,}|(?<=cfid=)\d{3,})(?=$|[/&;?.!])",
    re.IGNORECASE,
)
_MARK = "*"


def without_tokens(url: str) -> str:
    """Return the URL with `*` in place of each token."""
    return _NUMBER.sub(rf"\g<before>{_MARK}", _TOKEN.sub(rf"\g<before>{_MARK}", url))


def places_of_tokens(url: str) -> list[str]:
    """Return the places of the tokens in a URL: a host with a parameter's name, or the path before the token."""
    return [place for place, _ in _tokens(url)]


def address_without(places: Collection[str], url: str) -> str:
    """Return the address of a URL without the tokens in these places; "" if it has none there.

    Parameters are left out, and segments of the path are `*`. The other parameters are sorted.
    """
    spans = sorted(found.span("token") for place, found in _tokens(url) if place in places)
    if not spans:
        return ""
    pieces: list[str] = []
    end = 0
    for start, stop in spans:
        pieces += (url[end:start], "\0")  # no URL has one
        end = stop
    path, _, query = "".join((*pieces, url[end:])).partition("?")
    path = kept_path(path, _has_no_token).replace("\0", _MARK)
    query = sorted_query(kept_query(query, _has_no_token))
    return f"{path}?{query}" if query else path


def _has_no_token(parameter: str) -> bool:
    return "\0" not in parameter


def _tokens(url: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield the place of each token in a URL, and where it was found."""
    origin_end = max(0, url.find("/", url.find("//") + 2))
    for found in _TOKEN.finditer(url, origin_end):
        if found["before"] == "=":
            name = re.split(r"[?&;]", url[: found.start()])[-1]
            yield f"{url[:origin_end]} ?{name}", found
        else:
            yield without_tokens(url[: found.start("token")]), found
    for found in _NUMBER.finditer(url, origin_end):
        yield f"{url[:origin_end]} ?{found['parameter'] or found['segment']}", found
