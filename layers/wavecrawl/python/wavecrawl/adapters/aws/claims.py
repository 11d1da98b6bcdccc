"""Claims in DynamoDB."""

import secrets
import time
from collections.abc import Callable

from msgspec.structs import asdict

from wavecrawl.adapters.aws.names import claim_row
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import NewRow
from wavecrawl.domain.crawl.job import CrawlId
from wavecrawl.ports.claims import Claimant

CLAIM_SECONDS = 30 * 86_400.0
"""Seconds a claim is kept. An expired claim can be taken again, so this must exceed the length of any crawl."""

_FREE = "attribute_not_exists(#pk) OR #wave < :wave OR (#wave = :wave AND #batch = :batch AND #attempt < :attempt)"


class DynamoClaims:
    """`ports.claims.Claims`: one PutItem, one write unit.

    botocore sends a write again if its response was lost. A nonce per call lets the repeat recognise the first's row.
    """

    def __init__(self, table: Table, *, now: Callable[[], float] = time.time) -> None:
        self._table = table
        self._now = now

    def claim(self, crawl: CrawlId, key: str, by: Claimant) -> bool:
        """Claim the URL; return whether the claim was granted."""
        nonce, claimant = secrets.token_bytes(8), asdict(by)
        row = claimant | {"expires_at": int(self._now() + CLAIM_SECONDS), "nonce": nonce}
        answer = self._table.put(NewRow(key=claim_row(crawl, key), row=row, condition=_FREE, values=claimant))
        return answer.made or answer.row.get("nonce") == nonce

    def holder(self, crawl: CrawlId, key: str) -> Claimant | None:
        """Return the latest claimant of the URL, or None."""
        row = self._table.get(claim_row(crawl, key), consistent=False)
        return Claimant(wave=row["wave"], batch=row["batch"], attempt=row["attempt"]) if row else None
