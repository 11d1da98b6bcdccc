"""Numbers with their nouns, in texts that people read."""


def counted(count: int, one: str, many: str = "") -> str:
    """Return a number with what it counts: 1 page, 2,000 pages.

    `one` and `many` may include a verb: "known URL was", "known URLs were". Without `many`, `one` gets an "s".
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
