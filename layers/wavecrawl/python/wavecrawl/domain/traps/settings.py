"""The settings of the rules that keep a crawl out of traps. Each rule can be disabled."""

from typing import Annotated

import msgspec


class CalendarTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Calendars with an endless number of months, weeks or days (reason `trap_calendar`)."""

    enabled: Annotated[bool, "Whether to suppress further views of a calendar that has nothing new."] = True
    max_empty: Annotated[
        int,
        "Number of views in a row without new words or links after which further views of the calendar are suppressed.",
    ] = 12
    max_views: Annotated[
        int, "Maximum number of views of one calendar that have no new links, even if their words differ."
    ] = 3_660


class PaginationTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Numbered pages that go on without new content (reason `trap_pagination`)."""

    enabled: Annotated[bool, "Whether to suppress further pages of a series that has nothing new."] = True
    after_page: Annotated[int, "Number of pages of each series that are always crawled."] = 10
    max_empty: Annotated[
        int, "Number of pages in a row without new words or links after which the rest of the series is suppressed."
    ] = 3


class SegmentTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Paths that repeat themselves, such as `/a/b/a/b/a/b/` (reason `trap_segments`)."""

    enabled: Annotated[bool, "Whether to suppress URLs whose path repeats itself."] = True
    repeats: Annotated[
        int,
        "A URL is suppressed if a segment, or a sequence of segments, occurs this many times in a row, or if one "
        "segment occurs more often than this anywhere in the path. Numbers do not count.",
    ] = 3


class ParameterTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Query parameters that only filter or sort what is known already (reason `trap_parameters`)."""

    enabled: Annotated[bool, "Whether to suppress URLs with parameters that add nothing new."] = True
    max_empty: Annotated[
        int,
        "Number of pages in a row with a parameter, but without new words or links, after which further URLs of the "
        "host with this parameter are suppressed. Only pages that were also fetched without the parameter count.",
    ] = 8


class SessionTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Session tokens in URLs (reason `trap_session`)."""

    enabled: Annotated[bool, "Whether to suppress URLs that differ from URLs of the crawl only by a token."] = True
    max_empty: Annotated[
        int,
        "Number of pages in a row whose text was the same with another token, or without one. After them, one URL is "
        "requested of those that differ only by the token in this place.",
    ] = 5


class TemplateTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Pages that are nearly the same and link to each other (reason `trap_template`).

    They have one path template, or they are copies of earlier pages under ever new URLs.
    """

    enabled: Annotated[bool, "Whether to suppress further URLs of near-identical pages that link to each other."] = True
    max_alike: Annotated[
        int,
        "Number of near-identical pages in a row after which further URLs of the template are suppressed. Only URLs "
        "that are found on pages of the same template count and are suppressed. A quarter is enough in a folder "
        "if the pages differ only in the texts of their links to each other.",
    ] = 50
    max_copies: Annotated[
        int,
        "Number of pages of a host in a row that have the text of earlier pages, under ever new URLs, and that were "
        "found on such copies. After them, URLs that are found on copies are suppressed.",
    ] = 12


class JsonTrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """JSON responses of the same shape (reason `trap_json`)."""

    enabled: Annotated[bool, "Whether to suppress further URLs of a template whose JSON responses are alike."] = True
    max_alike: Annotated[
        int,
        "Number of JSON responses in a row with the same shape after which further URLs of the template are "
        "suppressed. The shape of a response is the set of its keys.",
    ] = 12


class TrapSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Rules against traps: parts of a site that have more URLs than content.

    Suppressed URLs have state `skipped` and a reason `trap_*`; `suppressed.csv` has the evidence.
    """

    first_urls: Annotated[
        int,
        "Number of URLs of one calendar, series, parameter, place of a token, or template of JSON responses that a "
        "wave has at first. A later wave has as many more as pages of it had something new. 0 = no limit.",
    ] = 12
    calendar: CalendarTrapSettings = msgspec.field(default_factory=CalendarTrapSettings)
    pagination: PaginationTrapSettings = msgspec.field(default_factory=PaginationTrapSettings)
    segments: SegmentTrapSettings = msgspec.field(default_factory=SegmentTrapSettings)
    parameters: ParameterTrapSettings = msgspec.field(default_factory=ParameterTrapSettings)
    session: SessionTrapSettings = msgspec.field(default_factory=SessionTrapSettings)
    template: TemplateTrapSettings = msgspec.field(default_factory=TemplateTrapSettings)
    repeated_json: JsonTrapSettings = msgspec.field(default_factory=JsonTrapSettings)
