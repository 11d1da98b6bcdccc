"""Rate limits in DynamoDB."""

from wavecrawl.adapters.aws.attributes import int_of, number
from wavecrawl.adapters.aws.names import turns_row
from wavecrawl.adapters.aws.table import Change, Table
from wavecrawl.ports.rate_limits import Turn, end_of_window

_SLACK = 3600  # seconds a row stays after its window, for clocks that differ


class DynamoRateLimits:
    """`ports.rate_limits.RateLimits`: one conditional write a turn, on a row of each window, which expires."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def take(self, subject: str, *, limit: int, window: float, now: float) -> Turn:
        """Take one of `limit` turns that `subject` has in each window."""
        end = end_of_window(window, now)
        answer = self._table.update(
            Change(
                key=turns_row(subject, end),
                update="ADD #taken :one SET #expires_at = :gone",
                condition="attribute_not_exists(#taken) OR #taken < :limit",
                values={":one": number(1), ":limit": number(limit), ":gone": number(int(end) + _SLACK)},
            )
        )
        left = max(0, limit - int_of(answer.row, "taken")) if answer.made else 0
        return Turn(allowed=answer.made, remaining=left, resets_at=end)
