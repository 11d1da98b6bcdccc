"""Paths of crawl settings, such as `limits.timeout`: list them, and take the values of some."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

Group = TypeVar("Group", bound=msgspec.Struct)


def paths_of(settings: msgspec.Struct, prefix: str = "") -> Iterator[str]:
    """Yield the path of each setting, those of groups too."""
    for path, value in _values(settings, prefix):
        if isinstance(value, msgspec.Struct):
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
        elif isinstance(value, msgspec.Struct):
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


def _values(settings: msgspec.Struct, prefix: str) -> Iterator[tuple[str, Any]]:
    return ((f"{prefix}{name}", getattr(settings, name)) for name in settings.__struct_fields__)
