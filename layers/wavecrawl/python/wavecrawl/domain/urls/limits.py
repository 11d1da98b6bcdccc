"""Defaults for URLs."""

TRACKING_PARAMETERS: tuple[str, ...] = (
    "utm_*",
    "fbclid",
    "gclid",
    "msclkid",
    "mc_cid",
    "mc_eid",
    "ref",
    "_ga",
    "_gl",
    "sessionid",
    "sid",
    "PHPSESSID",
    "jsessionid",
)
"""Query parameters that never change the page (spec [5]); a trailing `*` matches any ending; case does not matter."""


MAX_URL_LENGTH = 2083  # characters; longer ones are nearly always traps
