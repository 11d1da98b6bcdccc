"""Adapters that are imported when they are first used: a Lambda function or a crawl uses a few of them only."""

from importlib import import_module
from types import ModuleType


class LazyPackage:
    """A package whose modules are imported when they are first used, as attributes."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, module: str) -> ModuleType:
        """Return a module of the package."""
        return import_module(f"{self._name}.{module}")
