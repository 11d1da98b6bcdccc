"""Repeated requests in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.adapters.packed_rows import PackedRows
from wavecrawl.ports.repeats import KEPT, Hold, KeptAnswer, Seen

_ANSWERS = PackedRows(KeptAnswer)


class SqliteRepeats:
    """`ports.repeats.Repeats`. `begin` also deletes expired rows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(
        self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float, kept: float = KEPT
    ) -> Hold | Seen:
        """Claim a key for `seconds`, or return what is known of its first use."""
        hold = Hold(tenant=tenant, key=key, until=now + seconds, kept=kept)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM repeat WHERE expires_at <= ?", (now,))
            found = connection.execute(
                "SELECT fingerprint, answer, claimed_until FROM repeat WHERE tenant = ? AND key = ?", (tenant, key)
            ).fetchone()
            if found and (found[1] is not None or now < found[2]):
                return Seen(fingerprint=found[0], answer=None if found[1] is None else _ANSWERS.unpack(found[1]))
            connection.execute(
                "INSERT OR REPLACE INTO repeat (tenant, key, fingerprint, claimed_until, expires_at) "
                "VALUES (?, ?, ?, ?, ?)",
                (tenant, key, fingerprint, hold.until, now + kept),
            )
        return hold

    def keep(self, hold: Hold, answer: KeptAnswer, *, now: float) -> None:
        """Store the response, unless the hold was taken over."""
        sql = "UPDATE repeat SET answer = ?, expires_at = ? WHERE tenant = ? AND key = ? AND claimed_until = ?"
        self._database.change(sql, _ANSWERS.pack(answer), now + hold.kept, hold.tenant, hold.key, hold.until)

    def forget(self, hold: Hold) -> None:
        """Forget a key whose request did nothing, unless the hold was taken over."""
        sql = "DELETE FROM repeat WHERE tenant = ? AND key = ? AND claimed_until = ?"
        self._database.change(sql, hold.tenant, hold.key, hold.until)
