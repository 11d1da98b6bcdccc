"""The settings of recrawls."""

from enum import StrEnum
from typing import Annotated

import msgspec


class Mode(StrEnum):
    """Which pages known from earlier crawls of the site to request. The first crawl of a site requests all pages.

    - `full`: all pages but those in quarantine (`recrawl.quarantine_after`)
    - `changed_only`: pages that may have changed: the sitemap or feed has a newer date, or they are due
    - `due_only`: pages that are due, which depends on how often they have changed
    """

    FULL = "full"
    CHANGED_ONLY = "changed_only"
    DUE_ONLY = "due_only"


class RecrawlSettings(msgspec.Struct, frozen=True, kw_only=True):
    """When known pages are due, which depends on how often they have changed. Mode `full` only obeys the quarantine."""

    interval: Annotated[
        float,
        "Seconds after which a page is due if it changes once in this time on average, or if it has no history. A page "
        "that changes 8 times as often is due after half the time.",
    ] = 604_800.0
    intervals: Annotated[
        tuple[str, ...],
        "Values of `recrawl.interval` for kinds of pages, by prefix of the path, such as `/news = 86400` and "
        "`/archive = 2592000`: a page that `recrawl.interval` would make due after this time is due after that of its "
        "prefix, and others in proportion. A prefix ends at a slash or at the end of the path, and may leave out a "
        "language at the start. The longest one counts. At most 100 prefixes.",
    ] = ()
    min_interval: Annotated[float, "Minimum number of seconds between two requests for a page."] = 21_600.0
    max_interval: Annotated[float, "Maximum number of seconds between two requests for a page."] = 7_776_000.0
    quarantine_after: Annotated[
        int,
        "Number of crawls in a row in which a page fails before it is quarantined: it is skipped with reason "
        "`quarantined` until `recrawl.quarantine_interval` is over, in any mode. If more than half of the known pages "
        "are quarantined, the site itself failed: all are requested. 0: no quarantine.",
    ] = 3
    quarantine_interval: Annotated[
        float,
        "Number of seconds between two requests for a quarantined page.",
    ] = 2_592_000.0
    min_lastmod_trust: Annotated[
        float,
        "Minimum share of newer dates in sitemaps and feeds that came with a changed page. Below it, mode "
        "`changed_only` ignores the dates. For each site, 20 more dates are assumed, half of them right.",
    ] = 0.2
