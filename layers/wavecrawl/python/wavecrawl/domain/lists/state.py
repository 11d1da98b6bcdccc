"""The state of an uploaded list."""

from enum import StrEnum


class ListState(StrEnum):
    """State of a list.

    - `waiting`: it waits to be uploaded and checked
    - `ready`: it is checked; crawls and sites can name it
    - `invalid`: the check found a problem
    """

    WAITING = "waiting"
    READY = "ready"
    INVALID = "invalid"
