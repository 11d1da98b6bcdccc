"""Rate limits in DynamoDB."""

from wavecrawl.adapters.aws.names import turns_row
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import Change
from wavecrawl.ports.rate_limits import Turn, end_of_window

_SLACK = 3600  # seconds a row stays after its window, as clocks differ


class DynamoRateLimits:
    """`ports.rate_limits.RateLimits`: one conditional write per turn, on a row of the group and window that expires.

    The row counts the turns of the group and of each member, so both limits cost one write unit. This holds for up to
    about 50 members per window with names of 12 characters.
    """

    def __init__(self, table: Table) -> None:
        self._table = table

    def take(self, group: str, member: str, *, limit: int, of_all: int, window: float, now: float) -> Turn:
        """Take one of the `limit` turns of a member in each window, and one of the `of_all` turns of its group."""
        end, own = end_of_window(window, now), f"k_{member}"
        answer = self._table.update(
            Change(
                key=turns_row(group, end),
                add={"taken": 1, own: 1},
                set={"expires_at": int(end) + _SLACK},
                condition="(attribute_not_exists(#taken) OR #taken < :of_all) "
                f"AND (attribute_not_exists(#{own}) OR #{own} < :limit)",
                values={"limit": limit, "of_all": of_all},
            )
        )
        return Turn(
            allowed=answer.made,
            remaining=max(0, limit - answer.row.get(own, 0)),
            of_all=max(0, of_all - answer.row.get("taken", 0)),
            resets_at=end,
        )
