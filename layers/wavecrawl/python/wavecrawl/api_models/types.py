"""Base classes and field types of all models, and the models that belong to no resource."""

from datetime import UTC, datetime
from typing import Annotated, Final, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PlainSerializer, Strict, WithJsonSchema

LONGEST_URL: Final = 8_192
"""Maximum length of a start URL, in characters."""

ORPHAN: Final = (
    "`orphan`: a sitemap lists the page, no crawled page links to it, and the crawl has read everything. `likely`: the "
    "crawl has read all that it may; only URLs that robots.txt, logins, `nofollow` or the settings exclude might link "
    "to the page. `inconclusive`: the crawl itself has gaps, such as limits, failures or unread sitemaps."
)
"""The verdicts on orphans."""

LANE: Final = (
    "Lane: `p0` critical, `p1` documentation, `p2` blog and news, `p3` others. `null` if the URL never joined the "
    "frontier."
)
"""The lane of a URL."""

SCORE: Final = "Score within the lane, from 0 to 1. `null` if the URL never joined the frontier."
"""The score of a URL."""

Whole = Annotated[int, Strict()]
"""An integer. Numbers in strings are rejected."""

Real = Annotated[float, Strict()]
"""A number. Numbers in strings are rejected."""

Flag = Annotated[bool, Strict()]
"""`true` or `false`. Strings and numbers are rejected."""


class RequestModel(BaseModel):
    """The body of a request, or a part of it. Unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ResponseModel(BaseModel):
    """The body of a response, or a part of it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Problem(BaseModel):
    """An error, as problem details (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="Always `about:blank`: the status describes the kind of problem.")
    title: str = Field(description="Name of the status.")
    status: int = Field(description="HTTP status code.")
    detail: str = Field(description="What is wrong, and how to fix it.")
    errors: list[str] | None = Field(default=None, description="One message per invalid field or parameter.")
    crawl: str | None = Field(default=None, description="For 409: ID of the crawl that the request conflicts with.")
    crawl_status: str | None = Field(default=None, description="For 409 of a cancellation: status of the crawl.")
    resets_at: str | None = Field(
        default=None, description="For 429, if the plan allows no more crawls in this month: start of the next month."
    )
    plan: str | None = Field(default=None, description="For 402: the tenant's plan.")
    limit: str | None = Field(default=None, description="For 402: name of the exceeded limit.", examples=["max_pages"])
    ceiling: int | float | None = Field(default=None, description="For 402: value of the limit.")
    bytes: int | None = Field(default=None, description="For 413 of a page's content: its size in bytes.")


class Health(ResponseModel):
    """The result of a health check."""

    status: Literal["ok"]


def timestamp(seconds: float) -> datetime:
    """Return the time of a Unix timestamp, to the second."""
    return datetime.fromtimestamp(int(seconds), tz=UTC)


def timestamp_or_none(seconds: float) -> datetime | None:
    """Return the time of a Unix timestamp, None for 0."""
    return timestamp(seconds) if seconds else None


def rfc3339(at: datetime) -> str:
    """Return a time as text, such as `2026-11-21T10:00:00Z`."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


Timestamp = Annotated[
    AwareDatetime,
    PlainSerializer(rfc3339),
    WithJsonSchema({"type": "string", "format": "date-time", "examples": ["2026-11-21T10:00:00Z"]}),
]
"""A time in UTC, in the format of RFC 3339."""

AsOfWave = Annotated[
    int | None,
    Field(
        description="The last wave that the response covers, if the crawl has no results yet. 0: no wave is covered "
        "yet. `null`: the response covers the whole crawl."
    ),
]

Total = Annotated[
    int | None, Field(description="Number of items on all pages of the list. `null` if it was not counted.")
]

NextCursor = Annotated[
    str | None, Field(description="Pass it as `cursor` to get the next page of the list. `null` on the last page.")
]

Shell = Annotated[
    str,
    Field(
        description="Why the HTML is taken for a shell that JavaScript fills. Empty if it is none, or if rendering "
        "adds nothing to pages like it."
    ),
]

Rendered = Annotated[bool, Field(description="Whether the content is that of the page in a browser.")]

RenderAdded = Annotated[
    bool, Field(description="Whether rendering added links or text. Links of opened menus do not count.")
]

RenderProblem = Annotated[
    str,
    Field(
        description="Why the page could not be rendered, or not completely. If it is not `rendered`, the content is "
        "that of the response."
    ),
]

ScreenshotUrl = Annotated[
    str | None,
    Field(
        description="URL of the screenshot (JPEG), valid for an hour and without an API key. `null` if there is none. "
        "That of an unchanged page may be from an earlier crawl."
    ),
]
