"""The knowledge index: search results."""

from pydantic import Field

from wavecrawl.api_models.types import ResponseModel


class FoundPassage(ResponseModel):
    """A passage that answers a question: the best one of its page."""

    id: str = Field(description="ID of the passage. It changes if the text of the page changes.")
    url: str = Field(description="URL of the page.")
    key: str = Field(description="Key of the page.")
    title: str = Field(description="Title of the page.")
    heading_path: list[str] = Field(description="Headings of the sections that contain the passage, outermost first.")
    text: str = Field(description="The passage, as plain text.")
    snippet: str = Field(description="The part of the passage with the words of the question, at most 240 characters.")
    position: int = Field(description="Position of the passage in its page, from 0.")
    score: float = Field(description="The higher, the better. Can be compared within one response only.")


class SearchResults(ResponseModel):
    """The passages that a search found."""

    passages: list[FoundPassage] = Field(description="The best first, at most one per page.")
