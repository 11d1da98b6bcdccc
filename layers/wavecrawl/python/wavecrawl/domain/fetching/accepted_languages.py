"""The value of the header Accept-Language (RFC 9110 section 12.5.4)."""

import re
from typing import Final

LONGEST: Final = 200
"""Maximum number of characters."""

_RANGE: Final = r"(?:\*|[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*)(?:; ?q=(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?"
_LIST: Final = re.compile(rf"{_RANGE}(?:, ?{_RANGE})*")

_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z]{4})?(?:-[A-Za-z]{2})?")  # BCP 47: language, script, region


def is_accept_language(text: str) -> bool:
    """Return whether a text is a list of language ranges with optional weights, such as `de-CH, de;q=0.8`."""
    return len(text) <= LONGEST and _LIST.fullmatch(text) is not None


def first_language(text: str) -> str:
    """Return the first language of such a list, with its script and country, "" if it names none.

    Tags of another form, such as `x-klingon` and `en-a-bbb`, are left out: browsers are not set to them.
    """
    ranges = (one.partition(";")[0].strip() for one in text.split(","))
    return next(filter(_LANGUAGE.fullmatch, ranges), "")
