"""The keys of rows. Each starts with a tenant, site or crawl, which isolates tenants."""

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
    """Return the row that points a tenant to a crawl; crawl ids sort by time."""
    return f"TENANT#{tenant}", f"CRAWL#{crawl}"


def queued_row(crawl: CrawlId) -> Key:
    """Return the row of a crawl that waits to be launched; a tenant's queued crawls sort by id."""
    return f"TENANT#{crawl.tenant}", f"QUEUED#{crawl.crawl}"


def running_row(tenant: str) -> Key:
    """Return the row with the ids of a tenant's running crawls."""
    return f"TENANT#{tenant}", "RUNNING"


def tenant_terms_row(tenant: str) -> Key:
    """Return the row of a tenant: plan, settings."""
    return f"TENANT#{tenant}", "TENANT"


def listed_tenant_row(tenant: str) -> Key:
    """Return the row that lists a tenant among the others."""
    return "TENANTS", f"TENANT#{tenant}"


def usage_row(tenant: str, month: str) -> Key:
    """Return the row that counts a tenant's crawls of a month."""
    return f"TENANT#{tenant}", f"USAGE#{month}"


def spent_row(month: str) -> Key:
    """Return the row that sums what the crawls of all tenants have cost in a month."""
    return "OPERATOR", f"SPENT#{month}"


def charged_row(crawl: CrawlId) -> Key:
    """Return the row with what a crawl has been charged with."""
    return work_partition(crawl), "CHARGED"


def controls_row() -> Key:
    """Return the row of the operator's controls."""
    return "OPERATOR", "CONTROLS"


def tenant_key_row(tenant: str, id_: str) -> Key:
    """Return the row that lists a key of a tenant."""
    return f"TENANT#{tenant}", f"KEY#{id_}"


def api_key_row(digest: str) -> Key:
    """Return the row of an API key."""
    return f"KEY#{digest}", "KEY"


def turns_row(group: str, window_end: float) -> Key:
    """Return the row that counts the turns of a group and its members in one window."""
    return f"RATE#{group}", f"WINDOW#{window_end:.3f}"


def repeat_row(tenant: str, key: str) -> Key:
    """Return the row of a request that may be repeated."""
    return f"TENANT#{tenant}", f"REPEAT#{sha256(key.encode()).hexdigest()}"


def saved_site_row(tenant: str, site: str) -> Key:
    """Return the row of a site; a tenant's sites sort by id."""
    return f"TENANT#{tenant}", f"SITE#{site}"


def saved_sites_row(tenant: str) -> Key:
    """Return the row that counts a tenant's sites."""
    return f"TENANT#{tenant}", "SITES"


def work_partition(crawl: CrawlId) -> str:
    """Return the partition of a crawl's waves and batches."""
    return f"CRAWL#{crawl}"


def wave_row(crawl: CrawlId, wave: int) -> Key:
    """Return the row of a wave's counters."""
    return work_partition(crawl), f"{ALL_WAVES}{wave:06d}"


def total_row(crawl: CrawlId, wave: int) -> Key:
    """Return the row of the sums of all waves up to this one. It sorts between this wave and the next."""
    return work_partition(crawl), f"{ALL_WAVES}{wave:06d}{OF_A_TOTAL}"


OF_A_TOTAL = "~"
"""The end of the sort keys of `total_row`."""


def token_row(crawl: CrawlId, wave: int) -> Key:
    """Return the row of a wave's task token. In the wave's own row it would double the price of each completion."""
    return work_partition(crawl), f"TOKEN#{wave:06d}"


def batch_row(id_: BatchId) -> Key:
    """Return the row of a batch."""
    return work_partition(id_.crawl), f"{batches_of(id_.wave)}{id_.batch:05d}"


def batches_of(wave: int) -> str:
    """Return the prefix of the sort keys of a wave's batches."""
    return f"{ALL_BATCHES}{wave:06d}#"


ALL_WAVES = "WAVE#"
"""The prefix of the sort keys of waves and of their totals."""

ALL_BATCHES = "BATCH#"
"""The prefix of the sort keys of batches."""


def event_row(crawl: CrawlId, sequence: int) -> Key:
    """Return the row of an entry of the crawl's event log."""
    return work_partition(crawl), f"{EVENT}{sequence:09d}"


EVENT = "EVENT#"
"""The prefix of the sort keys of a crawl's event log."""


HIDDEN = "HIDDEN#"
"""The prefix of the sort keys of a crawl's hidden pages."""


def hidden_row(crawl: CrawlId, key: str) -> Key:
    """Return the row that hides a page of a crawl."""
    return work_partition(crawl), f"{HIDDEN}{key}"


def claim_row(crawl: CrawlId, key: str) -> Key:
    """Return the row of a claim. Shards keep a crawl's claims from sharing one partition's throughput."""
    return f"{work_partition(crawl)}#{key[:1]}", f"CLAIM#{key}"


ASSET = "MEDIA#"
"""The prefix of the sort keys of assets."""


def asset_row(tenant: str, hash_: str) -> Key:
    """Return the row of an asset. Shards keep a tenant's assets from sharing one partition's throughput."""
    return f"TENANT#{tenant}#MEDIA#{hash_[:1]}", f"{ASSET}{hash_}"


def webhook_row(tenant: str, webhook: str) -> Key:
    """Return the row of a tenant's webhook."""
    return f"TENANT#{tenant}", f"WEBHOOK#{webhook}"


def list_row(tenant: str, list_: str) -> Key:
    """Return the row of an uploaded list of URLs."""
    return f"TENANT#{tenant}", f"LIST#{list_}"


def delivery_row(tenant: str, webhook: str, delivery: str) -> Key:
    """Return the row of a delivery; a webhook's deliveries sort by time."""
    return f"TENANT#{tenant}#WEBHOOK#{webhook}", f"DELIVERY#{delivery}"


def host_row(host: str) -> Key:
    """Return the row of a host, shared by all crawls and tenants."""
    return f"HOST#{host}", "HOST"


def sender_row(host: str, sender: str) -> Key:
    """Return the row of what a host said to one sender."""
    return f"HOST#{host}", f"SENDER#{sender}"


def robots_row(origin: str) -> Key:
    """Return the row of an origin's robots.txt."""
    return f"HOST#{origin}", "ROBOTS"


def _site(crawl: CrawlId) -> str:
    return f"SITE#{crawl.tenant}/{crawl.site}"
