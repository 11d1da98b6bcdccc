"""Crawl settings from command-line options."""

import json
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from pathlib import Path
from sys import maxsize
from typing import Any

import msgspec

from wavecrawl.application.start_settings import start_settings
from wavecrawl.domain.crawl.settings import CrawlSettings
from wavecrawl.domain.lists.file_format import urls_in
from wavecrawl.domain.media.settings import MediaGroup
from wavecrawl.errors import InvalidInputError

_PIECE = 1024 * 1024  # bytes of a file that are read at a time


class Media(StrEnum):
    """Values of `--media`."""

    NONE = "none"
    IMAGES = "images"
    VIDEOS = "videos"
    DOCUMENTS = "documents"
    ALL = "all"


def media_groups(given: Sequence[Media]) -> tuple[str, ...] | None:
    """Return the setting `media.include` for the values of `--media`; None if there are none."""
    if not given:
        return None
    if Media.ALL in given:
        return tuple(MediaGroup)
    return tuple(one.value for one in dict.fromkeys(given) if one is not Media.NONE)


def settings_from(url: str, options: Mapping[str, Any], *, file: Path | None) -> CrawlSettings:
    """Return the settings of a crawl: options override the settings file, which overrides the defaults.

    `options` maps dotted setting names to values; None means not given. Raise InvalidInputError, or as
    `start_settings`.
    """
    given = _read(file) if file else {}
    for name, value in options.items():
        if value is not None:
            _put(given, name, value)
    return start_settings(url, given)


def urls_of(file: Path) -> Iterator[str]:
    """Yield the URLs of a file with one per line, which may be compressed with gzip.

    Raise InvalidInputError if the file cannot be read, or with the number of the first line that is no URL.
    """
    try:
        with file.open("rb") as opened:
            yield from urls_in(iter(partial(opened.read, _PIECE), b""), most_bytes=maxsize)
    except OSError as error:
        raise InvalidInputError(f"--urls {file} cannot be read: {error.strerror}") from error
    except InvalidInputError as error:
        raise InvalidInputError(f"--urls {file}, {error}") from error


def free_settings(pairs: list[str]) -> dict[str, Any]:
    """Return the settings given by `--set name=value`; raise InvalidInputError if one has another form.

    A value is JSON or a text. The texts of a list may be separated by commas.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not name:
            raise InvalidInputError(f"--set takes name=value, not {pair!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value.split(",") if _is_list(name) else value
    return found


def _is_list(path: str) -> bool:
    """Return whether a setting, named by its dotted path, is a list."""
    value: object = CrawlSettings()
    for name in path.split("."):
        value = getattr(value, name, None)
    return isinstance(value, tuple)


def _read(file: Path) -> dict[str, Any]:
    if file.suffix in (".yaml", ".yml"):
        raise InvalidInputError(
            f"the settings file {file} is YAML; only TOML and JSON can be read. `wavecrawl settings --toml` prints a "
            "TOML file to start from"
        )
    decode = msgspec.toml.decode if file.suffix == ".toml" else msgspec.json.decode
    try:
        given = decode(file.read_bytes())
    except OSError as error:
        raise InvalidInputError(f"the settings file {file} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInputError(f"the settings file {file} is not {file.suffix[1:] or 'JSON'}: {error}") from error
    if not isinstance(given, dict):
        raise InvalidInputError(f"the settings file {file} must contain one object of settings")
    return given


def _put(given: dict[str, Any], name: str, value: object) -> None:
    """Put a setting into its group; a value that stands in place of the group stays, for the check to report it."""
    group, _, rest = name.partition(".")
    if not rest:
        given[name] = value
        return
    inner = given.setdefault(group, {})
    if isinstance(inner, dict):
        _put(inner, rest, value)
