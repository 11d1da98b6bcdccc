"""Requests that came before, in SQLite."""

import msgspec

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.repeats import KEPT, KeptAnswer, Seen

_ANSWER = msgspec.msgpack.Decoder(KeptAnswer)
_encode = msgspec.msgpack.Encoder().encode


class SqliteRepeats:
    """`ports.repeats.Repeats`: whoever begins also forgets what is older than a day."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def begin(self, tenant: str, key: str, *, fingerprint: str, now: float, seconds: float) -> Seen | None:
        """Claim a key for `seconds`; return None, or what is known of its first use."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM repeat WHERE expires_at <= ?", (now,))
            found = connection.execute(
                "SELECT fingerprint, answer, claimed_until FROM repeat WHERE tenant = ? AND key = ?", (tenant, key)
            ).fetchone()
            if found and (found[1] is not None or now < found[2]):
                return Seen(fingerprint=found[0], answer=None if found[1] is None else _ANSWER.decode(found[1]))
            connection.execute(
                "INSERT OR REPLACE INTO repeat (tenant, key, fingerprint, claimed_until, expires_at) "
                "VALUES (?, ?, ?, ?, ?)",
                (tenant, key, fingerprint, now + seconds, now + KEPT),
            )
        return None

    def keep(self, tenant: str, key: str, answer: KeptAnswer, *, now: float) -> None:
        """Keep the answer for a day."""
        sql = "UPDATE repeat SET answer = ?, expires_at = ? WHERE tenant = ? AND key = ?"
        self._database.change(sql, _encode(answer), now + KEPT, tenant, key)

    def forget(self, tenant: str, key: str) -> None:
        """Forget a key whose request did nothing."""
        self._database.change("DELETE FROM repeat WHERE tenant = ? AND key = ?", tenant, key)
