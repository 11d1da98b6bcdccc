"""The service itself: responses."""

from typing import Literal

from wavecrawl.api_models.types import ResponseModel


class Health(ResponseModel):
    """The result of a health check."""

    status: Literal["ok"]
