import re

from wavecrawl.domain.crawl.reached_limits import ReachedLimit, reached_limits
from wavecrawl.domain.crawl.record import Reason
from wavecrawl.domain.crawl.settings import CrawlSettings


def test_only_limits_are_returned_and_only_those_that_left_urls_unread() -> None:
    assert reached_limits({"max_pages": 12, "max_depth": 0, "status": 5, "robots_rule": 3}) == (
        ReachedLimit(
            reason=Reason.MAX_PAGES,
            urls=12,
            cause="the crawl reached its limit of pages",
            advice="Raise the setting max_pages (option --max-pages).",
        ),
    )
    assert reached_limits({}) == ()


def test_each_setting_that_an_advice_names_exists() -> None:
    found = reached_limits(dict.fromkeys(Reason, 1))
    named = [name for one in found for name in re.findall(r"setting ([\w.]+[a-z])", one.advice)]
    # A cancelled crawl, and one of a spent month, are resumed. The planner's memory is no setting of a crawl.
    assert len(named) == len(found) - 3 == 8
    for name in named:
        value: object = CrawlSettings()
        for part in name.split("."):
            value = getattr(value, part)
