"""What a checked URL is to the pages that name it, its verdict, and its key."""

from enum import StrEnum


class CheckKind(StrEnum):
    """What a checked URL is to a page that names it.

    - `link`: the target of a link to another site
    - `file`: a file of the site itself that the page links to, such as a PDF
    - `image`: a picture that the page shows
    - `script`: a script that the page loads
    - `stylesheet`: a stylesheet that the page loads
    - `resource`: anything else that the page loads: a font, a video, sound, a track, an embedded object
    """

    LINK = "link"
    FILE = "file"
    IMAGE = "image"
    SCRIPT = "script"
    STYLESHEET = "stylesheet"
    RESOURCE = "resource"


class Verdict(StrEnum):
    """Whether visitors can load a checked URL.

    - `ok`: it can be fetched
    - `broken`: visitors cannot load it either, as the response is an error or there is none
    - `unknown`: the response proves nothing. Many servers send 401, 403, 429 and 999 to crawlers but not to visitors
    - `not_checked`: it was not requested, because of robots.txt, a limit or an address that is not allowed
    """

    OK = "ok"
    BROKEN = "broken"
    UNKNOWN = "unknown"
    NOT_CHECKED = "not_checked"


def check_key(url_key: str) -> str:
    """Return the key of the check of a URL: its url key backwards.

    It differs from the key of the page, as a URL can be both, and SQL can derive the one from the other. Given the key
    of the check, this is the url key.
    """
    return url_key[::-1]
