"""URLs of a crawl, in any state: responses."""

from pydantic import Field

from wavecrawl.api_models.types import (
    LANE,
    SCORE,
    AsOfWave,
    NextCursor,
    RenderAdded,
    Rendered,
    RenderProblem,
    ResponseModel,
    ScreenshotUrl,
    Shell,
    Timestamp,
    Total,
)
from wavecrawl.domain.crawl.states import UrlState
from wavecrawl.domain.focus.lane import Lane

_REASON = "Why the URL is in this state. Empty if the state needs no reason."
_DETAIL = "Details of the reason, such as an error message."


class CrawlUrl(ResponseModel):
    """A URL that a crawl found."""

    key: str = Field(description="Key of the URL. If the crawl requested the URL, this is the key of the page.")
    url: str
    state: UrlState
    reason: str = Field(description=_REASON)
    detail: str = Field(description=_DETAIL)
    depth: int = Field(description="Number of links on the shortest path from the root that was known at the time.")
    parent: str = Field(description="URL of the page on which it was first found. Empty for start URLs and sitemaps.")
    found_by: str = Field(
        description="How it was found: `root`, `link`, `redirect`, `sitemap`, `list`, `memory` (an earlier crawl) or "
        "`feed`."
    )
    phase: str = Field(description="Phase of the crawl in which it was found: `bfs`, `sitemap` or `orphan`.")
    wave: int = Field(description="Wave in which it was found.")
    found_at: Timestamp | None = Field(
        description="When the wave in which it was found was planned. `null` if unknown."
    )
    tries: int = Field(description="Number of attempts to fetch it.")
    lane: Lane | None = Field(description=LANE)
    score: float | None = Field(description=SCORE)
    path_weight: float | None = Field(description="Part of the score: how important its path looks, from 0 to 1.")
    anchor_signal: float | None = Field(
        description="Part of the score: how rare the words of its link text and path are on the site; with focus "
        "terms, how similar they are to them. From 0 to 1."
    )
    freshness: float | None = Field(description="Part of the score: how new its content seems to be, from 0 to 1.")
    duplication_risk: float | None = Field(
        description="Part of the score: share of near-duplicates among the fetched pages with the same path template."
    )
    trap_risk: float | None = Field(description="Part of the score: how likely it leads into a trap, from 0 to 1.")


class UrlList(ResponseModel):
    """Paginated list of URLs, in the order in which they were found."""

    urls: list[CrawlUrl]
    next_cursor: NextCursor
    total: Total
    totals: dict[str, int] = Field(description="Number of URLs of the crawl per state, without the filters.")
    as_of_wave: AsOfWave


class Suppression(ResponseModel):
    """URLs that were not requested for the same reason, and with the same evidence if it is a trap."""

    reason: str = Field(description="Reason of the state of the URLs, such as `trap_calendar` or `robots_rule`.")
    trap: bool = Field(description="Whether a rule against traps suppressed the URLs.")
    because: str = Field(description="The reason, for people.")
    evidence: str = Field(description="For traps, what the rule found on the site. Empty otherwise.")
    urls: int = Field(description="Number of URLs.")
    examples: list[str] = Field(description="The first 3 of the URLs, in the order in which they were found.")


class SuppressionList(ResponseModel):
    """Paginated list of the reasons for which URLs were not requested: traps first, then by number of URLs."""

    suppressions: list[Suppression]
    next_cursor: NextCursor
    total: Total
    as_of_wave: AsOfWave


class LinkSource(ResponseModel):
    """A page with a link to the URL."""

    url: str
    text: str = Field(description="Link text.")


class ScorePart(ResponseModel):
    """A part of the score of a URL."""

    name: str = Field(description="Name of the part, such as `path_weight`.")
    value: float = Field(description="Value, from 0 to 1.")
    weight: float = Field(description="Weight in the score, a setting of the crawl. Negative for risks.")
    meaning: str = Field(description="Description of the part.")


class LaterCrawl(ResponseModel):
    """A later crawl of the same site that does not have the page."""

    crawl: str = Field(description="Id of the crawl.")
    started_at: Timestamp
    absence: str = Field(description="Why it does not have the page, as its own `absence`. Empty if that is not known.")


class UrlExplanation(ResponseModel):
    """Why a URL is or is not in a crawl."""

    url: str
    key: str = Field(description="Key of the URL.")
    found: CrawlUrl | None = Field(
        description="The URL as the crawl found it. `null` if the crawl did not find it, and if its page was deleted."
    )
    deleted: bool = Field(description="Whether the page was deleted from the crawl.")
    because: str = Field(
        description="The reason of the state, for people. For a URL that was not found, the reason why the settings "
        "exclude it, if they do. Empty if the state needs no reason."
    )
    absence: str = Field(
        default="",
        description="Why the crawl did not read a page that an earlier crawl read: `deleted, because ...` if something "
        "proves that it is gone, else `not seen in this crawl, because ...`. Empty if the crawl read it, if no earlier "
        "crawl did, and until the crawl has results.",
    )
    later: LaterCrawl | None = Field(
        default=None,
        description="A later crawl of the site that does not have the page: the one that shows that it is deleted, or "
        "the newest one if it did not see it. `null` if the newest crawl with results has it, or is this one.",
    )
    matches_focus: bool = Field(
        default=False,
        description="Whether its link text and path match the focus terms, so that strategy `best_first` requests it "
        "before all lanes.",
    )
    status: int | None = Field(description="Status code of the last response. `null` if there was none.")
    content_type: str = Field(description="Media type. Empty if there was no response.")
    title: str = Field(description="Page title.")
    redirect_to: str = Field(description="URL that it redirects to. Empty if it does not redirect.")
    shell: Shell
    rendered: Rendered
    render_added: RenderAdded
    render_problem: RenderProblem
    screenshot_url: ScreenshotUrl
    duplicate_of: str = Field(
        description="URL of the page that is kept instead of this one. Empty if it is not a duplicate, and until the "
        "crawl has results."
    )
    near_duplicate_of: str = Field(
        description="URL of a page with a similar text, to review. Empty if there is none, and until the crawl has "
        "results."
    )
    similarity: float | None = Field(
        description="Similarity to the page in `duplicate_of` or `near_duplicate_of`, up to 1. `null` if both are "
        "empty."
    )
    score: list[ScorePart] = Field(
        description="Parts of the score. The score is the sum of value times weight, limited to 0 to 1. Empty if the "
        "URL never joined the frontier."
    )
    linked_from: list[LinkSource] = Field(description="The first 10 links to it, by the URL of their page.")
