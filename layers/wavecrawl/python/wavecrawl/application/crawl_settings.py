"""Crawl settings from the outside: the one check for webhook, API, sites and command line."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from reprlib import repr as shortened
from typing import Any, TypeGuard, get_args, get_type_hints

import msgspec
from msgspec.structs import replace

from wavecrawl.application.operator_settings import OperatorSettings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.crawl.settings_bounds import RANGES, SettingsBounds
from wavecrawl.domain.pages.extraction_rules import rules_of
from wavecrawl.domain.tenants.defaulted import DEFAULTED
from wavecrawl.errors import InvalidSettingsError

NO_COSTS = (
    "budget_usd limits the cost of AWS, and a crawl on one machine has none; leave it out, or set max_pages, max_tries "
    "or max_seconds"
)
"""Why a cost limit is refused on one machine."""

_NO_MONTHLY_COSTS = "budget_usd_a_month limits the cost of AWS, and crawls on one machine have none; leave it out"

_NO_BROWSER = (
    "this deployment renders no pages, so render.mode cannot be 'always' and no screenshots can be made; leave out "
    "render.mode and render.screenshots, or deploy it with render=true"
)

_NO_SCREENSHOTS = (
    "render.mode 'never' renders no page, so no screenshots can be made; leave out render.screenshots (--screenshots), "
    "or choose another render.mode (--render)"
)

_NO_MEDIA = (
    "this deployment stores no media; leave out media.include (of a tenant: include_media), or deploy it with "
    "media=true"
)


_SHOWN = 40  # characters of a value that is no text


def crawl_settings(value: object, *, bounds: SettingsBounds) -> CrawlSettings:
    """Return the settings that `value` names, and the defaults of all others.

    `value` is what a request or a settings file holds: an object of settings, groups of settings inside, or None.

    Raise InvalidSettingsError, with every problem, if a setting is unknown, reserved, of the wrong type or outside its
    range. If all these are in order, check what concerns more than one value (`CrawlSettings.validated`).
    """
    if value is None:
        return CrawlSettings()
    if not isinstance(value, Mapping):
        raise InvalidSettingsError((f"settings must be an object of settings, not {shortened(value)}",))
    problems = tuple(_problems(value, CrawlSettings, "", bounds))
    if problems:
        raise InvalidSettingsError(problems)
    settings = msgspec.convert(value, CrawlSettings).validated()
    if settings.render.lacks_browser:
        raise InvalidSettingsError((_NO_SCREENSHOTS,))
    if settings.extract.rules:
        from wavecrawl.domain.pages.extraction.rules import rule_problems  # noqa: PLC0415 - loads the parser of HTML

        problems = tuple(rule_problems(rules_of(settings.extract.rules)))
        if problems:
            raise InvalidSettingsError(problems)
    return settings


def named_settings(value: object) -> frozenset[str]:
    """Return the paths of the settings that `value` names, of those for which the tenant can have defaults."""
    return frozenset(path for path in DEFAULTED if _names(value, path))


def _names(value: object, path: str) -> bool:
    name, _, rest = path.partition(".")
    return isinstance(value, Mapping) and name in value and (not rest or _names(value[name], rest))


def require_costs(operator: OperatorSettings) -> None:
    """Raise InvalidSettingsError if costs are to be limited where crawls have none."""
    if not operator.costs_money:
        raise InvalidSettingsError((_NO_MONTHLY_COSTS,))


def check_deployment(settings: CrawlSettings, operator: OperatorSettings) -> None:
    """Raise InvalidSettingsError if crawls with these settings need what the deployment lacks."""
    problems = []
    if settings.render.needs_browser and not operator.renders:
        problems.append(_NO_BROWSER)
    if settings.media.include and not operator.stores_media:
        problems.append(_NO_MEDIA)
    if problems:
        raise InvalidSettingsError(tuple(problems))


def with_operator(settings: CrawlSettings, operator: OperatorSettings) -> CrawlSettings:
    """Return settings with those of the operator in place of their own. Raise as `check_deployment`."""
    check_deployment(settings, operator)
    return replace(
        settings,
        contact=operator.contact,
        allowed_addresses=operator.allowed_addresses,
        waves=replace(settings.waves, lease=operator.lease),
    )


def _problems(
    settings: Mapping[object, object], group: type[msgspec.Struct], prefix: str, bounds: SettingsBounds
) -> Iterator[str]:
    types = _types(group)
    for name, value in settings.items():
        path, kind = f"{prefix}{name}", types.get(str(name))
        if path in bounds.reserved:
            yield f"{path} can be set by the operator of the crawler only; leave it out"
        elif kind is None:
            yield f"{path} is not a setting; {_instead(str(name), types, prefix, bounds)}"
        elif _is_group(kind) and isinstance(value, Mapping):
            yield from _problems(value, kind, f"{path}.", bounds)
        else:
            yield from _problem(path, value, kind, bounds)


def _instead(name: str, types: Mapping[str, Any], prefix: str, bounds: SettingsBounds) -> str:
    """Return which setting may have been meant: one with this name in a group, the nearest name, or else all."""
    known = [one for one in types if f"{prefix}{one}" not in bounds.reserved]
    groups = {one: _types(types[one]) for one in known if _is_group(types[one])}
    inside = [f"{prefix}{one}.{name}" for one, members in groups.items() if name in members]
    if inside := [path for path in inside if path not in bounds.reserved]:
        return f"did you mean {' or '.join(inside)}?"
    group, dot, rest = name.partition(".")
    if dot and group in groups:
        return f'write it in its group: {{"{group}": {{"{rest}": ...}}}}'
    if near := get_close_matches(name, known, n=1):
        return f"did you mean {prefix}{near[0]}?"
    return f"the settings are {', '.join(prefix + one for one in known)}"


def _problem(path: str, value: object, kind: Any, bounds: SettingsBounds) -> Iterator[str]:
    if not _is_text(value):
        yield f"{path} must be Unicode text, without lone surrogates: {ascii(value)[:_SHOWN]}"
        return
    try:
        converted = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        yield f"{path} must be {_describe(kind)}, not {shortened(value)}{_possible(kind)}"
    else:
        problem = bounds.problem(path, converted) if path in RANGES else None
        if problem is not None:
            yield problem


def _is_text(value: object) -> bool:
    """Return whether all texts of a value can be stored. Those of a command line are made of bytes of any kind."""
    if isinstance(value, Mapping):
        return all(_is_text(one) for pair in value.items() for one in pair)
    if isinstance(value, list | tuple):
        return all(map(_is_text, value))
    try:
        return not isinstance(value, str) or value.encode() is not None
    except UnicodeEncodeError:
        return False


def _describe(kind: Any) -> str:
    if _is_group(kind):
        return f"an object of settings ({', '.join(kind.__struct_fields__)})"
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return "one of " + ", ".join(repr(one.value) for one in kind)
    if names := _listed_names(kind):
        return f'a list, such as ["{names[0]}"]'
    return _DESCRIPTIONS.get(kind, 'a list of strings, such as ["a", "b"]')


def _is_group(kind: Any) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def _possible(kind: Any) -> str:
    names = _listed_names(kind)
    return f"; possible values: {', '.join(names)}" if names else ""


def _listed_names(kind: Any) -> list[str]:
    """Return the values that a list may contain, none if it may contain any text or `kind` is no list."""
    members = get_args(kind)
    return [one.value for one in members[0]] if members and issubclass(members[0], StrEnum) else []


_DESCRIPTIONS: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
}


@cache
def _types(group: type[msgspec.Struct]) -> Mapping[str, Any]:
    hints = get_type_hints(group)
    return {name: hints[name] for name in group.__struct_fields__}
