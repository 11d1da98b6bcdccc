"""Requests that came before, in DynamoDB."""

from uuid import uuid4

import msgspec

from wavecrawl.adapters.aws.attributes import binary, bytes_of, number, text, text_of
from wavecrawl.adapters.aws.names import repeat_row
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.ports.repeats import KEPT, KeptAnswer, Seen

_ANSWER = msgspec.msgpack.Decoder(KeptAnswer)
_encode = msgspec.msgpack.Encoder().encode

_FREE = "attribute_not_exists(#pk) OR #expires_at <= :now OR (attribute_not_exists(#answer) AND #claimed_until <= :now)"


class DynamoRepeats:
    """`ports.repeats.Repeats`: one conditional write decides who does the work. Rows expire."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def begin(self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float) -> Seen | None:
        """Claim a key for `seconds`; return None, or what is known of its first use."""
        claim = uuid4().hex
        row = {
            "fingerprint": text(fingerprint),
            "claim": text(claim),
            "claimed_until": number(now + seconds),
            "expires_at": number(int(now + KEPT)),
        }
        answer = self._table.put(
            NewRow(key=repeat_row(tenant, key), row=row, condition=_FREE, values={":now": number(now)})
        )
        # A claim that was sent twice, as its first answer was lost, meets itself.
        if answer.made or text_of(answer.row, "claim") == claim:
            return None
        kept = bytes_of(answer.row, "answer")
        return Seen(fingerprint=text_of(answer.row, "fingerprint"), answer=_ANSWER.decode(kept) if kept else None)

    def keep(self, tenant: str, key: str, answer: KeptAnswer, *, now: float) -> None:
        """Keep the answer for a day."""
        self._table.update(
            Change(
                key=repeat_row(tenant, key),
                update="SET #answer = :answer, #expires_at = :gone",
                condition="attribute_exists(#pk)",
                values={":answer": binary(_encode(answer)), ":gone": number(int(now + KEPT))},
            )
        )

    def forget(self, tenant: str, key: str) -> None:
        """Forget a key whose request did nothing."""
        self._table.delete(repeat_row(tenant, key))
