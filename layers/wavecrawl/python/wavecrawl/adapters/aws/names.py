"""The names of rows: each starts from tenant, site or crawl, so tenants are isolated by construction (design 7)."""

from hashlib import sha256

from wavecrawl.domain.crawl.job import BatchId, CrawlId

Key = tuple[str, str]
"""Partition key and sort key."""


def site_row(crawl: CrawlId) -> Key:
    """Return the row with the lock of the crawl's site."""
    return _site(crawl), "SITE"


def crawl_row(crawl: CrawlId) -> Key:
    """Return the row of a crawl."""
    return _site(crawl), f"CRAWL#{crawl.crawl}"


def tenant_row(tenant: str, crawl: str) -> Key:
    """Return the row that tells a tenant where a crawl is; its ids sort by time."""
    return f"TENANT#{tenant}", f"CRAWL#{crawl}"


ALL_TENANTS = "TENANTS"
"""The partition that lists the tenants."""

ALL_KEYS = "KEY#"
"""How the sort keys of a tenant's API keys start."""


def tenant_terms_row(tenant: str) -> Key:
    """Return the row of a tenant: plan, settings."""
    return f"TENANT#{tenant}", "TENANT"


def listed_tenant_row(tenant: str) -> Key:
    """Return the row that lists a tenant among the others."""
    return ALL_TENANTS, f"TENANT#{tenant}"


def usage_row(tenant: str, month: str) -> Key:
    """Return the row that counts what a tenant did in a month."""
    return f"TENANT#{tenant}", f"USAGE#{month}"


def tenant_key_row(tenant: str, id_: str) -> Key:
    """Return the row that lists a key of a tenant."""
    return f"TENANT#{tenant}", f"{ALL_KEYS}{id_}"


def api_key_row(digest: str) -> Key:
    """Return the row of an API key."""
    return f"KEY#{digest}", "KEY"


def turns_row(group: str, window_end: float) -> Key:
    """Return the row that counts what the members of a group did in one window of time."""
    return f"RATE#{group}", f"WINDOW#{window_end:.3f}"


def repeat_row(tenant: str, key: str) -> Key:
    """Return the row of a request that may come again."""
    return f"TENANT#{tenant}", f"REPEAT#{sha256(key.encode()).hexdigest()}"


def saved_site_row(tenant: str, site: str) -> Key:
    """Return the row of a site as its tenant saved it; a tenant's sites are listed in order of their ids."""
    return f"TENANT#{tenant}", f"SITE#{site}"


def saved_sites_row(tenant: str) -> Key:
    """Return the row that counts the sites a tenant has saved."""
    return f"TENANT#{tenant}", "SITES"


def work_partition(crawl: CrawlId) -> str:
    """Return the partition of a crawl's waves and batches."""
    return f"CRAWL#{crawl}"


def wave_row(crawl: CrawlId, wave: int) -> Key:
    """Return the row of a wave's counters."""
    return work_partition(crawl), f"{ALL_WAVES}{wave:06d}"


def token_row(crawl: CrawlId, wave: int) -> Key:
    """Return the row of a wave's task token: it would double the price of each completion in the wave's own row."""
    return work_partition(crawl), f"TOKEN#{wave:06d}"


def batch_row(id_: BatchId) -> Key:
    """Return the row of a batch."""
    return work_partition(id_.crawl), f"{batches_of(id_.wave)}{id_.batch:05d}"


def batches_of(wave: int) -> str:
    """Return how the sort keys of a wave's batches start."""
    return f"{ALL_BATCHES}{wave:06d}#"


ALL_WAVES = "WAVE#"
"""How the sort keys of all waves start."""

ALL_BATCHES = "BATCH#"
"""How the sort keys of all batches start."""


def event_row(crawl: CrawlId, sequence: int) -> Key:
    """Return the row of an entry of the crawl's event log."""
    return work_partition(crawl), f"{EVENT}{sequence:07d}"


EVENT = "EVENT#"
"""How the sort keys of a crawl's event log start."""


HIDDEN = "HIDDEN#"
"""How the sort keys of a crawl's hidden pages start."""


def hidden_row(crawl: CrawlId, key: str) -> Key:
    """Return the row that hides a page of a crawl."""
    return work_partition(crawl), f"{HIDDEN}{key}"


def claim_row(crawl: CrawlId, key: str) -> Key:
    """Return the row of a claim. Shards keep a crawl's claims from sharing one partition's throughput."""
    return f"{work_partition(crawl)}#{key[:1]}", f"CLAIM#{key}"


def page_row(crawl: CrawlId, key: str) -> Key:
    """Return the row of a page's memory."""
    return f"{_site(crawl)}#{key[:1]}", f"PAGE#{key}"


def page_shards(crawl: CrawlId) -> list[Key]:
    """Return the partitions in which the site's pages are remembered, each with what its sort keys begin with."""
    return [page_row(crawl, digit) for digit in "0123456789abcdef"]


def webhook_row(tenant: str, webhook: str) -> Key:
    """Return the row of a tenant's webhook."""
    return f"TENANT#{tenant}", f"WEBHOOK#{webhook}"


def delivery_row(tenant: str, webhook: str, delivery: str) -> Key:
    """Return the row of a delivery; those of a webhook sort by time."""
    return f"TENANT#{tenant}#WEBHOOK#{webhook}", f"DELIVERY#{delivery}"


def host_row(host: str) -> Key:
    """Return the row of a host, which all crawls and tenants share."""
    return f"HOST#{host}", "HOST"


def robots_row(origin: str) -> Key:
    """Return the row of an origin's robots.txt."""
    return f"HOST#{origin}", "ROBOTS"


def _site(crawl: CrawlId) -> str:
    return f"SITE#{crawl.tenant}/{crawl.site}"
