"""Repeated requests in DynamoDB."""

from uuid import uuid4

from wavecrawl.adapters.aws.names import repeat_row
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import Change, NewRow
from wavecrawl.adapters.packed_rows import PackedRows
from wavecrawl.ports.repeats import KEPT, Hold, KeptAnswer, Seen

_ANSWERS = PackedRows(KeptAnswer)

_FREE = "attribute_not_exists(#pk) OR #expires_at <= :now OR (attribute_not_exists(#answer) AND #claimed_until <= :now)"
_OURS = "#claimed_until = :until"


class DynamoRepeats:
    """`ports.repeats.Repeats`: one conditional write decides who does the work. Rows expire."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def begin(
        self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float, kept: float = KEPT
    ) -> Hold | Seen:
        """Claim a key for `seconds`, or return what is known of its first use."""
        hold = Hold(tenant=tenant, key=key, until=now + seconds, kept=kept)
        row = {
            "fingerprint": fingerprint,
            "claim": uuid4().hex,
            "claimed_until": hold.until,
            "expires_at": int(now + kept),
        }
        answer = self._table.put(NewRow(key=repeat_row(tenant, key), row=row, condition=_FREE, values={"now": now}))
        # botocore sends a write again if its response was lost: the repeat finds the claim of the first.
        if answer.made or answer.row.get("claim") == row["claim"]:
            return hold
        stored = answer.row.get("answer")
        return Seen(fingerprint=answer.row["fingerprint"], answer=_ANSWERS.unpack(stored) if stored else None)

    def keep(self, hold: Hold, answer: KeptAnswer, *, now: float) -> None:
        """Store the response, unless the hold was taken over."""
        self._table.update(
            Change(
                key=repeat_row(hold.tenant, hold.key),
                set={"answer": _ANSWERS.pack(answer), "expires_at": int(now + hold.kept)},
                condition=_OURS,
                values={"until": hold.until},
            )
        )

    def forget(self, hold: Hold) -> None:
        """Forget a key whose request did nothing, unless the hold was taken over."""
        self._table.delete(repeat_row(hold.tenant, hold.key), condition=_OURS, values={"until": hold.until})
