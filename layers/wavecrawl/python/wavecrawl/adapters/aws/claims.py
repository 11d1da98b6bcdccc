"""Claims in DynamoDB."""

import secrets
import time
from collections.abc import Callable

from wavecrawl.adapters.aws.attributes import binary, bytes_of, int_of, number
from wavecrawl.adapters.aws.names import claim_row
from wavecrawl.adapters.aws.table import NewRow, Table
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.claims import Claimant

CLAIM_SECONDS = 30 * 86_400.0
"""How long a claim is kept, longer than any crawl should take: a claim that is gone can be taken again."""
_FREE_URL = "attribute_not_exists(#pk) OR #wave < :wave OR (#wave = :wave AND #batch = :batch AND #attempt < :attempt)"


class DynamoClaims:
    """`ports.claims.Claims`: one PutItem, one write unit."""

    def __init__(self, table: Table, *, now: Callable[[], float] = time.time) -> None:
        self._table = table
        self._now = now

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Take the URL; return whether it is ours."""
        nonce = _nonce()
        mine = {"wave": number(by.wave), "batch": number(by.batch), "attempt": number(by.attempt)}
        kept = {"expires_at": number(int(self._now() + CLAIM_SECONDS)), "nonce": binary(nonce)}
        values = {f":{name}": value for name, value in mine.items()}
        answer = self._table.put(NewRow(key=claim_row(crawl, key), row=mine | kept, condition=_FREE_URL, values=values))
        return answer.made or bytes_of(answer.row, "nonce") == nonce

    def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
        """Return on whose behalf the URL was last claimed."""
        row = self._table.get(claim_row(crawl, key), consistent=False)
        if row is None:
            return None
        return Claimant(wave=int_of(row, "wave"), batch=int_of(row, "batch"), attempt=int_of(row, "attempt"))


def _nonce() -> bytes:
    return secrets.token_bytes(8)
