"""Settings of the link graph that people look at."""

from typing import Annotated

import msgspec


class GraphSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The file of the link graph that the dashboard shows. Larger graphs are reduced; all other results are not."""

    max_nodes: Annotated[
        int, "Maximum number of pages in the file. Of more pages, those with the highest PageRank."
    ] = 50_000
    max_links: Annotated[
        int,
        "Maximum number of links in the file. Of more links, those of the shortest paths from the root first, then "
        "those between the pages with the highest PageRank.",
    ] = 500_000
