"""The operator's controls: requests and responses."""

from typing import Annotated

from pydantic import Field

from wavecrawl.api_models.types import Flag, Real, RequestModel, ResponseModel
from wavecrawl.domain.tenants.limits import MOST_DENIED, MOST_USD

_STOPPED = (
    "Whether all crawls are stopped: no crawl starts, and running and queued ones are cancelled at their next wave. "
    "Cancelled crawls keep their results and can be resumed."
)
_DENIED = (
    "Hosts that are never requested by any tenant, such as `example.com`, with all hosts below them; or addresses. "
    "The list also holds for redirects, robots.txt, sitemaps, media, resources of rendered pages, checked URLs and "
    "webhooks."
)
_BUDGET = "Maximum AWS cost of all crawls of the deployment per month, in US dollars."


class Controls(ResponseModel):
    """What the operator forbids for all tenants."""

    stopped: bool = Field(description=_STOPPED)
    denied_hosts: list[str] = Field(description=_DENIED, examples=[["example.com"]])
    budget_usd_a_month: float | None = Field(description=f"{_BUDGET} `null`: no limit.")
    spent_usd: float = Field(description="AWS cost of all crawls in this month, in US dollars.")


class ControlsUpdate(RequestModel):
    """Controls to update. Fields that are left out or `null` keep their values."""

    stopped: Flag | None = Field(default=None, description=_STOPPED)
    denied_hosts: Annotated[list[str], Field(max_length=MOST_DENIED)] | None = Field(
        default=None, description=f"{_DENIED} Replaces the list.", examples=[["example.com"]]
    )
    budget_usd_a_month: Annotated[Real, Field(ge=0, le=MOST_USD)] | None = Field(
        default=None,
        description=f"{_BUDGET} When it is reached, no crawl starts, and running ones end at their next wave. 0 "
        "removes the limit. A service on one machine has no costs, and rejects it.",
    )
