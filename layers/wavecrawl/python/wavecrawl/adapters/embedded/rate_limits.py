"""Rate limits in SQLite."""

from wavecrawl.adapters.embedded.database import Database
from wavecrawl.ports.rate_limits import Turn, end_of_window


class SqliteRateLimits:
    """`ports.rate_limits.RateLimits`: one transaction per turn, which also deletes earlier windows."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, group: str, member: str, *, limit: int, of_all: int, window: float, now: float) -> Turn:
        """Take one of the `limit` turns of a member in each window, and one of the `of_all` turns of its group."""
        end = end_of_window(window, now)
        subjects = (f"{group}/{member}", group)
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM turns WHERE subject IN (?, ?) AND ends_at <= ?", (*subjects, now))
            sql = "SELECT subject, taken FROM turns WHERE subject IN (?, ?) AND ends_at = ?"
            taken = dict(connection.execute(sql, (*subjects, end)))
            left = [most - taken.get(subject, 0) for subject, most in zip(subjects, (limit, of_all), strict=True)]
            allowed = min(left) > 0
            if allowed:
                left = [one - 1 for one in left]
                sql = (
                    "INSERT INTO turns (subject, ends_at, taken) VALUES (?, ?, 1) "
                    "ON CONFLICT (subject, ends_at) DO UPDATE SET taken = taken + 1"
                )
                connection.executemany(sql, [(subject, end) for subject in subjects])
        return Turn(allowed=allowed, remaining=max(0, left[0]), of_all=max(0, left[1]), resets_at=end)
