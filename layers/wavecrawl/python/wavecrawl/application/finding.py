"""The result of a check of this machine or of a deployment (`wavecrawl doctor`)."""

import msgspec


class Finding(msgspec.Struct, frozen=True, kw_only=True):
    """The result of one check."""

    check: str
    problem: str = ""  # "" = the check passed
    detail: str = ""  # about a check that passed
    optional: bool = False  # crawls work in spite of the problem, without one of their features
