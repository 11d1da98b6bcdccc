"""Crawls: start, list, look at, cancel."""

import re
from datetime import UTC, datetime
from http import HTTPStatus
from secrets import token_hex
from typing import Final

from aws_lambda_powertools.event_handler import Response

from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.web.api.models_crawls import (
    CrawlInFull,
    CrawlList,
    CrawlStarted,
    NewCrawl,
    in_full,
    outline,
    started,
)
from wavecrawl.web.api.routing import PAGE, CrawlName, CursorQuery, LimitQuery, Routes, answer
from wavecrawl.web.problems import Problem
from wavecrawl.web.service import Service
from wavecrawl.web.telemetry import about, count

_ID: Final = re.compile(r"[A-Za-z0-9-]{1,64}")
"""What may be a crawl's id; anything else would only trouble the table."""


def crawl_of(routes: Routes, crawl: str) -> CrawlRow:
    """Return a crawl of the caller's tenant; raise Problem 404 where it has none of that id."""
    row = routes.service.crawls.find(routes.caller.tenant, crawl) if _ID.fullmatch(crawl) else None
    if row is None:
        raise Problem(HTTPStatus.NOT_FOUND, f"there is no crawl {crawl}")
    about(row.id)
    return row
