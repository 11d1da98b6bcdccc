"""The settings of the knowledge index."""

from typing import Annotated

import msgspec


class KnowledgeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The knowledge index of the site, in which `search` finds passages."""

    enabled: Annotated[
        bool,
        "Whether the texts of the pages are indexed after the crawl. On one machine, that needs the extra `knowledge`; "
        "without it, crawls are not indexed.",
    ] = True
    passage_characters: Annotated[int, "Maximum number of characters of a passage."] = 1_000
    overlap_characters: Annotated[
        int,
        "Maximum number of characters that a passage repeats of the one before. At most half of `passage_characters` "
        "take effect.",
    ] = 120
    max_passages: Annotated[
        int, "Maximum number of passages of one page. The rest of a longer text is not indexed."
    ] = 2_000
    max_seconds: Annotated[
        int,
        "Maximum number of seconds that indexing one crawl takes. Then it ends: the pages indexed so far can be found, "
        "and the index is reported as not built.",
    ] = 21_600
