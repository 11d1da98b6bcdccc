"""Requests that came before, in DynamoDB."""

from uuid import uuid4

import msgspec

from wavecrawl.adapters.aws.attributes import binary, bytes_of, number, text, text_of
from wavecrawl.adapters.aws.names import repeat_row
from wavecrawl.adapters.aws.table import Change, NewRow, Table
from wavecrawl.ports.repeats import KEPT, Hold, KeptAnswer, Seen

_ANSWER = msgspec.msgpack.Decoder(KeptAnswer)
_encode = msgspec.msgpack.Encoder().encode

_FREE = "attribute_not_exists(#pk) OR #expires_at <= :now OR (attribute_not_exists(#answer) AND #claimed_until <= :now)"
_OURS = "#claimed_until = :until"


class DynamoRepeats:
    """`ports.repeats.Repeats`: one conditional write decides who does the work. Rows expire."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def begin(self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float) -> Hold | Seen:
        """Claim a key for `seconds`, or return what is known of its first use."""
        hold = Hold(tenant=tenant, key=key, until=now + seconds)
        claim = uuid4().hex
        row = {
            "fingerprint": text(fingerprint),
            "claim": text(claim),
            "claimed_until": number(hold.until),
            "expires_at": number(int(now + KEPT)),
        }
        answer = self._table.put(
            NewRow(key=repeat_row(tenant, key), row=row, condition=_FREE, values={":now": number(now)})
        )
        # A claim that was sent twice, as its first answer was lost, meets itself.
        if answer.made or text_of(answer.row, "claim") == claim:
            return hold
        kept = bytes_of(answer.row, "answer")
        return Seen(fingerprint=text_of(answer.row, "fingerprint"), answer=_ANSWER.decode(kept) if kept else None)

    def keep(self, hold: Hold, answer: KeptAnswer, *, now: float) -> None:
        """Keep the answer for a day, unless the hold was taken over."""
        self._table.update(
            Change(
                key=repeat_row(hold.tenant, hold.key),
                update="SET #answer = :answer, #expires_at = :gone",
                condition=_OURS,
                values={
                    ":until": number(hold.until),
                    ":answer": binary(_encode(answer)),
                    ":gone": number(int(now + KEPT)),
                },
            )
        )

    def forget(self, hold: Hold) -> None:
        """Forget a key whose request did nothing, unless the hold was taken over."""
        self._table.delete(repeat_row(hold.tenant, hold.key), condition=_OURS, values={":until": number(hold.until)})
