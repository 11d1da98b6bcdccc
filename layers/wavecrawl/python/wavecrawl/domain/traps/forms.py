"""The forms of URLs that the rules against traps look at."""

import re

_SPECIAL = re.compile(
    r"\?"  # parameters
    r"|/(?:19|20)\d\d-?[-/_.wW]"  # a date
    r"|/(?:page|p|seite|pagina)[/-]\d"  # a page of a series
    r"|[0-9a-zA-Z]{16}|[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-",  # a token
    re.IGNORECASE,
)


def is_special(url: str) -> bool:
    """Return whether a URL may be a view of a calendar, a page of a series, or have parameters or tokens.

    One search instead of four, as most URLs have none of these.
    """
    return _SPECIAL.search(url, 8) is not None
