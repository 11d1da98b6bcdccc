"""Rate limits in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.rate_limits import Turn, end_of_window


class SqliteRateLimits:
    """`ports.rate_limits.RateLimits`: one transaction a turn, which also forgets the windows before."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, subject: str, *, limit: int, window: float, now: float) -> Turn:
        """Take one of `limit` turns that `subject` has in each window."""
        end = end_of_window(window, now)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM turns WHERE subject = ? AND ends_at <= ?", (subject, now))
            found = connection.execute("SELECT taken FROM turns WHERE subject = ? AND ends_at = ?", (subject, end))
            taken = next((int(count) for (count,) in found), 0)
            if taken >= limit:
                return Turn(allowed=False, remaining=0, resets_at=end)
            sql = "INSERT OR REPLACE INTO turns (subject, ends_at, taken) VALUES (?, ?, ?)"
            connection.execute(sql, (subject, end, taken + 1))
        return Turn(allowed=True, remaining=limit - taken - 1, resets_at=end)
