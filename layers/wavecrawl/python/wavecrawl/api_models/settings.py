"""Settings of a crawl in requests and responses: those of `domain.crawl.settings` that a request may set."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import msgspec
from msgspec.structs import FieldInfo, fields
from pydantic import Field as ModelField
from pydantic import SerializeAsAny, SkipValidation, create_model

from wavecrawl.api_models.types import Flag, Real, RequestModel, Whole
from wavecrawl.domain.archive import settings as archive
from wavecrawl.domain.archive.settings import ArchiveContent
from wavecrawl.domain.brand import settings as brand
from wavecrawl.domain.checks import settings as checks
from wavecrawl.domain.crawl import objectives
from wavecrawl.domain.crawl import settings as domain
from wavecrawl.domain.crawl.settings import Discovery, ScopeMode
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS
from wavecrawl.domain.fetching import limits
from wavecrawl.domain.focus import settings as focus
from wavecrawl.domain.focus.settings import Strategy
from wavecrawl.domain.graph import issue_settings as issues
from wavecrawl.domain.graph import settings as graph
from wavecrawl.domain.graph.issue import IssueName
from wavecrawl.domain.knowledge import settings as knowledge
from wavecrawl.domain.media import settings as media
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.domain.pages import duplicates, extraction_rules
from wavecrawl.domain.politeness import settings as politeness
from wavecrawl.domain.recrawl import settings as recrawl
from wavecrawl.domain.recrawl.settings import Mode
from wavecrawl.domain.rendering import settings as rendering
from wavecrawl.domain.rendering.settings import RenderMode, ScreenshotArea, Screenshots
from wavecrawl.domain.sitemaps import settings as sitemaps
from wavecrawl.domain.traps import settings as traps

_LONGEST_TEXT = 1_048_576  # characters, and
_LONGEST_LIST = 262_144  # strings: the most that the largest request body (1 MiB) holds


@cache
def _model(shape: type[msgspec.Struct], prefix: str = "") -> type[RequestModel]:
    """Return the model of a group of settings: each field with its text, its default and its range."""
    hints = get_type_hints(shape, include_extras=True)
    made: dict[str, Any] = {}
    for field in fields(shape):
        if f"{prefix}{field.name}" not in REQUEST_BOUNDS.reserved:
            made[field.name] = _field(field, hints[field.name], f"{prefix}{field.name}")
    return create_model(shape.__name__, __base__=RequestModel, __doc__=shape.__doc__, __module__=__name__, **made)


def _field(field: FieldInfo, hint: Any, path: str) -> tuple[Any, Any]:
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        group = _model(hint, f"{path}.")
        return group, ModelField(default_factory=group)
    kind, text = (hint.__origin__, hint.__metadata__[0]) if hasattr(hint, "__metadata__") else (hint, None)
    default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
    default = list(default) if isinstance(default, tuple) else default
    return _annotated(kind, path), ModelField(default=default, description=text)


def _annotated(kind: Any, path: str) -> Any:
    if kind is bool:
        return Flag
    if kind in (int, float):
        low, high = REQUEST_BOUNDS.range_of(path)
        return Annotated[Whole if kind is int else Real, ModelField(ge=kind(low), le=kind(high))]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    if (names := get_args(kind)) and issubclass(names[0], StrEnum):
        return list[names[0]]  # type: ignore[valid-type]  # a model's field is made from it
    text = Annotated[str, ModelField(max_length=_LONGEST_TEXT)]
    return text if kind is str else Annotated[list[text], ModelField(max_length=_LONGEST_LIST)]


if TYPE_CHECKING:  # For type checkers, a model is the struct that it is made from: same fields, same constructor.
    from wavecrawl.domain.archive.settings import ArchiveSettings
    from wavecrawl.domain.brand.settings import BrandSettings
    from wavecrawl.domain.checks.settings import CheckSettings
    from wavecrawl.domain.crawl.objectives import ObjectiveSettings
    from wavecrawl.domain.crawl.settings import CrawlSettings, ScopeSettings
    from wavecrawl.domain.fetching.limits import FetchLimits
    from wavecrawl.domain.focus.settings import FocusSettings
    from wavecrawl.domain.graph.issue_settings import IssueSettings
    from wavecrawl.domain.graph.settings import GraphSettings
    from wavecrawl.domain.knowledge.settings import KnowledgeSettings
    from wavecrawl.domain.media.settings import MediaSettings
    from wavecrawl.domain.pages.duplicates import DuplicateSettings
    from wavecrawl.domain.pages.extraction_rules import ExtractSettings
    from wavecrawl.domain.politeness.settings import PoliteSettings
    from wavecrawl.domain.recrawl.settings import RecrawlSettings
    from wavecrawl.domain.rendering.settings import RenderSettings
    from wavecrawl.domain.sitemaps.settings import SitemapSettings
    from wavecrawl.domain.traps.settings import TrapSettings
else:
    ScopeSettings = _model(domain.ScopeSettings, "scope.")
    FetchLimits = _model(limits.FetchLimits, "limits.")
    RecrawlSettings = _model(recrawl.RecrawlSettings, "recrawl.")
    BrandSettings = _model(brand.BrandSettings, "brand.")
    RenderSettings = _model(rendering.RenderSettings, "render.")
    PoliteSettings = _model(politeness.PoliteSettings, "polite.")
    SitemapSettings = _model(sitemaps.SitemapSettings, "sitemaps.")
    FocusSettings = _model(focus.FocusSettings, "focus.")
    CheckSettings = _model(checks.CheckSettings, "checks.")
    ArchiveSettings = _model(archive.ArchiveSettings, "archive.")
    MediaSettings = _model(media.MediaSettings, "media.")
    TrapSettings = _model(traps.TrapSettings, "traps.")
    DuplicateSettings = _model(duplicates.DuplicateSettings, "duplicates.")
    ExtractSettings = _model(extraction_rules.ExtractSettings, "extract.")
    GraphSettings = _model(graph.GraphSettings, "graph.")
    IssueSettings = _model(issues.IssueSettings, "issues.")
    KnowledgeSettings = _model(knowledge.KnowledgeSettings, "knowledge.")
    ObjectiveSettings = _model(objectives.ObjectiveSettings, "objectives.")
    CrawlSettings = _model(domain.CrawlSettings)

if TYPE_CHECKING:
    RequestedSettings = CrawlSettings | Mapping[str, object] | None
else:
    RequestedSettings = SkipValidation[SerializeAsAny[CrawlSettings | None]]
"""Settings in a request: a model, or a dict with the same names.

The model documents them; `application.crawl_settings` checks them.
"""

__all__ = [
    "ArchiveContent",
    "ArchiveSettings",
    "BrandSettings",
    "CheckSettings",
    "CrawlSettings",
    "Discovery",
    "DuplicateSettings",
    "ExtractSettings",
    "FetchLimits",
    "FocusSettings",
    "GraphSettings",
    "IssueName",
    "IssueSettings",
    "KnowledgeSettings",
    "MediaGroup",
    "MediaSettings",
    "Mode",
    "ObjectiveSettings",
    "PoliteSettings",
    "RecrawlSettings",
    "RenderMode",
    "RenderSettings",
    "RequestedSettings",
    "ScopeMode",
    "ScopeSettings",
    "ScreenshotArea",
    "Screenshots",
    "SitemapSettings",
    "Strategy",
    "TrapSettings",
]
