"""Claims: who may fetch which URL in one crawl."""

from typing import Protocol

import msgspec

from wavecrawl.domain.crawl.job import CrawlId


class Claimant(msgspec.Struct, frozen=True, kw_only=True):
    """The batch and attempt that claims a URL. The wave identifies the try, as each try is in a different wave."""

    wave: int
    batch: int
    attempt: int  # of the batch, from 1


class Claims(Protocol):
    """One conditional write decides who fetches a URL. Contract: tests/contract/test_claims.py."""

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Claim the URL; return whether the claim succeeded.

        It succeeds if there is no claim, or the claim is from an earlier wave or an earlier attempt at the same batch.
        A second claim by the same claimant fails.
        """
        ...

    def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
        """Return the last claimant of the URL, or None if there is none or the claim has expired."""
        ...
