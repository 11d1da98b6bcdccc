"""Settings of crawls as models of the API."""

from collections.abc import Mapping
from typing import Any

import msgspec

from wavecrawl.api_models.settings import CrawlSettings
from wavecrawl.domain.crawl import settings as domain
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS


def settings_model(settings: domain.CrawlSettings) -> CrawlSettings:
    """Return the settings that a request may set."""
    return CrawlSettings(**_without_reserved(msgspec.to_builtins(settings)))


def _without_reserved(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    return {
        name: _without_reserved(value, f"{prefix}{name}.") if isinstance(value, Mapping) else value
        for name, value in settings.items()
        if f"{prefix}{name}" not in REQUEST_BOUNDS.reserved
    }
