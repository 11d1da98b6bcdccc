"""The keys of rows. Each starts with tenant, site or crawl, which isolates tenants (docs/architecture.md)."""

from hashlib import sha256

from wavecrawl.domain.crawl.job import BatchId, CrawlId

Key = tuple[str, str]
"""Partition key and sort key."""


def site_row(crawl: CrawlId) -> Key:
    """Return the key of the row with the lock of the crawl's site."""
    return _site(crawl), "SITE"


def crawl_row(crawl: CrawlId) -> Key:
    """Return the key of a crawl."""
    return _site(crawl), f"CRAWL#{crawl.crawl}"


def tenant_row(tenant: str, crawl: str) -> Key:
    """Return the key of the row that names the site of a tenant's crawl; crawl ids sort by time."""
    return f"TENANT#{tenant}", f"CRAWL#{crawl}"


ALL_TENANTS = "TENANTS"
"""The partition with the list of tenants."""

ALL_KEYS = "KEY#"
"""The prefix of the sort keys of a tenant's API keys."""


def tenant_terms_row(tenant: str) -> Key:
    """Return the key of a tenant's row with plan and settings."""
    return f"TENANT#{tenant}", "TENANT"


def listed_tenant_row(tenant: str) -> Key:
    """Return the key of a tenant in the list of tenants."""
    return ALL_TENANTS, f"TENANT#{tenant}"


def usage_row(tenant: str, month: str) -> Key:
    """Return the key of a tenant's counters for a month."""
    return f"TENANT#{tenant}", f"USAGE#{month}"


def tenant_key_row(tenant: str, id_: str) -> Key:
    """Return the key of an API key in the list of its tenant."""
    return f"TENANT#{tenant}", f"{ALL_KEYS}{id_}"


def api_key_row(digest: str) -> Key:
    """Return the key of an API key."""
    return f"KEY#{digest}", "KEY"


def turns_row(group: str, window_end: float) -> Key:
    """Return the key of a group's rate-limit counters for one window."""
    return f"RATE#{group}", f"WINDOW#{window_end:.3f}"


def repeat_row(tenant: str, key: str) -> Key:
    """Return the key of a request with an idempotency key."""
    return f"TENANT#{tenant}", f"REPEAT#{sha256(key.encode()).hexdigest()}"


def saved_site_row(tenant: str, site: str) -> Key:
    """Return the key of a saved site; a tenant's sites sort by id."""
    return f"TENANT#{tenant}", f"SITE#{site}"


def saved_sites_row(tenant: str) -> Key:
    """Return the key of the counter of a tenant's saved sites."""
    return f"TENANT#{tenant}", "SITES"


def work_partition(crawl: CrawlId) -> str:
    """Return the partition of a crawl's waves and batches."""
    return f"CRAWL#{crawl}"


def wave_row(crawl: CrawlId, wave: int) -> Key:
    """Return the key of a wave's counters."""
    return work_partition(crawl), f"{ALL_WAVES}{wave:06d}"


def token_row(crawl: CrawlId, wave: int) -> Key:
    """Return the key of a wave's task token. In the wave's own row, it would double the cost of each completion."""
    return work_partition(crawl), f"TOKEN#{wave:06d}"


def batch_row(id_: BatchId) -> Key:
    """Return the key of a batch."""
    return work_partition(id_.crawl), f"{batches_of(id_.wave)}{id_.batch:05d}"


def batches_of(wave: int) -> str:
    """Return the prefix of the sort keys of a wave's batches."""
    return f"{ALL_BATCHES}{wave:06d}#"


ALL_WAVES = "WAVE#"
"""The prefix of the sort keys of waves."""

ALL_BATCHES = "BATCH#"
"""The prefix of the sort keys of batches."""


def event_row(crawl: CrawlId, sequence: int) -> Key:
    """Return the key of an entry of the crawl's event log."""
    return work_partition(crawl), f"{EVENT}{sequence:07d}"


EVENT = "EVENT#"
"""The prefix of the sort keys of a crawl's event log."""

HIDDEN = "HIDDEN#"
"""The prefix of the sort keys of a crawl's hidden pages."""


def hidden_row(crawl: CrawlId, key: str) -> Key:
    """Return the key of a hidden page of a crawl."""
    return work_partition(crawl), f"{HIDDEN}{key}"


def claim_row(crawl: CrawlId, key: str) -> Key:
    """Return the key of a claim. Claims are sharded, as the throughput of a partition is limited."""
    return f"{work_partition(crawl)}#{key[:1]}", f"CLAIM#{key}"


def page_row(crawl: CrawlId, key: str) -> Key:
    """Return the key of a page's memory."""
    return f"{_site(crawl)}#{key[:1]}", f"PAGE#{key}"


def page_shards(crawl: CrawlId) -> list[Key]:
    """Return the partitions of the site's page memory, each with the prefix of its sort keys."""
    return [page_row(crawl, digit) for digit in "0123456789abcdef"]


def webhook_row(tenant: str, webhook: str) -> Key:
    """Return the key of a tenant's webhook."""
    return f"TENANT#{tenant}", f"WEBHOOK#{webhook}"


def delivery_row(tenant: str, webhook: str, delivery: str) -> Key:
    """Return the key of a delivery; deliveries of a webhook sort by time."""
    return f"TENANT#{tenant}#WEBHOOK#{webhook}", f"DELIVERY#{delivery}"


def host_row(host: str) -> Key:
    """Return the key of a host, which all crawls and tenants share."""
    return f"HOST#{host}", "HOST"


def robots_row(origin: str) -> Key:
    """Return the key of an origin's robots.txt."""
    return f"HOST#{origin}", "ROBOTS"


def _site(crawl: CrawlId) -> str:
    return f"SITE#{crawl.tenant}/{crawl.site}"
