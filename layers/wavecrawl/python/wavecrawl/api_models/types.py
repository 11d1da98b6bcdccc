"""What the models of all resources are made of."""

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, Strict

Whole = Annotated[int, Strict()]
"""A whole number, as JSON has it: no text with digits in it."""

Real = Annotated[float, Strict()]
"""A number."""

Flag = Annotated[bool, Strict()]
"""true or false."""

Moment = Annotated[str, Field(json_schema_extra={"format": "date-time"}, examples=["2026-11-21T10:00:00Z"])]
"""A time, UTC, RFC 3339."""


class Asked(BaseModel):
    """Comes in: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Shown(BaseModel):
    """Goes out."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class ProblemModel(BaseModel):
    """Why a request is not fulfilled: RFC 9457."""

    model_config = ConfigDict(title="Problem", extra="allow")

    type: str = Field(description="always about:blank: the status says what kind of problem it is")
    title: str = Field(description="the name of the status")
    status: int
    detail: str = Field(description="what is wrong, and what to do")
    errors: list[str] | None = Field(default=None, description="each field that does not hold, where there are several")


def moment(seconds: float) -> str:
    """Return a time as it is shown."""
    return f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%dT%H:%M:%SZ}"


def moment_or_none(seconds: float) -> str | None:
    """Return a time as it is shown, None for 0."""
    return moment(seconds) if seconds else None
