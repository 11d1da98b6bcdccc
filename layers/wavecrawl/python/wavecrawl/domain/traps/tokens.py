"""Values that look like session tokens: made of letters and digits; or numbers where the name says session."""

import re
from collections.abc import Collection, Iterator

from wavecrawl.domain.urls.parameters import kept_path, kept_query, sorted_query
from wavecrawl.domain.urls.templates import template_of_path

_TOKEN = re.compile(
    r"(?P<before>/\(S\(|[/=;])"  # /(S(...))/ is how ASP.NET writes the sessions of clients without cookies
    r"(?P<token>(?=[0-9a-zA-Z-]*\d[a-zA-Z-]*\d[a-zA-Z-]*\d)(?=[0-9a-zA-Z]*[a-zA-Z])"
    r"(?:[0-9a-zA-Z]{16,}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}))"
    r"(?=$|[/&;?.)])"
)
_SHORT = re.compile(  # of 8 to 15 letters and digits that take turns, also as a part of a segment, but no extension
    r"(?P<before>[/=;~_!-])"
    r"(?P<token>(?=\d+[a-zA-Z]+\d|[a-zA-Z]+\d+[a-zA-Z])[0-9a-zA-Z]{8,15})(?=$|[/&;?~_!-])"
)
_NUMBER = re.compile(
    r"(?P<before>[?&;](?P<parameter>\w*sess[\w.-]*|\w*sid|asp\.net_sessionid|cftoken|cfid)="
    r"|/(?P<segment>session(?:id)?|sid|phpsessid|jsessionid)[/=-])"
    r"(?P<token>\d{6,}|(?<=cfid=)\d{3,})(?=$|[/&;?.!])",
    re.IGNORECASE,
)
_MARK = "*"
_OF_SHORT = "~"  # ends the places of short tokens


def without_tokens(url: str) -> str:
    """Return the URL with `*` in place of each token."""
    for form in (_TOKEN, _NUMBER, _SHORT):
        url = form.sub(rf"\g<before>{_MARK}", url)
    return url


def is_of_short_tokens(place: str) -> bool:
    """Return whether a place has short tokens, which are more often identifiers."""
    return place.endswith(_OF_SHORT)


def places_of_tokens(url: str) -> list[str]:
    """Return the places of the tokens in a URL: a host with a parameter's name, or the template of the path before."""
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
    long: list[tuple[int, int]] = []  # spans of long tokens
    for form, mark in ((_TOKEN, ""), (_SHORT, _OF_SHORT)):
        for found in form.finditer(url, origin_end):
            if not mark:
                long.append(found.span())
            elif any(begin <= found.start() < end for begin, end in long):
                continue  # a part of a UUID
            before = url[: found.start("token")]
            if found["before"] == "=":
                name = re.split(r"[?&;]", before[:-1])[-1]
                yield f"{url[:origin_end]} ?{name}{mark}", found
            elif mark and "?" in before:
                continue  # a part of a value
            else:
                yield f"{template_of_path(without_tokens(before))}{mark}", found
    for found in _NUMBER.finditer(url, origin_end):
        yield f"{url[:origin_end]} ?{found['parameter'] or found['segment']}", found
