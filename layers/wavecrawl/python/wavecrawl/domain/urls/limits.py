"""Defaults for URLs."""

from typing import Final

TRACKING_PARAMETERS: tuple[str, ...] = tuple(
    "utm_* fbclid gclid msclkid mc_cid mc_eid ref _ga _gl sessionid sid PHPSESSID jsessionid".split()
)
"""Query parameters that never change the page. A trailing `*` matches any ending; matching ignores case."""

DEFAULT_PORTS: Final = {"http": 80, "https": 443}
"""The port of a URL that names none, by scheme."""

MAX_URL_LENGTH = 2083  # characters; longer URLs are nearly always crawler traps
