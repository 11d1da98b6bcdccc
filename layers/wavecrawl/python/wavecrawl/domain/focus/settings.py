"""The settings of lanes and scores."""

from enum import StrEnum
from typing import Annotated

import msgspec

_MAIN = (
    "about about-us company contact contact-us customers download downloads features plans pricing product products "
    "services shop solutions store"
).split()
_DOCS = (
    "api doc docs documentation examples faq guide guides handbook help howto kb knowledge-base learn manual reference "
    "support tutorial tutorials"
).split()
_BLOG = "articles blog changelog journal news posts press press-releases release-notes releases".split()


class Strategy(StrEnum):
    """The order in which URLs are crawled.

    - `bfs`: breadth first: depth, then order of discovery
    - `best_first`: lane, then score, then order of discovery; URLs that match the focus terms before all lanes
    """

    BFS = "bfs"
    BEST_FIRST = "best_first"


class LaneSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Which URLs belong to which lane: the first lane with a matching pattern, or `p3` if no pattern matches.

    A pattern must match the whole URL, the path, or the path with the query; `*` matches any text. Patterns may leave
    out a language at the start of the path, such as `/en`, a final slash, `index.html` and the file extension. Data
    (`.json`, `.xml` and the like) and URLs with a trap risk of 0.5 or more always belong to `p3`.
    """

    critical: Annotated[
        tuple[str, ...],
        "Patterns of lane `p0`. The root URL always belongs to it. A URL with a query belongs to it only if the "
        "pattern has a query.",
    ] = tuple(f"/{name}" for name in _MAIN)
    docs: Annotated[tuple[str, ...], "Patterns of lane `p1`, documentation."] = (
        *(pattern for name in _DOCS for pattern in (f"/{name}", f"/{name}/*")),
        "*://docs.*",
    )
    blog: Annotated[
        tuple[str, ...],
        "Patterns of lane `p2`, blog and news. A path with a year and a month, such as `/2026/11/`, belongs to it too.",
    ] = (*(pattern for name in _BLOG for pattern in (f"/{name}", f"/{name}/*")), "*://blog.*")


class WeightSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of the parts of a score. The score is the weighted sum, limited to 0 to 1."""

    path: Annotated[float, "Weight of the path."] = 0.40
    anchor: Annotated[float, "Weight of the link text."] = 0.40
    freshness: Annotated[float, "Weight of the date in the path or the sitemap."] = 0.20
    duplication: Annotated[float, "Weight of the duplication risk, which is subtracted."] = 0.25
    trap: Annotated[float, "Weight of the trap risk, which is subtracted."] = 0.25


class FocusSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How URLs are scored. With strategy `best_first`, lanes and scores decide the order of the crawl."""

    terms: Annotated[
        tuple[str, ...],
        "Words or a question that describe a topic, such as `event loop`; URLs whose link text or path match come "
        "first, whatever their lane. A match in the title of the linking page raises the score. Needs strategy "
        "`best_first`. Commas separate terms. At most 50 terms.",
    ] = ()
    weights: WeightSettings = msgspec.field(default_factory=WeightSettings)
    lanes: LaneSettings = msgspec.field(default_factory=LaneSettings)
    path_weights: Annotated[
        tuple[str, ...],
        "Path weights by prefix, such as `/docs = 1` and `/archive = 0.2`: the weight from 0 to 1 that the path of a "
        "URL begins with, instead of that of its lane. A prefix ends at a slash or at the end of the path, and may "
        "leave out a language at the start. The longest one counts. At most 100 prefixes.",
    ] = ()
