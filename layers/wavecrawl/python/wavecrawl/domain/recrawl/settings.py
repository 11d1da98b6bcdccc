"""The settings of recrawls."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated


class Mode(StrEnum):
    """Which of the pages known from earlier crawls of the site are requested. In its first crawl, all pages are.

    - `full`: all pages
    - `changed_only`: those that may have changed: the sitemap or feed has a newer date, or they are due
    - `due_only`: those that are due, because of how often they changed before
    """

    FULL = "full"
    CHANGED_ONLY = "changed_only"
    DUE_ONLY = "due_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecrawlSettings:
    """When a known page is due, in crawls with another mode than `full`. The interval follows its change rate."""

    interval: Annotated[
        float,
        "Seconds after which a page is due whose changes are this many seconds apart on average, and the first guess "
        "for pages without a history. A page that changes 8 times as often is due after half the time.",
    ] = 604_800.0
    min_interval: Annotated[float, "Minimum number of seconds between two requests for a page."] = 21_600.0
    max_interval: Annotated[float, "Maximum number of seconds between two requests for a page."] = 7_776_000.0
    quarantine_after: Annotated[
        int,
        "Number of crawls in a row in which a page must fail to be in quarantine: it is skipped, with reason "
        "`quarantined`, until `recrawl.quarantine_interval` is over. 0: never.",
    ] = 3
    quarantine_interval: Annotated[
        float, "Number of seconds between two requests for a page in quarantine. A crawl with mode `full` requests it."
    ] = 2_592_000.0
    min_lastmod_trust: Annotated[
        float,
        "Minimum share of newer dates in sitemaps and feeds that must have come with a changed page, so that newer "
        "dates make pages due. The first 20 dates of a site count as half right.",
    ] = 0.2
