"""PageRank by the power method (Page et al. 1998), in integers so that the order of additions does not matter."""

from collections.abc import Iterable, Sequence

ROUNDS = 40
"""Maximum rounds: 0.85 ** 40 is below 0.002, and ranks are shown with four digits."""

WHOLE = 10**15
"""The sum of all ranks, except for rounding."""

_DAMPING = 85  # percent


def page_ranks(pages: Sequence[int], flows: Iterable[tuple[int, int]]) -> list[int]:
    """Return the rank of each page in units of 1 / `WHOLE`; dead ends share their rank with all pages.

    `flows` are distinct pairs (source, target) of different pages.
    """
    if not pages:
        return []
    count = len(pages)
    places = {page: place for place, page in enumerate(pages)}
    sources: list[list[int]] = [[] for _ in pages]
    degrees = [0] * count
    for source, target in flows:
        place = places[source]
        sources[places[target]].append(place)
        degrees[place] += 1
    ranks = [WHOLE // count] * count
    for _ in range(ROUNDS):
        idle = sum(rank for rank, degree in zip(ranks, degrees, strict=True) if not degree)
        each = (WHOLE * (100 - _DAMPING) // 100 + idle * _DAMPING // 100) // count
        share_of = [rank // (degree or 1) for rank, degree in zip(ranks, degrees, strict=True)].__getitem__
        following = [each + sum(map(share_of, linking)) * _DAMPING // 100 for linking in sources]
        if following == ranks:
            break
        ranks = following
    return ranks
