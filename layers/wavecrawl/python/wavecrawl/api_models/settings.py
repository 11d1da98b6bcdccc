"""The settings of a crawl as a request may name them: the fields of `domain.settings`, but for the operator's own."""

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

from pydantic import Field as ModelField
from pydantic import SkipValidation, create_model

from wavecrawl.api_models.types import Asked, Flag, Real, Whole
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import REQUEST_BOUNDS

_LONGEST_LIST, _LONGEST_TEXT = 10_000, 8_192


def settings_model(shape: type, name: str, prefix: str = "") -> type[Asked]:
    """Return the model of a settings dataclass: every field with its default and its bounds."""
    hints = get_type_hints(shape)
    made: dict[str, Any] = {}
    for field in fields(shape):
        if prefix == "" and field.name in REQUEST_BOUNDS.reserved:
            continue
        made[field.name] = _field(field, hints[field.name], f"{prefix}{field.name}")
    return create_model(name, __base__=Asked, __doc__=(shape.__doc__ or "").partition(" `validated`")[0], **made)


def _field(field: "Field[Any]", kind: Any, path: str) -> tuple[Any, Any]:
    if is_dataclass(kind) and isinstance(kind, type):
        model = settings_model(kind, kind.__name__, f"{path}.")
        return Annotated[model, ModelField()], ModelField(default_factory=model)
    default = field.default if field.default_factory is MISSING else field.default_factory()
    return _annotated(kind, path), list(default) if isinstance(default, tuple) else default


def _annotated(kind: Any, path: str) -> Any:
    if kind is bool:
        return Flag
    if kind in (int, float):
        return Annotated[Whole if kind is int else Real, ModelField(**_bounds(path, kind))]
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return kind
    text = Annotated[str, ModelField(max_length=_LONGEST_TEXT)]
    return text if kind is str else Annotated[list[text], ModelField(max_length=_LONGEST_LIST)]


def _bounds(path: str, kind: type) -> Mapping[str, Any]:
    low, high = REQUEST_BOUNDS.range_of(path)
    return {"ge": kind(low), "le": kind(high)}


if TYPE_CHECKING:
    CrawlSettingsModel = Asked
else:
    CrawlSettingsModel = settings_model(CrawlSettings, "CrawlSettings")

GivenSettings = SkipValidation[CrawlSettingsModel | None]
"""Settings of a request: documented by the model, checked by `application.crawl_settings`."""
