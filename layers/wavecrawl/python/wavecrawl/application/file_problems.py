"""Why result files could not be made. The API reads it, without the modules that make them."""

from collections.abc import Mapping
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


def note_problems(crawl: CrawlRow, problems: Mapping[str, str], objects: Objects) -> None:
    """Store why files could not be made, by name. Earlier problems are forgotten."""
    if problems or objects.get(crawl.id, _NAME) is not None:
        objects.put(crawl.id, _NAME, msgspec.json.encode(problems))
