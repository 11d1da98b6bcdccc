"""The docstring of a port is its contract: every class and every method has one."""

from importlib import import_module
from inspect import getmembers, isclass, isfunction
from pkgutil import iter_modules

import pytest

from wavecrawl import ports

MODULES = [module.name for module in iter_modules(ports.__path__) if module.name != "all_ports"]


def undocumented(name: str) -> list[str]:
    """Return the classes and public methods of a module that have no docstring."""
    module = import_module(f"wavecrawl.ports.{name}")
    found = []
    for _, one in getmembers(module, lambda value: isclass(value) and value.__module__ == module.__name__):
        methods = [method for label, method in getmembers(one, isfunction) if not label.startswith("_")]
        found += [f"{one.__name__}.{method.__name__}" for method in methods if not method.__doc__]
        found += [] if one.__doc__ else [one.__name__]
    return found


@pytest.mark.parametrize("name", MODULES)
def test_a_port_is_documented(name: str) -> None:
    assert undocumented(name) == []


def test_there_are_ports() -> None:
    assert len(MODULES) > 25
