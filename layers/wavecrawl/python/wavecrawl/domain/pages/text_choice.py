"""The choice of the text of a page: a setting, which the client knows without the libraries that read pages."""

from enum import StrEnum


class TextChoice(StrEnum):
    """Which text of a page is read.

    - `main`: the main content, without navigation, related pages, comments and advertisements
    - `body`: all text of the page
    - `none`: no text, which takes the least time. The hash of the text is then that of the whole page
    """

    MAIN = "main"
    BODY = "body"
    NONE = "none"
