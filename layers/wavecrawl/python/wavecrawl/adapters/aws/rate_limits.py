"""Rate limits in DynamoDB."""

from wavecrawl.adapters.aws.attributes import int_of, number
from wavecrawl.adapters.aws.names import turns_row
from wavecrawl.adapters.aws.table import Change, Table
from wavecrawl.ports.rate_limits import Turn, end_of_window

_SLACK = 3600  # seconds a row stays after its window, for clocks that differ


class DynamoRateLimits:
    """`ports.rate_limits.RateLimits`: one conditional write a turn, on a row of each group and window, which expires.

    The row counts the turns of all and of each member, so that both bounds cost one write unit: with up to some 50
    members in a window, whose names have 12 characters.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def take(self, group: str, member: str, *, limit: int, of_all: int, window: float, now: float) -> Turn:
        """Take one of `limit` turns that `member` has in each window, out of the `of_all` of its group."""
        end, own = end_of_window(window, now), f"k_{member}"
        answer = self._table.update(
            Change(
                key=turns_row(group, end),
                update=f"ADD #taken :one, #{own} :one SET #expires_at = :gone",
                condition="(attribute_not_exists(#taken) OR #taken < :of_all) "
                f"AND (attribute_not_exists(#{own}) OR #{own} < :limit)",
                values={
                    ":one": number(1),
                    ":limit": number(limit),
                    ":of_all": number(of_all),
                    ":gone": number(int(end) + _SLACK),
                },
            )
        )
        return Turn(
            allowed=answer.made,
            remaining=max(0, limit - int_of(answer.row, own)),
            of_all=max(0, of_all - int_of(answer.row, "taken")),
            resets_at=end,
        )
