"""Paths of crawl settings, such as `limits.timeout`: list them, and take the values of some."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Group = TypeVar("Group", bound="DataclassInstance")


def paths_of(settings: "DataclassInstance", prefix: str = "") -> Iterator[str]:
    """Yield the path of each setting, those of groups too."""
    for path, value in _values(settings, prefix):
        if is_dataclass(value) and not isinstance(value, type):
            yield from paths_of(value, f"{path}.")
        else:
            yield path


def with_values_of(settings: Group, other: Group, paths: Collection[str], prefix: str = "") -> Group:
    """Return `settings` with the values of `other` for `paths`."""
    changed: dict[str, Any] = {}
    for path, value in _values(settings, prefix):
        name = path.rpartition(".")[2]
        if path in paths:
            changed[name] = getattr(other, name)
        elif is_dataclass(value) and not isinstance(value, type):
            changed[name] = with_values_of(value, getattr(other, name), paths, f"{path}.")
    return replace(settings, **changed)


def with_values(settings: Group, values: Mapping[str, Any], prefix: str = "") -> Group:
    """Return `settings` with other values, by path."""
    changed: dict[str, Any] = {}
    for path, value in _values(settings, prefix):
        name = path.rpartition(".")[2]
        if path in values:
            changed[name] = values[path]
        elif any(other.startswith(f"{path}.") for other in values):
            changed[name] = with_values(value, values, f"{path}.")
    return replace(settings, **changed)


def _values(settings: "DataclassInstance", prefix: str) -> Iterator[tuple[str, Any]]:
    return ((f"{prefix}{one.name}", getattr(settings, one.name)) for one in fields(settings))
