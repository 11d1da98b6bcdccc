"""Why result files could not be made. The API reads it, without the modules that make them."""

from collections.abc import Collection, Mapping
from typing import Final

import msgspec

from wavecrawl.ports.crawls import CrawlRow
from wavecrawl.ports.objects import Objects

_NAME: Final = "files/problems.json"
_DECODER: Final = msgspec.json.Decoder(dict[str, str])


def file_problem(crawl: CrawlRow, file: str, objects: Objects) -> str:
    """Return why a file could not be made when it was last tried, "" if it was not tried or is being made."""
    data = objects.get(crawl.id, _NAME)
    return "" if data is None else _DECODER.decode(data).get(file, "")


def note_problems(crawl: CrawlRow, names: Collection[str], problems: Mapping[str, str], objects: Objects) -> None:
    """Store why some of the files with these names could not be made. Earlier problems of them are forgotten."""
    data = objects.get(crawl.id, _NAME)
    before = {} if data is None else _DECODER.decode(data)
    now = {name: why for name, why in before.items() if name not in names} | dict(problems)
    if now != before:
        objects.put(crawl.id, _NAME, msgspec.json.encode(now))
