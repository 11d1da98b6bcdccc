"""What all checks of a self-test share."""

TENANT = ".self-test"
"""The tenant in the names of objects; the id of no tenant starts with a dot."""


class CheckFailedError(Exception):
    """A check has failed; the message says what is wrong and what to do."""
