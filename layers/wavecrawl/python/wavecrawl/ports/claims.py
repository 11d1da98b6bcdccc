"""Claims: who may fetch which URL in one crawl."""

from dataclasses import dataclass
from typing import Protocol

from wavecrawl.domain.crawl.job import CrawlId


@dataclass(frozen=True, slots=True, kw_only=True)
class Claimant:
    """On whose behalf a URL is claimed. Each try of a URL has a wave of its own, so the wave names the try."""

    wave: int
    batch: int
    attempt: int  # of the batch, from 1


class Claims(Protocol):
    """One conditional write decides who fetches a URL. Contract: tests/contract/test_claims.py."""

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Take the URL; return whether it is ours.

        It is where no claim exists, or the claim is of an older try (wave), or of an older attempt at the same batch.
        Asking twice with the same claimant fails the second time.
        """
        ...

    def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
        """Return on whose behalf the URL was last claimed; None where it was not, or that is too long ago."""
        ...
