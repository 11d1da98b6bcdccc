"""Bounds of the crawl settings: the range of each number, and what a request may set."""

from collections.abc import Mapping
from math import inf
from types import MappingProxyType

import msgspec

_MIB = 1024 * 1024

RANGES: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "max_pages": (1, 100_000_000),
        "max_tries": (0, 1_000_000_000),
        "max_requests": (0, 1_000_000_000),
        "max_depth": (0, 10_000),
        "max_seconds": (0, 31_536_000),
        "budget_usd": (0, 1_000_000),
        "max_frontier": (0, 100_000_000),
        "max_retries": (0, 20),
        "retry_base": (0, 3_600),
        "retry_cap": (0, 86_400),
        "log_urls": (0, 1),
        "max_redirects": (0, 50),
        "max_url_length": (16, 65_536),
        "max_links": (0, 1_000_000),
        "max_page_cpu": (1, 600),
        "focus.weights.path": (0, 1),
        "focus.weights.anchor": (0, 1),
        "focus.weights.freshness": (0, 1),
        "focus.weights.duplication": (0, 1),
        "focus.weights.trap": (0, 1),
        "limits.timeout": (0.05, 600),
        "limits.max_bytes": (1, 1_073_741_824),
        "limits.max_decoded_bytes": (1, 1_073_741_824),
        "checks.max_urls": (0, 1_000_000),
        "checks.timeout": (0.05, 3_600),
        "archive.max_resources": (0, 1_000_000),
        "archive.max_resource_mb": (0.001, 1_000),
        "archive.max_mb": (0, 100_000),
        "media.max_assets": (0, 1_000_000),
        "media.timeout": (0.05, 3_600),
        "media.max_image_mb": (0.001, 1_000),
        "media.max_document_mb": (0.001, 1_000),
        "media.max_video_mb": (0.001, 10_000),
        "media.max_width": (16, 20_000),
        "media.max_pixels": (256, 1_000_000_000),
        "media.jpeg_quality": (1, 95),
        "media.webp_quality": (1, 100),
        "media.process_seconds": (1, 600),
        "media.document_mb": (64, 10_000),
        "media.document_characters": (1_000, 100_000_000),
        "polite.in_flight": (1, 1_000),
        "polite.interval": (0, 86_400),
        "polite.robots_wait": (1, 3_600),
        "polite.max_robots_waits": (0, 10),
        "polite.max_interval": (0, 86_400),
        "polite.max_retry_after": (0, 86_400),
        "polite.max_delay": (0, 86_400),
        "polite.cooldown": (0, 86_400),
        "polite.max_cooldowns": (0, 100),
        "sitemaps.max_urls": (1, 50_000),
        "sitemaps.timeout": (0.05, 600),
        "sitemaps.max_depth": (0, 20),
        "sitemaps.max_files": (0, 100_000),
        "sitemaps.max_listed": (0, 100_000_000),
        "sitemaps.max_bytes": (1, 1_073_741_824),
        "sitemaps.min_compared": (2, 1_000_000),
        "render.detect.min_html": (0, 1_000_000),
        "render.detect.min_children": (0, 1_000_000),
        "render.detect.max_scripts": (0, 1_000_000),
        "render.detect.min_script_characters": (0, 1_000_000),
        "render.timeout": (1, 600),
        "render.settle": (0, 600),
        "render.open_controls": (0, 1_000),
        "render.learn_after": (1, 10_000),
        "render.samples": (0, 10_000),
        "render.sample_every": (0, 1_000_000),
        "render.in_flight": (1, 32),
        "render.pages_per_browser": (1, 100_000),
        "render.max_browser_mb": (100, 100_000),
        "render.max_html": (1_000, 1_000_000_000),
        "render.max_requests": (0, 100_000),
        "render.max_bytes": (0, 10_000_000_000),
        "render.max_crawl_bytes": (0, 1_000_000_000_000_000),
        "render.screenshot_height": (100, 30_000),
        "render.viewport_width": (100, 4_000),
        "render.viewport_height": (100, 4_000),
        "brand.stylesheets": (0, 20),
        "extract.max_values": (1, 1_000),
        "extract.max_characters": (1, 100_000),
        "recrawl.interval": (60, 315_360_000),
        "recrawl.min_interval": (1, 315_360_000),
        "recrawl.max_interval": (1, 315_360_000),
        "recrawl.quarantine_after": (0, 100),
        "recrawl.quarantine_interval": (1, 315_360_000),
        "recrawl.min_lastmod_trust": (0, 1),
        "traps.first_urls": (0, 100_000),
        "traps.calendar.max_empty": (2, 10_000),
        "traps.calendar.max_views": (2, 1_000_000),
        "traps.pagination.after_page": (1, 1_000_000),
        "traps.pagination.max_empty": (1, 10_000),
        "traps.segments.repeats": (2, 100),
        "traps.parameters.max_empty": (2, 10_000),
        "traps.session.max_empty": (2, 10_000),
        "traps.template.max_alike": (2, 1_000_000),
        "traps.template.max_copies": (2, 1_000_000),
        "traps.repeated_json.max_alike": (2, 1_000_000),
        "waves.max_urls": (1, 100_000),
        "waves.best_first_urls": (1, 100_000),
        "waves.best_first_share": (0, 1),
        "waves.max_seconds": (1, 86_400),
        "waves.batch_size": (1, 100),
        "waves.render_batch_size": (1, 100),
        "waves.min_batches": (1, 1_000),
        "waves.max_batch_bytes": (1, 10_737_418_240),
        "waves.max_batch_links": (1, 10_000_000),
        "waves.max_bytes_in_flight": (1, 10_737_418_240),
        "waves.lease": (1, 43_200),
        "waves.max_attempts": (1, 100),
        "waves.part_pages": (1, 100_000),
        "waves.part_seconds": (0, 86_400),
        "knowledge.passage_characters": (100, 20_000),
        "knowledge.overlap_characters": (0, 10_000),
        "knowledge.max_passages": (1, 1_000_000),
        "knowledge.max_seconds": (1, 604_800),
        "duplicates.same": (0.9, 0.99),
        "duplicates.shared_words": (0, 1),
        "duplicates.review": (0.8, 0.99),
        "duplicates.min_words": (0, 10_000),
        "graph.max_nodes": (1, 200_000),
        "graph.max_links": (0, 2_000_000),
        "issues.min_title": (0, 1_000),
        "issues.max_title": (0, 1_000),
        "issues.min_description": (0, 2_000),
        "issues.max_description": (0, 2_000),
        "issues.min_words": (0, 100_000),
        "issues.max_clicks": (0, 10_000),
        "issues.max_url": (0, 65_536),
        "issues.max_parameters": (0, 1_000),
        "issues.max_load_seconds": (0, 3_600),
        "issues.max_html_kb": (0, 1_073_741),
        "objectives.density": (0, 1),
        "objectives.coverage": (0, 1),
        "objectives.staleness": (0, 3_650),
        "objectives.discard_rate": (0, 1),
        "objectives.change_yield": (0, 1),
        "objectives.min_words": (0, 10_000),
    }
)
"""Smallest and largest value of each numeric setting."""


