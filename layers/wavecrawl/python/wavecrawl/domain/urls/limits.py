"""Defaults for URLs."""

from typing import Final

TRACKING_PARAMETERS: tuple[str, ...] = tuple("utm_* fbclid gclid msclkid mc_cid mc_eid _ga _gl".split())
"""Query parameters that never change the page. A trailing `*` matches any ending; matching ignores case."""

SESSION_PARAMETERS: tuple[str, ...] = tuple("sessionid sid PHPSESSID jsessionid".split())
"""Query parameters that may have the token of a session; matching is the same."""

IGNORED_PARAMETERS: tuple[str, ...] = ("ref",)
"""Query parameters that a server may need, but that do not make another page; matching is the same."""

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
"""The port of a URL that names none, by scheme."""

MAX_URL_LENGTH = 2083  # characters; longer URLs are nearly always crawler traps

MAX_LINKS = 100_000  # per page; indexes of large APIs have 20,000

MAX_PAGE_CPU = 5.0  # seconds of processor time to read one page; large pages of real sites take 1
