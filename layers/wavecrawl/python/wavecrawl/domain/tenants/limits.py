"""Limits of tenants, of their settings and of their API keys."""

import re
from typing import Final

TENANT_ID: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
"""Ids of tenants. (The id of the deployment's own tenant comes from its settings.)"""

LONGEST_TENANT_NAME: Final = 200  # characters
LONGEST_KEY_NAME: Final = 100  # characters

GRACE: Final = 86_400.0  # seconds that a rotated key stays valid by default
LONGEST_GRACE: Final = 30 * 86_400.0  # seconds

FEWEST_PAGES: Final = 10
MOST_PAGES: Final = 500  # unless the plan allows more
MOST_RUNNING: Final = 1_000  # crawls of a tenant at the same time
MOST_DENIED: Final = 5_000
"""Hosts on the operator's deny list. The list is one row of the store, which every worker reads."""

MOST_USD: Final = 1_000_000.0  # of a limit of costs per month
NO_CEILING: Final = 100_000_000  # maximum of `CrawlSettings.max_pages`

MOST_LISTS: Final = 100  # uploaded lists of URLs of a tenant
LONGEST_LIST_NAME: Final = 200  # characters
MOST_SITES_OF_A_LIST: Final = 1_000
"""Saved sites that name the same list. The list is one row of the store, which has their IDs."""

DAYS_OF_A_LIST: Final = 90
"""Days for which an uploaded list is kept after its creation if no saved site names it. In AWS, a lifecycle rule of the
bucket deletes it then (infra/constructs/storage.py)."""
