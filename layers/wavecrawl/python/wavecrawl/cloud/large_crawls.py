"""Crawls that are too large for the function finish_crawl: a Fargate task finishes them (ADR 16)."""

from typing import TYPE_CHECKING

from msgspec import structs

from wavecrawl.ports.signals import Following, NextStep

if TYPE_CHECKING:
    from wavecrawl.bootstrap.cloud import Cloud
    from wavecrawl.domain.crawl.counters import Counters


def finish_of(cloud: "Cloud", following: Following, counters: "Counters") -> Following:
    """Return what follows a step; if it is the end, choose by the number of records who builds the results."""
    most = cloud.settings.finish_pages
    if following.next is NextStep.FINISH and 0 < most < counters.done:
        return structs.replace(following, next=NextStep.FINISH_LARGE, pages=counters.done)
    return following
