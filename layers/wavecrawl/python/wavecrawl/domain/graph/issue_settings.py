"""Settings of the checks: which kinds of issues a crawl reports, how severe they are, and their limits."""

from collections.abc import Iterator, Mapping
from typing import Annotated

import msgspec

from wavecrawl.domain.graph.issue import IssueName, Severity


class IssueSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Issues of pages: which kinds are reported, how severe they are, and the limits of the checks.

    Lengths are numbers of characters. A limit of 0 turns its check off.
    """

    off: Annotated[tuple[IssueName, ...], "Kinds of issues that are not reported."] = (IssueName.HREFLANG_NO_DEFAULT,)
    as_error: Annotated[tuple[IssueName, ...], "Kinds of issues that are errors, whatever their usual severity."] = ()
    as_warning: Annotated[
        tuple[IssueName, ...], "Kinds of issues that are warnings, whatever their usual severity."
    ] = ()
    as_notice: Annotated[tuple[IssueName, ...], "Kinds of issues that are notices, whatever their usual severity."] = ()
    min_title: Annotated[int, "Minimum length of a title."] = 10
    max_title: Annotated[int, "Maximum length of a title."] = 60
    min_description: Annotated[int, "Minimum length of a meta description."] = 50
    max_description: Annotated[int, "Maximum length of a meta description."] = 160
    min_words: Annotated[int, "Minimum number of words of the main text of a page that can be indexed."] = 50
    max_clicks: Annotated[int, "Maximum number of links from the root to a page."] = 5
    max_url: Annotated[int, "Maximum length of the URL of a page, in its encoded form."] = 115
    max_parameters: Annotated[int, "Maximum number of query parameters of the URL of a page."] = 3
    max_load_seconds: Annotated[
        float, "Maximum number of seconds from the request for an HTML page to the last byte of its response."
    ] = 3.0
    max_html_kb: Annotated[int, "Maximum size of an HTML page, in units of 1,000 bytes, decompressed."] = 1_000

    @property
    def severities(self) -> Mapping[IssueName, Severity]:
        """The severities that these settings change."""
        named = (
            (Severity.NOTICE, self.as_notice),
            (Severity.WARNING, self.as_warning),
            (Severity.ERROR, self.as_error),
        )
        return {kind: severity for severity, kinds in named for kind in kinds}


def issue_problems(settings: IssueSettings) -> Iterator[str]:
    """Yield what is wrong with the settings, beyond the range of each number."""
    named = [*settings.as_error, *settings.as_warning, *settings.as_notice]
    for kind in sorted({kind for kind in named if named.count(kind) > 1}):
        yield f"issues gives {kind.value!r} several severities; name it in only one of as_error, as_warning, as_notice"
    for what in ("title", "description"):
        low, high = getattr(settings, f"min_{what}"), getattr(settings, f"max_{what}")
        if 0 < high < low:
            yield f"issues.min_{what} must not be greater than issues.max_{what}: {low} and {high}"
