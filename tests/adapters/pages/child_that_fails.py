"""A child process whose reader raises an error."""

import os
import sys

from wavecrawl.adapters.pages import child


def fail(*_: object) -> None:
    """Raise an error."""
    raise ZeroDivisionError


setattr(child, "read_page", fail)  # noqa: B010 - a name that the module imports
child.main(sys.stdin.buffer, os.fdopen(os.dup(1), "wb"))
