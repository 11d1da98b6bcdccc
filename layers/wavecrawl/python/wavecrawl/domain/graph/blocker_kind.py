"""The kinds of blockers: a module of its own, as the models of the API, which the client has, name them."""

from enum import StrEnum


class BlockerKind(StrEnum):
    """Whose gap a blocker is."""

    INCOMPLETE = "incomplete"
    BARRED = "barred"
