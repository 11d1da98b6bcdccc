"""The settings of `wavecrawl serve`."""

from wavecrawl.application.operator_settings import OperatorSettings

LOCAL_TENANT = "local"
"""The tenant of a data folder's own crawls and keys."""


class LocalSettings(OperatorSettings, frozen=True, kw_only=True):
    """The operator's settings of one machine, and how its crawls are run."""

    tenant: str = LOCAL_TENANT
    base_url: str = "http://127.0.0.1:8787"  # of the API, as clients see it, without a slash at the end
    viewer_url: str = ""  # of the viewer of archives, without a slash at the end; "" = there is none
    most_crawls: int = 2  # at the same time
    most_paused: int = 8  # paused crawls that `most_crawls` does not count
    workers: int = 2  # processes per crawl
    most_indexings: int = 1  # sites that are indexed at the same time, in addition to the crawls
    index_mb: int = 1_024  # memory of a process that indexes

    @property
    def costs_money(self) -> bool:
        """Whether crawls have a cost that `budget_usd` can limit."""
        return False


DEFAULTS = LocalSettings()
