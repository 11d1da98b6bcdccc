"""What a checked URL is to the pages that name it, and its key."""

from enum import StrEnum


class CheckKind(StrEnum):
    """What a checked URL is to a page that names it.

    - `link`: the target of a link to another site
    - `file`: a file of the site itself that the page links to, such as a PDF
    - `image`: a picture that the page shows
    - `script`: a script that the page loads
    - `stylesheet`: a stylesheet that the page loads
    """

    LINK = "link"
    FILE = "file"
    IMAGE = "image"
    SCRIPT = "script"
    STYLESHEET = "stylesheet"


def check_key(url_key: str) -> str:
    """Return the key of the check of a URL: its url key backwards.

    It differs from the key of the page, as a URL can be both, and SQL can derive the one from the other.
    """
    return url_key[::-1]
