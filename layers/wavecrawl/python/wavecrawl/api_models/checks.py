"""Checked URLs of a crawl: responses."""

from pydantic import Field

from wavecrawl.api_models.types import AsOfWave, NextCursor, ResponseModel, Total
from wavecrawl.domain.checks.kinds import CheckKind, Verdict
from wavecrawl.domain.crawl.states import UrlState


class CheckedUrl(ResponseModel):
    """A URL that is not crawled as a page and was checked."""

    key: str = Field(description="Key of the check. It differs from that of a page with the same URL.")
    url: str
    kind: CheckKind = Field(description="What the page that names the URL first uses it as.")
    state: UrlState
    reason: str = Field(
        description="Why the URL is in this state, such as `dns`, `robots_rule` or `max_checks`. Empty if the state "
        "needs no reason."
    )
    detail: str = Field(description="Details of the reason, such as an error message.")
    status: int | None = Field(description="Status code of the last response. `null` if there was no response.")
    broken: bool = Field(description="Whether visitors cannot load the URL either: `verdict` is `broken`.")
    verdict: Verdict
    evidence: str = Field(description="Response or problem that the verdict is based on, such as `HTTP 404 Not Found`.")
    final_url: str = Field(description="End of the redirects. Empty if there were none.")
    redirects: int = Field(description="Number of redirects.")
    moved: bool = Field(description="Whether all redirects are permanent.")
    response_ms: int | None = Field(
        description="Milliseconds to the headers of the last response. `null` if there was none, and for stored media."
    )
    pages: int = Field(description="Number of pages that name the URL.")
    page: str = Field(description="URL of the first of these pages. Empty if there is none.")


class CheckList(ResponseModel):
    """Paginated list of checked URLs."""

    checks: list[CheckedUrl]
    next_cursor: NextCursor
    total: Total
    as_of_wave: AsOfWave
