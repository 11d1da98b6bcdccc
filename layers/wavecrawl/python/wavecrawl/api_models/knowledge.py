"""The knowledge index: search results."""

from pydantic import Field

from wavecrawl.api_models.types import ResponseModel
from wavecrawl.domain.knowledge.index_status import IndexStatus


class FoundPassage(ResponseModel):
    """A passage that answers a question: the best one of its page."""

    id: str = Field(description="ID of the passage. It changes if the text of the page changes.")
    url: str = Field(
        description="URL of the page, with the fragment of the innermost heading above the passage that has one."
    )
    key: str = Field(description="Key of the page.")
    title: str = Field(description="Title of the page.")
    heading_path: list[str] = Field(description="Headings of the sections that contain the passage, outermost first.")
    text: str = Field(description="The passage, as plain text.")
    markdown: str = Field(description="The passage, as Markdown.")
    tokens: int = Field(description="About how many tokens the Markdown has.")
    snippet: str = Field(description="The part of the passage with the words of the question, at most 240 characters.")
    position: int = Field(description="Position of the passage in its page, from 0.")
    score: float = Field(description="The higher, the better. Can be compared within one response only.")


class SearchIndex(ResponseModel):
    """The state of a site's search index."""

    status: IndexStatus = Field(description="Whether the index has the texts of the newest crawl with results.")
    can_search: bool = Field(description="Whether there are texts to search in, if only of an earlier crawl.")
    crawl: str | None = Field(description="ID of the crawl whose texts were indexed last.")
    next_crawl: str | None = Field(description="ID of the crawl whose texts are not indexed yet.")
    pages_done: int = Field(description="Pages of `next_crawl` that were compared or indexed so far.")
    pages_total: int = Field(description="Pages of `next_crawl` that were fetched.")
    message: str = Field(description="Why the index is not current, and what to do. Empty if it is.")


class SearchResults(ResponseModel):
    """The passages that a search found."""

    index: SearchIndex = Field(description="The index that was searched.")
    passages: list[FoundPassage] = Field(description="The best first, at most one per page.")