class SettingsBounds(msgspec.Struct, frozen=True, kw_only=True):
    """Which settings may be set, and to which values."""

    reserved: frozenset[str] = frozenset()  # settings that may not be set
    minimums: Mapping[str, float] = msgspec.field(default_factory=dict)  # higher than those of RANGES
    maximums: Mapping[str, float] = msgspec.field(default_factory=dict)  # lower than those of RANGES

    def range_of(self, path: str) -> tuple[float, float]:
        """Return the smallest and largest value of a numeric setting, such as `limits.timeout`."""
        low, high = RANGES[path]
        return max(low, self.minimums.get(path, -inf)), min(high, self.maximums.get(path, inf))

    def problem(self, path: str, value: object) -> str | None:
        """Return what is wrong with the value of a numeric setting, None if it is in its range."""
        low, high = self.range_of(path)
        if isinstance(value, int | float) and low <= value <= high:
            return None
        return f"{path} must be between {low:,.12g} and {high:,.12g}: {value!r}"


OPERATOR_BOUNDS = SettingsBounds()
"""Bounds of the person who runs the crawler: any setting, any value of its range."""

REQUEST_BOUNDS = SettingsBounds(
    reserved=frozenset(
        {
            "allowed_addresses",
            "contact",
            "media.document_mb",
            "render.in_flight",
            "render.max_browser_mb",
            "render.pages_per_browser",
            "robots_product",
            "waves",
        }
    ),
    minimums=MappingProxyType(
        {
            "polite.max_interval": 1,  # seconds; a host that stays overloaded is paused before, at 0.4 s
            "polite.max_retry_after": 60,  # seconds; the time after which most rate limits allow requests again
            "polite.cooldown": 1,  # seconds; doubled for each further pause
        }
    ),
    maximums=MappingProxyType(
        {
            "polite.in_flight": 100,
            "max_page_cpu": 20,  # seconds of processor time
            "limits.timeout": 30,  # seconds
            "limits.max_bytes": 50 * _MIB,
            "limits.max_decoded_bytes": 50 * _MIB,
            "checks.timeout": 20,  # seconds
            "knowledge.max_seconds": 86_400,
            "media.timeout": 60,  # seconds
            "archive.max_resource_mb": 50,
            "media.max_image_mb": 50,
            "media.max_document_mb": 100,
            "media.max_video_mb": 500,
            "media.max_pixels": 50_000_000,
            "media.process_seconds": 30,
            "media.document_characters": 10_000_000,
            "render.timeout": 120,  # seconds
            "render.settle": 30,  # seconds
            "render.open_controls": 100,
            "render.max_html": 10_000_000,
            "render.max_requests": 2_000,
            "render.max_bytes": 100_000_000,
            "render.screenshot_height": 20_000,
            "sitemaps.timeout": 60,  # seconds
            "sitemaps.max_listed": 1_000_000,
            "sitemaps.max_bytes": 50 * _MIB,
        }
    ),
)
"""Bounds of a request to the API or a webhook.

The minimums let each host slow a crawl down. `polite.interval` has none: with 0, a host is crawled without delay only
until it is overloaded. Pages and sitemaps must fit the time and memory of one
function.

Plans and tenants have lower maximums (`domain.tenants.plans.MAXIMUMS`).
"""
