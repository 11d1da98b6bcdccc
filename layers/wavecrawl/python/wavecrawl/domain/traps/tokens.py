"""Values that look like session tokens: long, made of letters and digits; or numbers in session parameters."""

import re

from wavecrawl.domain.urls.limits import SESSION_PARAMETERS

_TOKEN = re.compile(
    r"(?P<before>[/=;])"
    r"(?P<token>(?=[0-9a-zA-Z-]*\d[a-zA-Z-]*\d[a-zA-Z-]*\d)(?=[0-9a-zA-Z]*[a-zA-Z])"
    r"(?:[0-9a-zA-Z]{16,}|[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}))"
    r"(?=$|[/&;?.])"
)
_NAMES = "|".join(SESSION_PARAMETERS)
_NUMBER = re.compile(
    rf"(?P<before>[?&](?P<name>{_NAMES})=(?=\d{{6}})|;(?P<path>{_NAMES})=(?=\d{{16}}))\d+(?=$|[/&;?.!])", re.IGNORECASE
)


def without_tokens(url: str) -> str:
    """Return the URL with `*` in place of each token."""
    return _NUMBER.sub(r"\g<before>*", _TOKEN.sub(r"\g<before>*", url))


def places_of_tokens(url: str) -> list[str]:
    """Return the places of the tokens in a URL: a host with a parameter's name, or the path before the token."""
    places: list[str] = []
    origin_end = url.find("/", url.find("//") + 2)
    for found in _TOKEN.finditer(url, max(0, origin_end)):
        if found["before"] == "=":
            name = re.split(r"[?&;]", url[: found.start()])[-1]
            places.append(f"{url[:origin_end]} ?{name}")
        else:
            places.append(without_tokens(url[: found.start() + 1]))
    places += [f"{url[:origin_end]} ?{found['name'] or found['path']}" for found in _NUMBER.finditer(url)]
    return places
