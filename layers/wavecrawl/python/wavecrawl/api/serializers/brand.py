"""Brands as models of the API, and back."""

from typing import TypeVar

import msgspec

from wavecrawl.api.serializers import same_fields
from wavecrawl.api_models.brand import Brand, BrandValues
from wavecrawl.domain.brand import brand as domain

_Model = TypeVar("_Model", bound=Brand)


def brand_model(model: type[_Model], brand: domain.Brand, **more: object) -> _Model:
    """Return a brand as a model; `more` are the fields that a brand does not have."""
    values = {**msgspec.to_builtins(brand), "confidence": round(brand.confidence, 2), **more}
    return model.model_validate(values)


def values_model(values: domain.SetBrand) -> BrandValues:
    """Return the values that a person set."""
    return BrandValues(**same_fields(BrandValues, values))


def requested_values(values: BrandValues) -> domain.SetBrand:
    """Return the values of a request."""
    return domain.SetBrand(**{name: value.strip() for name, value in values})
