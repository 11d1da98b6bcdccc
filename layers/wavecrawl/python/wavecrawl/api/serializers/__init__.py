"""Conversion between values of the domain and models of the API, one module per resource.

Fields of the same name are not spelled here, so that a new field needs no change.
"""

from typing import Any

from pydantic import BaseModel


def same_fields(model: type[BaseModel], value: object) -> dict[str, Any]:
    """Return the attributes of a value that a model has fields of the same name for."""
    return {name: getattr(value, name) for name in model.model_fields if hasattr(value, name)}
