"""What crawls have cost in a month, in DynamoDB."""

from wavecrawl.adapters.aws.faults import CONTESTED
from wavecrawl.adapters.aws.names import charged_row, spent_row, usage_row
from wavecrawl.adapters.aws.table import Table
from wavecrawl.adapters.aws.writes import Change
from wavecrawl.domain.crawl.job import CrawlId


class DynamoSpending:
    """`ports.spending.Spending`: one transaction changes the sums and what the crawl was charged with so far."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def charge(self, crawl: CrawlId, usd: float, *, month: str) -> None:
        """Add what the crawl has cost since it was charged last."""
        key = charged_row(crawl)
        known = self._table.get(key)
        before = float(known["usd"]) if known else 0.0
        added = usd - before
        if added <= 0:
            return
        condition = "#usd = :before" if known else "attribute_not_exists(#usd)"
        values = {"before": known["usd"]} if known else {}
        self._table.transact(
            [
                Change(key=key, set={"usd": usd}, condition=condition, values=values),
                Change(key=usage_row(crawl.tenant, month), add={"usd": added}),
                Change(key=spent_row(month), add={"usd": added}),
            ],
            CONTESTED,
        )

    def spent(self, month: str, tenant: str = "") -> float:
        """Return what crawls have cost in a month, in dollars."""
        row = self._table.get(usage_row(tenant, month) if tenant else spent_row(month))
        return float(row.get("usd", 0)) if row else 0.0
