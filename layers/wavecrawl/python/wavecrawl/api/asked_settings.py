"""From the settings that a request names to those of a crawl."""

from dataclasses import replace

import msgspec

from wavecrawl.api.service import ServiceSettings
from wavecrawl.api_models.settings import CrawlSettingsModel
from wavecrawl.domain.crawl.settings import CrawlSettings


def asked_settings(asked: CrawlSettingsModel | None) -> CrawlSettings:
    """Return the settings that a request names, over the defaults."""
    return msgspec.convert(asked.model_dump(exclude_unset=True, mode="json") if asked else {}, CrawlSettings)


def names_pages(asked: CrawlSettingsModel | None) -> bool:
    """Tell whether a request says how many pages it wants."""
    return asked is not None and "max_pages" in asked.model_fields_set


def operated(settings: CrawlSettings, operator: ServiceSettings) -> CrawlSettings:
    """Return settings with the operator's own; raise InvalidSettingsError where they do not hold."""
    return replace(
        settings,
        contact=operator.contact,
        allowed_addresses=operator.allowed_addresses,
        waves=replace(settings.waves, lease=operator.lease),
    ).validated()
