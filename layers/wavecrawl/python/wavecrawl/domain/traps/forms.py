"""The forms of URLs that the rules against traps look at."""

import re

_IDENTIFIER = r"(?:[0-9a-z]{16}|[0-9a-f]{8}-[0-9a-f]{4}-)"
_SHORT = r"(?=\d+[a-z]+\d|[a-z]+\d+[a-z])[0-9a-z]{8}"
_SPECIAL = re.compile(  # each form starts with one character, which a search finds quickly
    r"\?"  # parameters
    r"|/(?:19|20)\d\d-?[-/_.w]"  # a date
    r"|/(?:page|p|seite|pagina)[/-]\d"  # a page of a series
    r"|/(?:session(?:id)?|sid|phpsessid|jsessionid)[/=-]\d|/\(S\(|;"  # a session
    rf"|/{_IDENTIFIER}|={_IDENTIFIER}"
    rf"|[/;~_!-]{_SHORT}",
    re.IGNORECASE,
)


def is_special(url: str) -> bool:
    """Return whether a URL may be a view of a calendar, a page of a series, or have parameters or tokens.

    One search instead of four, as most URLs have none of these.
    """
    return _SPECIAL.search(url, 8) is not None
