"""Uploaded lists of URLs."""

from typing import Annotated, Literal

from pydantic import Field

from wavecrawl.api_models.types import RequestModel, ResponseModel, Timestamp, Whole
from wavecrawl.domain.lists.state import ListState

_NAME = "Display name."


class NewUploadedList(RequestModel):
    """A list of URLs to upload."""

    bytes: Annotated[Whole, Field(ge=1)] = Field(
        description="Size of the file in bytes, as it is uploaded. At most the deployment's `max_list_mb` (100 MB by "
        "default).",
        examples=[1_250_000],
    )
    name: str = Field(default="", max_length=200, description=_NAME)


class UploadedList(ResponseModel):
    """A list of URLs."""

    list: str = Field(description="ID of the list.")
    name: str = Field(description=_NAME)
    state: ListState
    bytes: int = Field(description="Size of the uploaded file in bytes.")
    urls: int = Field(description="Number of URLs. 0 until the list is `ready`.")
    problem: str | None = Field(description="Why the list is `invalid`. `null` in the other states.")
    sites: int = Field(description="Number of saved sites that name the list.")
    created_at: Timestamp
    expires_at: Timestamp | None = Field(
        description="When the list is deleted: 90 days after its creation, or a day if it is not `ready`. `null` while "
        "a saved site names it."
    )


class UploadTarget(ResponseModel):
    """Where to send the file of a list."""

    method: Literal["PUT"] = Field(description="HTTP method.")
    url: str = Field(
        description="URL that takes the file as the body of the request, without an API key. The body must have "
        "exactly `bytes` bytes."
    )
    expires_at: Timestamp


class UploadedListWithTarget(UploadedList):
    """A new list, and where to send its file."""

    upload: UploadTarget


class UploadedLists(ResponseModel):
    """All lists of a tenant."""

    lists: list[UploadedList]
